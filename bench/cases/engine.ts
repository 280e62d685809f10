import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Bench, BenchCase, Finding } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import { type Place, timeProcess } from "../lib/program.ts"
import { makeRepository } from "../lib/repository.ts"

const WORKERS = 4
const TASKS = 200
const MANY = 2000
/** The loops get in each other's way more in some rounds than in others. */
const ROUNDS = 7

export const engine: BenchCase = {
  name: "engine",
  summary: "200 tasks that do nothing much on 4 workers, against 4 shell loops doing the same with git; 2,000 tasks",
  async run(bench) {
    const program = await bench.binary()
    bench.say(`${TASKS} tasks on ${WORKERS} workers and in ${WORKERS} shell loops, ${ROUNDS} times each`)
    const cost: Record<"ours" | "theirs", Cost[]> = { ours: [], theirs: [] }
    await takeTurns(
      {
        ours: async () => note(cost.ours, await runTeam(bench, program, TASKS)),
        theirs: async () => note(cost.theirs, await runLoops(bench, TASKS)),
      },
      ROUNDS,
    )
    bench.say(`${MANY} tasks on ${WORKERS} workers`)
    const many = await runTeam(bench, program, MANY)
    const of = (costs: readonly Cost[], what: keyof Cost) => median(costs.map((each) => each[what]))
    const ratio = (what: keyof Cost): Finding => ({
      what: `${TASKS} tasks, ${what === "cpuMs" ? "CPU" : "wall"}`,
      value: of(cost.ours, what) / of(cost.theirs, what),
      unit: "x",
      limit: { atMost: 1.5 },
      figures: `${show(of(cost.ours, what) / TASKS)} ms against ${show(of(cost.theirs, what) / TASKS)} ms for each task`,
    })
    const [each, eachOfMany] = [of(cost.ours, "cpuMs") / TASKS, many.cpuMs / MANY]
    return [
      ratio("cpuMs"),
      ratio("wallMs"),
      {
        what: `${MANY} tasks, CPU for each`,
        value: eachOfMany / each,
        unit: "x",
        limit: { atMost: 1.3 },
        figures: `${show(eachOfMany)} ms against ${show(each)} ms`,
      },
    ]
  },
}

interface Cost {
  readonly cpuMs: number
  readonly wallMs: number
}

function note(costs: Cost[], cost: Cost): number {
  costs.push(cost)
  return cost.wallMs
}

/** Plan, run, deliver: from nothing but a repository to a target branch that has all of it. */
async function runTeam({ sandbox }: Bench, program: string, count: number): Promise<Cost> {
  const place = await makeRepository(sandbox)
  const tasks = Array.from({ length: count }, (_, index) => ({
    ...{
      id: String(index + 1),
      title: `Task ${index + 1}`,
      files: [`f${index + 1}`],
      acceptance: ["the file is there"],
    },
    run: [`echo ${index + 1} > f${index + 1}`],
  }))
  const plan = join(sandbox.folder("plan"), "plan.json")
  writeFileSync(plan, JSON.stringify({ goal: "Many files", tasks }))
  await timeProcess([program, "plan", plan, "--yes"], place)
  const cost = await measure(() =>
    timeProcess([program, "run", "--workers", String(WORKERS), "--no-review", "--no-cascade"], place),
  )
  await assertFiles(place, count)
  return cost
}

/**
 * What one would write by hand: a worktree, the work, a commit and a merge for each, and no look at any of it. Git trips
 * over worktrees that another git is just removing, and then has to be asked again.
 */
const LOOP = `set -e
for i in $(seq "$1" ${WORKERS} "$2"); do
  until git worktree add --quiet -B "t$i" "$3/$i" main 2> "$3/why"; do :; done
  (cd "$3/$i" && sh -c "echo $i > f$i" && git add -A && git commit --quiet -m "Task $i")
  flock "$3/lock" git merge --quiet --no-ff -m "Merge $i" "t$i"
  git worktree remove "$3/$i" 2> "$3/why" || rm -rf "$3/$i"
done`

async function runLoops({ sandbox }: Bench, count: number): Promise<Cost> {
  const place = await makeRepository(sandbox)
  const worktrees = sandbox.folder("worktrees")
  const cost = await measure(() =>
    Promise.all(
      Array.from({ length: WORKERS }, (_, index) =>
        timeProcess(["sh", "-c", LOOP, "sh", String(index + 1), String(count), worktrees], place),
      ),
    ),
  )
  await assertFiles(place, count)
  return cost
}

async function assertFiles(place: Place, count: number): Promise<void> {
  const { stdout } = await timeProcess(["git", "ls-tree", "--name-only", "-r", "main"], place)
  const files = stdout.trim().split("\n").length - 1
  if (files !== count) throw new Error(`${files} of ${count} files are on main`)
}

/** CPU of the whole machine, since worker processes are nobody's children: nothing else may run meanwhile. */
async function measure(work: () => Promise<unknown>): Promise<Cost> {
  const [cpu, wall] = [machineCpuMs(), performance.now()]
  await work()
  return { cpuMs: machineCpuMs() - cpu, wallMs: performance.now() - wall }
}

function machineCpuMs(): number {
  const [, ...fields] = (readFileSync("/proc/stat", "utf8").split("\n", 1)[0] ?? "").split(/\s+/)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = fields.map(Number)
  return (user + nice + system + irq + softirq) * 10
}
