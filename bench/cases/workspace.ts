import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeGit } from "../../src/git/git.ts"
import type { Workspaces } from "../../src/git/port.ts"
import { makeWorkspaces } from "../../src/git/workspaces/make-workspaces.ts"
import { openWorkspaceContext } from "../../src/git/workspaces/workspace-context.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { capture } from "../../src/lib/process/capture.ts"
import { systemProcesses } from "../../src/lib/process/process.ts"
import { sleep } from "../../src/lib/sleep.ts"
import type { Bench, BenchCase, Finding } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"

const ROUNDS = { 1000: 15, 10000: 5 } as const
/** What the next task's base differs by. */
const CHANGED = 20

export const workspace: BenchCase = {
  name: "workspace",
  summary:
    "a worktree made, proven, pinned and removed, against plain git worktree add and remove; moved against made anew",
  async run(bench) {
    return [...(await compare(bench, 1000)), ...(await compare(bench, 10_000))]
  },
}

async function compare({ sandbox, say }: Bench, files: 1000 | 10_000): Promise<Finding[]> {
  const env = sandbox.env()
  const git = gitOf(seedRepository(sandbox.folder("repository"), files, env), env)
  const plain = join(sandbox.folder("plain"), "w1")
  const workspaces = await openWorkspaces(git.folder, sandbox.folder("home"), env)
  say(`${ROUNDS[files]} rounds, ${files} files`)
  const times = await takeTurns(
    {
      plain: () =>
        timed(async () => {
          await git.run("worktree", "add", "--quiet", "-B", "plain", plain)
          await git.run("worktree", "remove", plain)
        }),
      ours: () =>
        timed(async () => {
          await workspaces.create({ worker: "w1" })
          await workspaces.remove({ worker: "w1" })
        }),
    },
    ROUNDS[files],
  )
  const [ours, theirs] = [median(times.ours), median(times.plain)]
  const count = files.toLocaleString("en-US")
  const figures = `${show(ours)} ms against ${show(theirs)} ms`
  const limit = { atMost: 1.15 }
  const fresh: Finding = { what: `${count} files, made and removed`, value: ours / theirs, unit: "x", limit, figures }
  return [fresh, await compareMoves(workspaces, git, files)]
}

/** A worktree goes back and forth between two bases, against one that is removed and made anew at each. */
async function compareMoves(workspaces: Workspaces, git: PlainGit, files: 1000 | 10_000): Promise<Finding> {
  for (let index = 0; index < CHANGED; index++) writeFileSync(join(git.folder, `d${index}`, "changed.txt"), `${index}`)
  await git.run("add", "--all")
  await git.run("commit", "--quiet", "-m", "Next")
  const bases = ["HEAD~1", "HEAD"]
  let turn = 0
  const next = () => bases[turn++ % 2]
  await workspaces.create({ worker: "moved", base: next() })
  const times = await takeTurns(
    {
      moved: () => timed(() => workspaces.move({ worker: "moved", base: next() })),
      anew: () =>
        timed(async () => {
          await workspaces.remove({ worker: "w1" })
          await workspaces.create({ worker: "w1", base: "HEAD" })
        }),
    },
    ROUNDS[files],
  )
  const [moved, anew] = [median(times.moved), median(times.anew)]
  return {
    what: `${files.toLocaleString("en-US")} files, moved to a base that differs by ${CHANGED}`,
    value: moved / anew,
    unit: "x",
    limit: { atMost: 0.8 },
    figures: `${show(moved)} ms against ${show(anew)} ms made anew`,
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

interface PlainGit {
  readonly folder: string
  run(...args: string[]): Promise<void>
}

function gitOf(folder: string, env: Record<string, string>): PlainGit {
  return {
    folder,
    async run(...args) {
      const child = Bun.spawn(["git", ...args], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] })
      const [stderr, exitCode] = await Promise.all([child.stderr.text(), child.exited])
      if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
    },
  }
}

const FOLDERS = 100

function seedRepository(folder: string, files: number, env: Record<string, string>): string {
  for (let index = 0; index < FOLDERS; index++) mkdirSync(join(folder, `d${index}`))
  for (let index = 0; index < files; index++)
    writeFileSync(join(folder, `d${index % FOLDERS}/f${index}.txt`), `file ${index}\n`.repeat(20))
  const steps = [
    ["init", "--quiet", "--initial-branch=main"],
    ["config", "user.name", "Bench"],
    ["config", "user.email", "bench@example.com"],
    ["add", "--all"],
    ["commit", "--quiet", "-m", "Start"],
  ]
  for (const step of steps) {
    const { success, stderr } = Bun.spawnSync(["git", ...step], { cwd: folder, env })
    if (!success) throw new Error(`git ${step.join(" ")}: ${stderr}`)
  }
  return folder
}

async function openWorkspaces(folder: string, home: string, env: Record<string, string>): Promise<Workspaces> {
  const context = await openWorkspaceContext({
    ...{ processes: systemProcesses, clock: systemClock, sleep, env, home },
    source: makeGit(folder, { capture, env, sleep }),
    team: { project: "bench", team: "main", run: 1 },
    settings: { setup: "", setupTimeoutSeconds: 1, copy: [], keep: [], remotes: [] },
  })
  return makeWorkspaces(context)
}
