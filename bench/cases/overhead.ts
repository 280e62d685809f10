import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Bench, BenchCase, Finding } from "../lib/bench-case.ts"
import { median, show } from "../lib/measure.ts"
import { type Place, timeProcess } from "../lib/program.ts"
import { makeRepository } from "../lib/repository.ts"
import type { MemoryReport } from "../measure-process.ts"

const WORKERS = 4
const [FEW, MANY] = [75, 150]
const ROUNDS = 5
const MEASURE = [process.execPath, fileURLToPath(import.meta.resolve("../measure-process.ts"))]

/** What each further task costs: the start and the end of a run, and what it compiles and reads once, do not count. */
interface Slope {
  readonly cpuMs: number
  readonly wallMs: number
}

type Side = "shell" | "waves" | "eager"

export const overhead: BenchCase = {
  name: "overhead",
  summary: `what each further task costs beyond ${FEW}, on ${WORKERS} workers, against a shell script that keeps ${WORKERS} worktrees`,
  async run(bench) {
    const program = await bench.binary()
    const sides: Record<Side, (count: number) => Promise<MemoryReport>> = {
      shell: (count) => runShell(bench, count),
      waves: (count) => runTeam(bench, { program, count, schedule: "waves" }),
      eager: (count) => runTeam(bench, { program, count, schedule: "eager" }),
    }
    const slopes: Record<Side, Slope[]> = { shell: [], waves: [], eager: [] }
    const peaks: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      bench.say(`round ${round + 1} of ${ROUNDS}: ${FEW} and ${MANY} tasks in a script, in waves and eagerly`)
      const order = Object.keys(sides) as Side[]
      for (const side of round % 2 === 0 ? order : order.toReversed()) {
        const few = await sides[side](FEW)
        const many = await sides[side](MANY)
        slopes[side].push(slopeOf(few, many))
        if (side !== "shell") peaks.push(many.maxRssBytes / 1e6)
      }
    }
    const figureOf = (side: Side, what: keyof Slope) => median(slopes[side].map((each) => each[what]))
    const row = (side: Side, what: keyof Slope): Finding => ({
      what: `each further task, ${side}, ${what === "cpuMs" ? "CPU" : "wall"}`,
      // Of each round on its own, as what else runs on the machine changes from round to round.
      value: median(slopes[side].map((each, at) => each[what] / (slopes.shell[at]?.[what] ?? Number.NaN))),
      unit: "x",
      limit: { atMost: 1 },
      figures: `${show(figureOf(side, what))} ms against ${show(figureOf("shell", what))} ms`,
    })
    return [
      row("waves", "cpuMs"),
      row("waves", "wallMs"),
      row("eager", "cpuMs"),
      row("eager", "wallMs"),
      {
        what: `memory of the largest process, ${MANY} tasks`,
        value: median(peaks),
        unit: "MB",
        limit: { atMost: 100 },
        figures: `${show(Math.min(...peaks))} to ${show(Math.max(...peaks))} MB, with the pages of the program that all processes share`,
      },
    ]
  },
}

function slopeOf(few: MemoryReport, many: MemoryReport): Slope {
  const each = (what: "cpuMs" | "wallMs") => (many[what] - few[what]) / (MANY - FEW)
  return { cpuMs: each("cpuMs"), wallMs: each("wallMs") }
}

async function measure(command: readonly string[], place: Place): Promise<MemoryReport> {
  return JSON.parse((await timeProcess([...MEASURE, ...command], place)).stdout)
}

interface TeamRun {
  readonly program: string
  readonly count: number
  readonly schedule: "waves" | "eager"
}

/** Each task writes a file of its own; its gate is a command that does nothing. */
async function runTeam({ sandbox }: Bench, { program, count, schedule }: TeamRun): Promise<MemoryReport> {
  const place = await makeRepository(sandbox)
  const tasks = Array.from({ length: count }, (_, index) => {
    const name = String(index + 1)
    return {
      ...{ id: name, title: `Task ${name}`, files: [`f${name}`], acceptance: ["the file is there"] },
      ...{ run: [`echo ${name} > f${name}`], checks: ["true"] },
    }
  })
  const plan = join(sandbox.folder("plan"), "plan.json")
  writeFileSync(plan, JSON.stringify({ goal: "Many files", schedule, tasks }))
  await timeProcess([program, "plan", plan, "--yes"], place)
  const args = ["run", "--workers", String(WORKERS), "--no-review", "--no-cascade"]
  const usage = await measure([program, ...args], place)
  await assertFiles(place, count)
  return usage
}

/**
 * The least that does the same: a clean worktree at what is merged, the work, a commit, the gate and a merge. It checks
 * nothing, keeps nothing for a crash, and writes down nothing. Git looks a branch up twice on a checkout, and what is
 * merged in between would be deleted by the next commit, so it gets the commit.
 */
const LOOP = `set -e
for i in $(seq "$1" ${WORKERS} "$2"); do
  cd "$3/$1"
  read -r base < "$4/.git/refs/heads/main"
  git checkout --quiet -B "t$1" "$base"
  git clean -qfdx
  sh -c "echo $i > f$i"
  git add -A
  git commit --quiet -m "Task $i"
  sh -c true
  cd "$4"
  flock "$3/lock" git merge --quiet --no-ff -m "Merge $i" "t$1"
done`

async function runShell({ sandbox }: Bench, count: number): Promise<MemoryReport> {
  const place = await makeRepository(sandbox)
  const worktrees = sandbox.folder("worktrees")
  const workers = Array.from({ length: WORKERS }, (_, index) => String(index + 1))
  for (const worker of workers)
    await timeProcess(["git", "worktree", "add", "--quiet", "--detach", join(worktrees, worker)], place)
  const loops = workers.map((worker) => `sh -c "$1" sh ${worker} "$2" "$3" "$4" &\npids="$pids $!"`)
  const script = `pids=""\n${loops.join("\n")}\nfor pid in $pids; do wait "$pid" || exit 1; done`
  const usage = await measure(["sh", "-c", script, "sh", LOOP, String(count), worktrees, place.cwd], place)
  await assertFiles(place, count)
  return usage
}

async function assertFiles(place: Place, count: number): Promise<void> {
  const { stdout } = await timeProcess(["git", "ls-tree", "--name-only", "-r", "main"], place)
  const files = stdout.trim().split("\n").length - 1
  if (files !== count) throw new Error(`${files} of ${count} files are on main`)
}
