// The git of the simulation against the real one: random sequences of the same calls, and after each of them the same
// answer, the same refs and the same files. Commits have other names there, so they are compared by what they hold.
import { afterAll, beforeAll, describe, expect, it, setSystemTime } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openGateRepository } from "../../src/git/gate-repository.ts"
import { makeMerges } from "../../src/git/merges/git-merges.ts"
import { makeTargets } from "../../src/git/merges/git-targets.ts"
import { makeScopes } from "../../src/git/merges/scopes.ts"
import { AppError } from "../../src/kernel/errors.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { sleep } from "../../src/lib/sleep.ts"
import { judgeChanges } from "../../src/ownership/scope.ts"
import { parseDiff } from "../../src/quality/gates/diff-lines.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { setUpWorkspaces, WORKSPACE_TEAM } from "../support/workspaces.ts"
import { commitAll, resetHard } from "./git/agent-git.ts"
import { subjectOf } from "./git/merges.ts"
import { type GitPorts, makeSimGit } from "./git.ts"
import { makeRandom, type Random } from "./random.ts"
import { makeWorld, type SimProcess } from "./world.ts"

const SEQUENCES = Number(process.env.SIM_GIT_RUNS ?? 8)
const CALLS = 60
const DATE = "2026-01-01T00:00:00Z"
const START = Date.parse(DATE)
const INTEGRATION = "refs/heads/teamwork/shop/main/integration"
const PATHS = ["a.txt", "b.txt", "src/1/x.ts", "src/2/y.ts", "src/2/z.ts", "docs/d.md"]
const FILES = Object.fromEntries(PATHS.slice(0, 4).map((path) => [path, `${path} 0\n`]))

describe("the git of the simulation", () => {
  // Two commits of the same content are one where the time is the same, as it always is in the simulation.
  beforeAll(() => void setSystemTime(START))
  afterAll(() => void setSystemTime())

  it.each(Array.from({ length: SEQUENCES }, (_, index) => index + 1))(
    "answers as the real one does, sequence %i",
    async (seed) => {
      using real = await openReal()
      await using sim = openSim(seed)
      const random = makeRandom(seed)
      for (let count = 0; count < CALLS; count++) {
        const { name, ask } = chooseCall(random, await commitsOf(sim))
        const label = `sequence ${seed}, call ${count}: ${name}`
        const [expected, given] = [await answerOf(real, ask), await answerOf(sim, ask)]
        expect({ label, answer: given }).toEqual({ label, answer: expected })
        expect({ label, state: await stateOf(sim) }).toEqual({ label, state: await stateOf(real) })
      }
    },
    120_000,
  )
})

/** One of the two, with what an agent does in a worktree. */
interface Side {
  readonly ports: Pick<GitPorts, "workspaces" | "pins" | "scopes" | "merges" | "targets">
  gates(folder: string): Promise<ReturnType<GitPorts["gateRepository"]>>
  read(worker: string): ReadonlyMap<string, string> | undefined
  write(worker: string, path: string, content: string | null): void
  commit(worker: string, message: string): void
  amend(worker: string, message: string): void
  reset(worker: string, commit: string): void
  readonly folder: string
  /** What a commit holds: the same on both sides. */
  describe(commit: string): string | undefined
  /** Runs it to its end. */
  settle<T>(work: Promise<T>): Promise<T>
}

type Ask = (side: Side, named: (name: string) => string) => Promise<unknown>

async function answerOf(side: Side, ask: Ask): Promise<unknown> {
  const ids = new Map<string, string>()
  for (const id of (await side.settle(side.ports.merges.refs("refs"))).values()) ids.set(side.describe(id) ?? "", id)
  try {
    const answer = await side.settle(ask(side, (name) => ids.get(name) ?? name))
    return plain(side, answer ?? null)
  } catch (error) {
    if (error instanceof AppError) return { refused: error.code }
    throw error
  }
}

/** What git alone knows, and words that name commits. */
const LEFT_OUT = new Set(["date", "setupLog", "message", "mode", "oid"])

/** Names of commits become what they hold, and folders the same on both sides. */
function plain(side: Side, value: unknown): unknown {
  if (value instanceof Map) return plain(side, Object.fromEntries(value))
  if (Array.isArray(value)) {
    const all = value.map((each) => plain(side, each))
    // Sets of commits come in any order.
    return value.every((each) => typeof each === "string" && /^[0-9a-f]{40}$/.test(each)) ? all.sort() : all
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([key]) => !LEFT_OUT.has(key))
    return Object.fromEntries(entries.map(([key, each]) => [plain(side, key), plain(side, each)]))
  }
  if (typeof value !== "string") return value
  return value
    .replace(side.ports.workspaces.pathOf("x").replace(/\/x$/, ""), "WORKTREES")
    .replace(side.folder, "MAIN")
    .replaceAll(/\b[0-9a-f]{40}\b|(?<=earlier\/)[0-9a-f]{16}\b/g, (id) => side.describe(id) ?? id)
}

async function stateOf(side: Side): Promise<unknown> {
  const { merges, workspaces } = side.ports
  const refs = await side.settle(merges.refs("refs"))
  const trees = await side.settle(workspaces.list())
  const files = trees.map(({ worker }) => [worker, Object.fromEntries([...(side.read(worker) ?? [])].sort())])
  return plain(side, { refs, trees, files })
}

async function commitsOf(side: Side): Promise<string[]> {
  const refs = await side.settle(side.ports.merges.refs("refs"))
  return [...new Set([...refs.values()].map((id) => side.describe(id) ?? ""))].sort()
}

function chooseCall(random: Random, commits: readonly string[]): { name: string; ask: Ask } {
  const worker = random.pick(["w1", "w2", "w3"])
  const other = random.pick(["w1", "w2", "w3"])
  const attempt = { task: random.pick(["1", "2"]), attempt: random.int(1, 2) }
  const [one, two, three] = [random.pick(commits), random.pick(commits), random.pick(commits)]
  const base = random.pick([undefined, "main", one, "nothing"])
  const path = random.pick(PATHS)
  const content = random.chance(0.15) ? null : `${path} ${random.int(0, 3)}\n`
  const unique = `${random.next()}`
  const isNamed = random.chance(0.5)
  const kind = random.pick(["base", "head", "leftovers", "aside"] as const)
  const inTree = (work: (side: Side) => void): Ask => {
    return async (side) => (side.read(worker) === undefined ? "none" : work(side))
  }
  const calls: Record<string, Ask> = {
    "create a worktree": ({ ports }, named) =>
      ports.workspaces.create({ worker, base: base && named(base), ...(isNamed ? { attempt } : {}) }),
    "move a worktree": ({ ports }, named) => ports.workspaces.move({ worker, base: base && named(base), attempt }),
    "move a worktree to a pin": ({ ports }, named) => ports.workspaces.move({ worker, base: named(one), attempt }),
    "a worker edits": inTree((side) => side.write(worker, path, content)),
    "a worker commits": inTree((side) => side.commit(worker, `Work ${unique}`)),
    "a worker commits again": inTree((side) => side.commit(worker, `More ${unique}`)),
    "a worker amends": inTree((side) => side.amend(worker, `Amended ${unique}`)),
    "a worker resets": async (side, named) =>
      side.read(worker) === undefined ? "none" : side.reset(worker, named(one)),
    "pin a worktree": ({ ports }) => ports.workspaces.pin({ worker }),
    "pin a worktree for a task": ({ ports }) => ports.workspaces.pin({ worker, place: attempt }),
    "remove a worktree": ({ ports }) => ports.workspaces.remove({ worker }),
    "sync a worktree": ({ ports }, named) =>
      ports.workspaces.sync({ worker, ...(base === undefined ? {} : { onto: named(base) }) }),
    "find a worktree": ({ ports }) => ports.workspaces.find(worker),
    examine: ({ ports }) => ports.workspaces.examine(true),
    "set aside": async (side, named) => {
      if (side.read(worker) === undefined) return "none"
      const { task } = attempt
      const ownership = { task: { id: task, files: [`src/${task}/**`, "a.txt"] }, others: [], granted: [], shared: [] }
      return side.ports.scopes.setAside({
        ...{
          ...WORKSPACE_TEAM,
          run: 1,
          ...attempt,
          folder: side.ports.workspaces.pathOf(worker),
          message: `Task ${unique}`,
        },
        brings: named(one),
        judge: (changes) => judgeChanges(changes, ownership),
      })
    },
    "changes in scope": ({ ports }, named) =>
      ports.scopes
        .changes(named(one), named(two))
        .then((all) => all.map(({ path, change, type }) => ({ path, change, type }))),
    "find a pin": ({ ports }) => ports.pins.find(attempt, kind),
    "list pins": async (side, named) => {
      const pins = plain(side, await side.ports.pins.list({ target: named(one) })) as { ref: string }[]
      return pins.sort((a, b) => (a.ref < b.ref ? -1 : 1))
    },
    "start the integration": ({ ports }, named) =>
      ports.merges.move([{ ref: INTEGRATION, from: null, to: named(one) }]),
    "move the integration": async ({ ports }, named) => {
      const from = (await ports.merges.find(INTEGRATION)) ?? null
      return ports.merges.move([{ ref: INTEGRATION, from: Number(unique) < 0.2 ? named(two) : from, to: named(one) }])
    },
    merge: ({ ports }, named) => ports.merges.merge(named(one), named(two)),
    "merge into the integration": async ({ ports }, named) => {
      const tip = await ports.merges.find(INTEGRATION)
      if (tip === undefined) return "none"
      const merged = await ports.merges.merge(tip, named(one))
      if (!merged.isClean) return merged
      const message = `Merge ${unique}\n\nTeamwork-Task: ${attempt.task}\nTeamwork-Attempt: ${attempt.attempt}\n`
      const commit = await ports.merges.commit({ tree: merged.tree, parents: [tip, named(one)], message })
      return ports.merges.move([{ ref: INTEGRATION, from: tip, to: commit }])
    },
    "merge base": ({ ports }, named) => ports.merges.mergeBase(named(one), named(two)),
    contains: ({ ports }, named) => ports.merges.contains(named(one), named(two)),
    histories: async ({ ports }, named) => {
      const branches = [
        { base: named(two), head: named(three), mayContain: [named(one)], others: commits.slice(0, 3).map(named) },
        { base: named(one), head: named(three), mayContain: [], others: [named(two)] },
      ]
      const found = await ports.merges.histories(named(one), branches)
      return found.map(({ hasBase, ...lists }) => ({ hasBase, lists }))
    },
    changes: ({ ports }, named) => ports.merges.changes(named(one), named(two)),
    paths: ({ ports }, named) => ports.merges.paths(named(one)),
    line: ({ ports }, named) => ports.merges.line(named(one), named(two)),
    "merged attempts": ({ ports }, named) => ports.merges.mergedAttempts(named(one), named(two)),
    "find a name": ({ ports }) => ports.merges.find(isNamed ? `teamwork/shop/main/${other}` : path),
    "point to": async ({ ports }) => {
      await ports.merges.nameBranch("refs/teamwork/shop/main/integration/target", "refs/heads/main")
      return ports.merges.findNamed("refs/teamwork/shop/main/integration/target")
    },
    "find a checkout": ({ ports }) => ports.targets.findCheckout("main"),
    "deliver to the target": async ({ ports }, named) => {
      const from = (await ports.merges.find("refs/heads/main")) ?? ""
      const checkout = await ports.targets.findCheckout("main")
      if (checkout === undefined || checkout.obstacle !== null) return checkout
      if (!(await ports.merges.contains(named(one), from))) return "no descendant"
      return ports.targets.move({ branch: "main", from, to: named(one), checkout })
    },
    gates: async (side, named) => {
      if (side.read(worker) === undefined) return "none"
      const gates = await side.gates(side.ports.workspaces.pathOf(worker))
      return {
        head: await gates.find("HEAD"),
        start: await gates.findStart(),
        status: (await gates.listUncommitted()).toSorted(),
        base: await gates.findBase(named(one), named(two)),
        isNext: await gates.isNextTo(named(one), named(two)),
        merges: await gates.listMerges(named(one), named(two)),
        diff: parseDiff(await gates.readDiff(named(one), named(two))),
        top: (await gates.openTree((await gates.find("HEAD"))?.tree ?? "").list("")).toSorted(),
      }
    },
  }
  const name = random.pick([...Object.keys(calls), ...Array.from({ length: 6 }, () => "a worker edits")])
  return { name, ask: calls[name] as Ask }
}

async function openReal(): Promise<Side & Disposable> {
  const dates = { GIT_AUTHOR_DATE: DATE, GIT_COMMITTER_DATE: DATE }
  const world = await setUpWorkspaces({ files: FILES, env: dates })
  const { repository, workspaces, pins } = world
  const { git } = repository
  const log = { ids: systemIds, env: sandboxEnv(dates), sleep }
  const known = new Map<string, string>()
  const describeCommit = (id: string): string | undefined => {
    const seen = known.get(id)
    if (seen !== undefined) return seen
    const { success, stdout } = Bun.spawnSync(
      ["git", "show", "--no-patch", "--format=%H%x00%T%x00%P%x00%s", `${id}^{commit}`, "--"],
      { cwd: repository.path, env: sandboxEnv(), stderr: "ignore" },
    )
    if (!success) return undefined
    const [, tree = "", parents = "", subject = ""] = stdout.toString().trimEnd().split("\0")
    const content = describeContent(
      tree,
      parents === "" ? [] : parents.split(" ").map((each) => describeCommit(each) ?? ""),
      subject,
    )
    known.set(id, content)
    return content
  }
  const runIn = (worker: string, ...args: string[]) => void world.tree(worker).run(...args)
  return {
    ports: {
      workspaces,
      pins,
      scopes: makeScopes(git, world.home),
      merges: makeMerges(git, log),
      targets: makeTargets(git, log),
    },
    async gates(folder) {
      const gates = await openGateRepository(git.in(folder), { home: world.home, prepare: async () => undefined })
      if (gates === undefined) throw new Error(`${folder} is no repository`)
      return gates
    },
    read: (worker) => (existsSync(workspaces.pathOf(worker)) ? readFolder(workspaces.pathOf(worker)) : undefined),
    write: (worker, path, content) => world.tree(worker).write({ [path]: content }),
    commit(worker, message) {
      runIn(worker, "add", "--all")
      runIn(worker, "commit", "--quiet", "--allow-empty", "-m", message)
    },
    amend(worker, message) {
      runIn(worker, "add", "--all")
      runIn(worker, "commit", "--quiet", "--allow-empty", "--amend", "-m", message)
    },
    reset: (worker, commit) => runIn(worker, "reset", "--quiet", "--hard", commit),
    folder: repository.path,
    describe: describeCommit,
    settle: (work) => work,
    [Symbol.dispose]: () => world[Symbol.dispose](),
  }
}

function describeContent(tree: string, parents: readonly string[], words: string): string {
  const subject = words.replaceAll(/\b[0-9a-f]{40}\b/g, "COMMIT")
  return `commit-${new Bun.CryptoHasher("sha1")
    .update([tree, ...parents, subject].join("\0"))
    .digest("hex")
    .slice(0, 12)}`
}

function readFolder(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== ".git")
  return new Map(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return [file.slice(folder.length + 1), readFileSync(file, "utf8")]
    }),
  )
}

function openSim(seed: number): Side & AsyncDisposable {
  const world = makeWorld({ seed })
  const { repository, of } = makeSimGit(world, { team: { ...WORKSPACE_TEAM, run: 1 }, files: FILES })
  const { objects } = repository
  const process: SimProcess = world.spawn("test", () => new Promise(() => {}))
  const { gateRepository, ...ports } = of(process)
  const treeOf = (worker: string) => {
    const found = repository.worktrees.get(worker)
    if (found === undefined) throw new Error(`${worker} has no worktree`)
    return found
  }
  const known = new Map<string, string>()
  const describeCommit = (id: string): string | undefined => {
    const full = id.length === 40 ? id : ([...objects.all()].find((each) => each.id.startsWith(id))?.id ?? id)
    const commit = objects.findCommit(full)
    if (commit === undefined) return undefined
    const seen = known.get(full)
    if (seen !== undefined) return seen
    const parents = commit.parents.map((parent) => describeCommit(parent) ?? "")
    const content = describeContent(commit.tree, parents, subjectOf(commit.message))
    known.set(full, content)
    return content
  }
  return {
    ports,
    gates: async (folder) => gateRepository(folder),
    read: (worker) => repository.worktrees.get(worker)?.files,
    write(worker, path, content) {
      if (content === null) treeOf(worker).files.delete(path)
      else treeOf(worker).files.set(path, content)
    },
    commit: (worker, message) => void commitAll(repository, treeOf(worker), { message }),
    amend: (worker, message) => void commitAll(repository, treeOf(worker), { message, amends: true }),
    reset: (worker, commit) => resetHard(repository, treeOf(worker), commit),
    folder: repository.folder,
    describe: describeCommit,
    async settle(work) {
      // At one and the same second, as the real one is told.
      world.jumpClock(START - world.clock.now())
      return world.settle(work)
    },
    async [Symbol.asyncDispose]() {
      process.kill()
    },
  }
}
