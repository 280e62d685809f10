// Kills the merging processes and the git processes they started, at random points and inside of git's own critical
// moments. Whatever was killed, the next run comes to the same end: nothing lost, nothing twice, nothing locked.
import { describe, expect, it } from "bun:test"
import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeGit } from "../../src/git/git.ts"
import { makeMerges } from "../../src/git/merges/git-merges.ts"
import { pinRef } from "../../src/kernel/branches.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { capture } from "../../src/lib/process/capture.ts"
import { descendantsOf } from "../../src/lib/process/process-tree.ts"
import { sleep } from "../../src/lib/sleep.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { openStore } from "../fixtures/participants/participant.ts"
import { seededRandom } from "../fixtures/participants/seeded-random.ts"
import { type Files, makeMergeRepository } from "../support/merge-repository.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { allEvents, context, FIRST_RUN, makeTeam, run, TEAM, until } from "../support/stores.ts"
import { type Crew, type Member, makeCrew } from "./crew.ts"

/** `npm run soak` asks for more. */
const KILLS = Number(process.env.CHAOS_KILLS ?? 20)
/** The more there were, the less is left to do for the next. */
const KILLS_PER_REPOSITORY = 2
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)

/** 2 and 4 conflict with those before them, 5 is red by itself; the rest is fine. */
const WORK: Readonly<Record<string, Files>> = {
  1: { shared: "one\n", "src/a": "a\n" },
  2: { shared: "two\n" },
  3: { "src/b": "b\n", gone: null },
  4: { "src/b": "other\n" },
  5: { bad: "x\n" },
  6: { "src/c": "c\n", "slow.txt": "slow and new\n" },
}
const MERGED = ["1", "3", "6"]
const FIXES = ["fix-2-1", "fix-4-1", "fix-5-1"]

describe("killing what merges", () => {
  it(
    `${KILLS} times at random loses nothing, and the next run comes to the same end`,
    async () => {
      console.log(`seed ${SEED}: repeat with CHAOS_SEED=${SEED}`)
      const random = seededRandom(SEED)
      using template = makeScratch("template")
      await prepare(template.path)
      // How long a run takes when nobody is in its way, to aim within it. The shortest of three: the machine may stand
      // still during one of them, for longer than it all takes.
      await using crew = makeCrew()
      let durationMs = Number.POSITIVE_INFINITY
      for (let time = 0; time < 3; time++) durationMs = Math.min(durationMs, await measure(crew, template.path))
      let killed = 0
      for (let left = KILLS; left > 0; left -= KILLS_PER_REPOSITORY) {
        using scratch = makeScratch("chaos")
        const place = copy(template.path, scratch.path)
        for (let kill = 0; kill < Math.min(left, KILLS_PER_REPOSITORY); kill++) {
          const member = start(crew, place, `p${left}-${kill}`)
          await member.next()
          await Bun.sleep(random() * durationMs * 0.8)
          if (killSome(member, random)) killed += 1
          await member.ended
          await untilQuiet(place.folder)
          await expectTargetGreen(place)
        }
        await finish(crew, place, `last${left}`)
        await expectWhole(place)
      }
      expect(killed).toBeGreaterThanOrEqual(KILLS / 2)
    },
    30_000 + KILLS * 8_000,
  )

  it("while git holds the lock of the branch leaves no lock behind", async () => {
    using scratch = makeScratch("chaos")
    const place = await prepare(scratch.path)
    await using crew = makeCrew()
    const member = start(crew, place, "p1", { holds: "ref" })
    await member.next()
    const { locked } = await member.next<{ locked: number }>()
    // Stopped, or it would see the end of its parent and give the lock back.
    process.kill(locked, "SIGSTOP")
    member.kill()
    await member.ended
    process.kill(locked, "SIGKILL")
    await untilQuiet(place.folder)
    expect(locksIn(place.folder)).toEqual(["refs/heads/teamwork/house/main/integration.lock"])
    const { mended } = await finish(crew, place, "last")
    expect(mended).toEqual([expect.stringContaining("integration.lock, which a killed git process had left")])
    await expectWhole(place)
  }, 60_000)

  it("does not take the lock of a git that is still at work", async () => {
    using scratch = makeScratch("chaos")
    const place = await prepare(scratch.path)
    await using crew = makeCrew()
    const member = start(crew, place, "p1", { holds: "ref" })
    await member.next()
    const { locked } = await member.next<{ locked: number }>()
    process.kill(locked, "SIGSTOP")
    try {
      member.kill()
      await member.ended
      const git = makeGit(place.folder, { capture, env: sandboxEnv(), sleep })
      const impatient = { ids: systemIds, env: sandboxEnv(), sleep: () => sleep(1) }
      expect(await makeMerges(git, impatient).recover()).toEqual([])
      expect(locksIn(place.folder)).toEqual(["refs/heads/teamwork/house/main/integration.lock"])
    } finally {
      process.kill(locked, "SIGKILL")
    }
    await finish(crew, place, "last")
    await expectWhole(place)
  }, 60_000)

  it("while git replaces the files of the checkout brings them back, and nothing of the user's is touched", async () => {
    using scratch = makeScratch("chaos")
    const place = await prepare(scratch.path)
    writeFileSync(join(place.folder, "notes.txt"), "mine\n")
    // Git asks this program for the content of slow.txt, and it does not answer.
    const marker = join(scratch.path, "reached")
    const smudge = `sh -c 'echo > "${marker}"; exec sleep 60'`
    await place.git(["config", "filter.slow.smudge", smudge])
    await using crew = makeCrew()
    const member = start(crew, place, "p1", { holds: "files" })
    await member.next()
    await until(async () => existsSync(marker), "git being in the middle of the files")
    for (const pid of descendantsOf(member.pid, sandboxEnv())) process.kill(pid, "SIGKILL")
    member.kill()
    await member.ended
    await place.git(["config", "filter.slow.smudge", "cat"])
    await untilQuiet(place.folder)
    expect(locksIn(place.folder)).toContain("index.lock")
    expect(await place.git(["rev-parse", "main"])).toBe(place.base)
    const { mended } = await finish(crew, place, "last")
    expect(mended.join("\n")).toContain("whose files a killed git process was replacing")
    await expectWhole(place)
    expect(readFileSync(join(place.folder, "notes.txt"), "utf8")).toBe("mine\n")
  }, 60_000)
})

interface Place {
  readonly folder: string
  readonly store: string
  readonly base: string
  readonly heads: Readonly<Record<string, string>>
  git(args: readonly string[]): Promise<string>
}

/** A team with resolved tasks, a repository with their pinned work, and `main` checked out in it. */
async function prepare(path: string): Promise<Place> {
  const repository = await makeMergeRepository("prepare")
  const { git, commit, set } = repository
  const base = await commit([], {
    shared: "s\n",
    gone: "g\n",
    "slow.txt": "slow\n",
    ".gitattributes": "slow.txt filter=slow\n",
  })
  await git.read(["config", "filter.slow.smudge", "cat"])
  await git.read(["config", "filter.slow.clean", "cat"])
  await set("refs/heads/main", base)
  await git.read(["reset", "--quiet", "--hard", "main"])
  const heads: Record<string, string> = {}
  const store = `sqlite:${join(path, "teamwork.db")}`
  await using opened = await openStore(store)
  await makeTeam(opened)
  for (const [id, files] of Object.entries(WORK)) {
    await run(context(opened), createTask, { id, title: `Task ${id}` })
    await run(context(opened), claimTask, { id, owner: `w${id}` })
    await run(context(opened), updateTask, { id, owner: `w${id}`, status: "resolved" })
    heads[id] = await commit([base], files)
    // Every other one is pinned by whoever merges.
    await set(`refs/heads/teamwork/house/main/w${id}`, heads[id])
    if (Number(id) % 2 === 0) continue
    await set(pinRef(FIRST_RUN, { taskId: id, attempt: 1 }, "base"), base)
    await set(pinRef(FIRST_RUN, { taskId: id, attempt: 1 }, "head"), heads[id])
  }
  cpSync(repository.folder, join(path, "shop"), { recursive: true })
  writeFileSync(join(path, "place.json"), JSON.stringify({ base, heads }))
  repository[Symbol.dispose]()
  return placeAt(path)
}

function copy(from: string, to: string): Place {
  cpSync(from, to, { recursive: true })
  return placeAt(to)
}

function placeAt(path: string): Place {
  const { base, heads } = JSON.parse(readFileSync(join(path, "place.json"), "utf8"))
  const folder = join(path, "shop")
  return {
    ...{ folder, base, heads, store: `sqlite:${join(path, "teamwork.db")}` },
    async git(args) {
      const child = Bun.spawn(["git", ...args], { cwd: folder, env: sandboxEnv(), stdio: ["ignore", "pipe", "pipe"] })
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      if (code !== 0) throw new Error(`git ${args.join(" ")}: ${err}`)
      return out.trimEnd()
    },
  }
}

function start(crew: Crew, { folder, store }: Place, name: string, more: { holds?: "ref" | "files" } = {}): Member {
  return crew.start("merges-and-delivers.ts", { name, store, folder, ...more })
}

async function measure(crew: Crew, template: string): Promise<number> {
  using scratch = makeScratch("chaos")
  const place = copy(template, scratch.path)
  const member = start(crew, place, "measured")
  await member.next()
  const begin = performance.now()
  await member.next()
  const durationMs = performance.now() - begin
  await member.ended
  await expectWhole(place)
  return durationMs
}

/** The process alone, the git processes it started alone, or all of them; whether any had not ended by itself. */
function killSome(member: Member, random: () => number): boolean {
  const choice = random()
  const git = choice < 0.7 ? descendantsOf(member.pid, sandboxEnv()) : []
  const pids = choice < 0.3 && git.length > 0 ? git : [member.pid, ...git]
  const killed = pids.filter((pid) => {
    try {
      return process.kill(pid, "SIGKILL")
    } catch {
      return false
    }
  })
  return killed.length > 0
}

/** A git that lost its parent ends by itself, a moment later. */
async function untilQuiet(folder: string): Promise<void> {
  const isGitHere = (pid: string) => {
    try {
      return (
        readFileSync(`/proc/${pid}/comm`, "utf8") === "git\n" && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
      )
    } catch {
      return false
    }
  }
  const isQuiet = () =>
    !existsSync("/proc") || !readdirSync("/proc").some((name) => /^\d+$/.test(name) && isGitHere(name))
  await until(async () => isQuiet(), "git to end")
}

async function finish(crew: Crew, place: Place, name: string): Promise<{ mended: string[]; after: string }> {
  const member = start(crew, place, name)
  await member.next()
  const report = await member.next<{ mended: string[]; after: string }>()
  expect(await member.ended).toBe(0)
  expect(report).toHaveProperty("mended")
  return report
}

/** I4, whatever was killed: the target is where it was, or where the gate is green. */
async function expectTargetGreen({ git, base }: Place): Promise<void> {
  for (const commit of (await git(["rev-list", `${base}..main`])).split("\n").filter((line) => line !== "")) {
    expect(await git(["ls-tree", "--name-only", commit, "--", "bad"])).toBe("")
  }
  await git(["merge-base", "--is-ancestor", base, "main"])
}

async function expectWhole(place: Place): Promise<void> {
  const { git, folder, heads, base } = place
  await expectTargetGreen(place)
  const merges = await git(["log", "--first-parent", "--format=%s", `${base}..main`])
  expect(
    merges
      .split("\n")
      .map((line) => /^Merge task (\S+):/.exec(line)?.[1])
      .sort(),
  ).toEqual(MERGED)
  const files = ["shared", "src/a", "src/b", "src/c", "slow.txt"].map((path) =>
    readFileSync(join(folder, path), "utf8"),
  )
  expect(files).toEqual(["one\n", "a\n", "b\n", "c\n", "slow and new\n"])
  expect(
    (await git(["status", "--porcelain"])).split("\n").filter((line) => line !== "?? notes.txt" && line !== ""),
  ).toEqual([])
  // I3: every attempt's commits are still there, and reached by a ref.
  for (const head of Object.values(heads))
    expect(await git(["for-each-ref", "--contains", head, "refs/teamwork"])).not.toBe("")
  const lost = (await git(["fsck", "--unreachable", "--no-reflogs", "--no-progress"])).split("\n")
  for (const head of Object.values(heads)) expect(lost).not.toContain(`unreachable commit ${head}`)
  // I8
  expect(locksIn(folder)).toEqual([])
  const notes = join(folder, ".git/teamwork-moves")
  expect(existsSync(notes) ? readdirSync(notes) : []).toEqual([])
  await using store = await openStore(place.store)
  const tasks = await store.read(async (tx) => tx.tasks.list((await tx.teams.find(TEAM))?.key ?? 0))
  expect(
    tasks
      .map((task) => String(task.id))
      .filter((id) => id.startsWith("fix-"))
      .sort(),
  ).toEqual(FIXES)
  const events = await store
    .read(async (tx) => (await tx.teams.find(TEAM))?.key ?? 0)
    .then((key) => allEvents(store, key))
  const told = events.filter((event) => event.type === "task.merged").map((event) => String(event.data.task))
  expect(told.sort()).toEqual(MERGED)
}

function locksIn(folder: string): string[] {
  const names = readdirSync(join(folder, ".git"), { recursive: true }) as string[]
  return names.filter((name) => name.endsWith(".lock"))
}
