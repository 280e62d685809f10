// Kills orchestrators and workers of a running team at random, with everything they have started left alone, and starts
// the team again. However often that happens, it comes to the same end as if nothing had happened.
import { describe, expect, it } from "bun:test"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { type Bench, type Data, git, makeBench } from "../e2e/bench.ts"
import { seededRandom } from "../fixtures/participants/seeded-random.ts"
import { until } from "../support/stores.ts"
import { makeRepository, type PlannedTask, processesOf, writePlan } from "../support/team-runs.ts"

/** `npm run soak` asks for more. */
const RUNS = Number(process.env.CHAOS_RUNS ?? 5)
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)
const MAX_KILLS = 10

/** Whatever the order in which they are done and merged, the same files come of it. */
const TASKS: readonly PlannedTask[] = Array.from({ length: 10 }, (_, index) => {
  const id = String(index + 1)
  const needs = index < 4 ? [] : index < 8 ? [String(index - 3)] : [String(index - 3), String(index - 2)]
  return {
    id,
    needs,
    run: [`sleep 0.${index % 4}`, `cat ${["README.md", ...needs.map((need) => `f${need}`)].join(" ")} > f${id}`],
  }
})

// What says nothing of the team: a kill is no fault of a worker or of its task, and nobody wants to wait.
const PATIENT = {
  TEAMWORK_TEAM_RESTART_BACKOFF_SECONDS: "0",
  TEAMWORK_TEAM_MAX_RESTARTS: "100",
  // More than are killed: whoever fails more often than that has another reason, and is replaced.
  TEAMWORK_TEAM_MAX_CONSECUTIVE_ERRORS: "11",
  // A script begins anew after each kill, and its first try is meant to fail.
  TEAMWORK_TEAM_MAX_RUNS_PER_TASK: "11",
}

describe("killing the processes of a team", () => {
  it(
    `${RUNS} times over loses nothing of the example, with its conflict and its failing gate`,
    () => disturb(RUNS, { prepare: prepareExample, tree: null }),
    60_000 + RUNS * 60_000,
  )

  it.each(["waves", "eager"])(
    "on schedule %s changes nothing of what comes out where the order does not matter",
    async (schedule) => {
      const prepare = () => prepareIndependent(schedule)
      await disturb(Math.ceil(RUNS / 2), { prepare, tree: await undisturbed(prepare) })
    },
    60_000 + RUNS * 60_000,
  )
})

interface Scene {
  readonly prepare: () => Promise<Bench>
  /** What must come out; null where that depends on who was first. */
  readonly tree: string | null
}

async function disturb(runs: number, { prepare, tree }: Scene): Promise<void> {
  console.log(`seed ${SEED}: repeat with CHAOS_SEED=${SEED}`)
  const random = seededRandom(SEED)
  let killed = 0
  for (let run = 0; run < runs; run++) {
    using bench = await prepare()
    killed += await runDisturbed(bench, random)
    if (tree !== null) expect(git(bench.cwd, "rev-parse", "main^{tree}")).toBe(tree)
    await expectWhole(bench)
  }
  expect(killed).toBeGreaterThanOrEqual(runs)
}

async function prepareIndependent(schedule: string): Promise<Bench> {
  const bench = makeBench()
  makeRepository(bench.cwd, { Makefile: "test:\n\ttest -e README.md\n" })
  await bench.ok("plan", writePlan(`${bench.home}/plan.json`, TASKS, { schedule }), "--yes")
  return bench
}

const EXAMPLE = join(import.meta.dir, "../../examples/shop")

async function prepareExample(): Promise<Bench> {
  const bench = makeBench()
  cpSync(join(EXAMPLE, "start"), bench.cwd, { recursive: true })
  makeRepository(bench.cwd)
  await bench.ok("plan", join(EXAMPLE, "plan.yml"), "--yes")
  return bench
}

const RUN = ["run", "--workers", "3", "--no-review", "--no-cascade"]

/** The tree that the team comes to when nobody is in its way. */
async function undisturbed(prepare: Scene["prepare"]): Promise<string> {
  using bench = await prepare()
  const { exitCode, stdout, stderr } = await bench.run(RUN)
  if (exitCode !== 0) throw new Error(`the run ended with ${exitCode}: ${stdout}${stderr}`)
  return git(bench.cwd, "rev-parse", "main^{tree}")
}

/** Runs the team, killing some of it, until a run comes to its end. How many were killed. */
async function runDisturbed(bench: Bench, random: () => number): Promise<number> {
  for (let killed = 0; ; ) {
    await using team = bench.start(RUN, PATIENT)
    let code: number | null = null
    const ended = team.exited.then((exitCode) => {
      code = exitCode
    })
    for (;;) {
      await Promise.race([ended, Bun.sleep(150 + random() * 1000)])
      if (code !== null || killed >= MAX_KILLS) break
      const workers = processesOf(bench.home).filter(({ command }) => command.includes(" worker "))
      const worker = random() < 0.4 ? undefined : workers[Math.floor(random() * workers.length)]
      if (kill(worker?.pid ?? team.pid)) killed += 1
      if (worker === undefined) break
    }
    await ended
    if (code === 0) return killed
    if (killed < MAX_KILLS) continue
    const last = await bench.run(RUN, { env: PATIENT })
    if (last.exitCode !== 0) {
      const setbacks = await bench
        .ok<Data[]>("events", "tail", "--type", "task.setback", "--limit", "5")
        .catch((error) => [{ error: String(error) }])
      throw new Error(
        `the last run ended with ${last.exitCode}: ${last.stdout}${last.stderr}${JSON.stringify(setbacks)}`,
      )
    }
    return killed
  }
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL")
  } catch {
    return false // it ended in this very moment
  }
}

async function expectWhole(bench: Bench): Promise<void> {
  const tasks = await bench.ok<Data[]>("task", "list")
  expect(tasks.filter((task) => task.status !== "resolved")).toEqual([])
  const verdicts = await bench.ok<Data[]>("verdict", "list")
  expect(verdicts.findLast((verdict) => verdict.scope === "final")).toMatchObject({ status: "passed" })
  expect(git(bench.cwd, "worktree", "list").split("\n")).toHaveLength(1)
  // Whoever was told to end may still be on the way out.
  await until(async () => processesOf(bench.home).length === 0)
}
