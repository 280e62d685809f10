// Whoever works on worktrees is killed at random, alone or with the git under it. No commit is lost, and after one look
// of the next one there is neither a stale worktree nor a lock.
import { expect, it } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { descendantsOf, killAll } from "../../src/lib/process/process-tree.ts"
import { processesIn } from "../../src/lib/process/processes-in.ts"
import { seededRandom } from "../fixtures/participants/seeded-random.ts"
import { type Repository, unreachableCommits } from "../support/repository.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { until } from "../support/stores.ts"
import { setUpWorkspaces } from "../support/workspaces.ts"
import { makeCrew } from "./crew.ts"

const TIMEOUT_MS = 600_000
const KILLS = Number(process.env.CHAOS_KILLS ?? 20)
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)
/** A life is a few rounds of making, moving and removing. */
const KILL_WITHIN_MS = 2500
const FILES = 300
const worker = "w1"

it(
  `kill -9, ${KILLS} times, loses no commit and leaves nothing behind (seed ${SEED})`,
  async () => {
    const files = Object.fromEntries(Array.from({ length: FILES }, (_, index) => [`f${index}.txt`, `${index}\n`]))
    using world = await setUpWorkspaces({ files })
    await using crew = makeCrew()
    const { repository, home } = world
    repository.run("branch", "other")
    repository.commit("More", { "f1.txt": "changed\n", "more.txt": "more\n" })
    const log = join(home, "commits")
    writeFileSync(log, "")
    const random = seededRandom(SEED)
    for (let kill = 1; kill <= KILLS; kill++) {
      const member = crew.start("moves-worktrees.ts", {
        ...{ name: `mover ${kill}`, store: "", repository: repository.path },
        ...{ home, seed: kill, log },
      })
      expect(await member.next<string>()).toBe("ready")
      await Promise.race([Bun.sleep(random() * KILL_WITHIN_MS), member.ended])
      if (!member.isAlive()) await member.next() // throws what it complained of
      const below = random() < 0.5 ? descendantsOf(member.pid, sandboxEnv()) : []
      member.kill()
      killAll(member.pid, below, "SIGKILL")
      await member.ended
      // The next one may start at once, while a git of the last is still at work, or after a look that mends all.
      if (random() < 0.4) continue
      await untilGitIsDone(repository.path, home)
      await world.workspaces.examine(true)
      expectInOrder(repository, await world.workspaces.examine(false))
      // What is not pinned yet is in the repository of the worker.
      const own = existsSync(world.workspaces.pathOf(worker)) ? [world.tree(worker)] : []
      const reached = new Set(
        [repository, ...own].flatMap((each) => each.run("rev-list", "--all", "--reflog").split("\n")),
      )
      expect(said(log).filter((commit) => !reached.has(commit))).toEqual([])
    }
    expect(said(log).length).toBeGreaterThan(KILLS / 5)
    await untilGitIsDone(repository.path, home)
    await world.workspaces.examine(true)
    await world.workspaces.remove({ worker })
    const kept = new Set(repository.run("rev-list", "--all").split("\n"))
    expect(said(log).filter((commit) => !kept.has(commit))).toEqual([])
    expect(repository.run("worktree", "list", "--porcelain").split("\n\n")).toHaveLength(1)
    expect(repository.run("status", "--porcelain")).toBe("")
    // Commits that git made and nobody heard of, because it was killed in between, may be there; ours are all kept.
    expect(unreachableCommits(repository).filter((commit) => said(log).includes(commit))).toEqual([])
  },
  TIMEOUT_MS,
)

/** Killing a process does not end the git that it started. */
async function untilGitIsDone(...places: string[]): Promise<void> {
  await until(async () => (processesIn(places, /^git/) ?? []).length === 0, "the git of a killed one to end")
}

function said(log: string): string[] {
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line !== "")
}

function expectInOrder(repository: Repository, left: unknown): void {
  const locks = [...new Bun.Glob("**/*.lock").scanSync({ cwd: join(repository.path, ".git"), dot: true })]
  expect({ left, locks }).toEqual({ left: [], locks: [] })
  expect(repository.run("worktree", "prune", "--dry-run", "--verbose")).toBe("")
  for (const line of repository.run("worktree", "list", "--porcelain").split("\n")) {
    if (!line.startsWith("worktree ")) continue
    const path = line.slice("worktree ".length)
    expect(existsSync(path)).toBe(true)
    expect(repository.at(path).run("rev-parse", "--verify", "HEAD")).toMatch(/^[0-9a-f]{40}$/)
  }
}
