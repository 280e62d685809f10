import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Bench, BenchCase, Finding } from "../lib/bench-case.ts"
import { median, show } from "../lib/measure.ts"
import { timeProcess } from "../lib/program.ts"
import { makeRepository } from "../lib/repository.ts"

const WORKERS = 4
const ROUNDS = 3
const SIX = ["a", "b", "c", "d", "e", "f"]
/** How long the agent of a task works, in seconds. */
const WORK = 0.3

export const collisions: BenchCase = {
  name: "collisions",
  summary: "six tasks that edit the same line beside six that do not, on 4 workers: repairs, and what the others wait",
  async run(bench) {
    const program = await bench.binary()
    const findings: Finding[] = []
    for (const schedule of ["eager", "waves"] as const) {
      bench.say(`six tasks that edit one line, ${schedule}, ${ROUNDS} times`)
      const runs: Outcome[] = []
      const apart: Outcome[] = []
      for (let round = 0; round < ROUNDS; round++) {
        runs.push(await runTeam(bench, program, { schedule, isColliding: true }))
        apart.push(await runTeam(bench, program, { schedule, isColliding: false }))
      }
      const most = (amount: (run: Outcome) => number) => Math.max(...runs.map(amount))
      const [wall, free] = [runs, apart].map((all) => median(all.map((each) => each.wallMs)))
      const [own, alone] = [runs, apart].map((all) => median(all.map((each) => each.othersMs)))
      findings.push(
        {
          ...{ what: `repairs, ${schedule}`, value: most(({ repairs }) => repairs), unit: "runs" },
          limit: { atMost: SIX.length - 1 },
          figures: `the most of ${ROUNDS} runs; wall ${show(wall ?? 0)} ms, without collisions ${show(free ?? 0)} ms`,
        },
        {
          ...{ what: `repaired twice, ${schedule}`, value: most(({ repeated }) => repeated), unit: "runs" },
          limit: { atMost: 0 },
        },
        {
          ...{ what: `the others, ${schedule}`, value: (own ?? 0) / (alone ?? 1), unit: "x", limit: { atMost: 1.3 } },
          figures: `${show(own ?? 0)} ms until the last has run, against ${show(alone ?? 0)} ms where nothing collides`,
        },
      )
    }
    return findings
  },
}

interface Outcome {
  readonly wallMs: number
  readonly repairs: number
  readonly repeated: number
  /** From the first start of an agent to the last start of one for a task that collides with nothing. */
  readonly othersMs: number
}

interface Told {
  readonly timestamp: string
  readonly data: { readonly task: string }
}

const KEEP_BOTH = `git merge --quiet "$TEAMWORK_FIX_HEAD" || {
  git show :2:line > .ours; git show :3:line > .theirs; paste -d+ .ours .theirs > line; rm .ours .theirs
  git add line; git commit --quiet --no-edit; }`

async function runTeam(
  { sandbox }: Bench,
  program: string,
  { schedule, isColliding }: { readonly schedule: string; readonly isColliding: boolean },
): Promise<Outcome> {
  const place = await makeRepository(sandbox)
  writeFileSync(join(place.cwd, "line"), "start\n")
  await timeProcess(["git", "add", "line"], place)
  await timeProcess(["git", "commit", "--quiet", "-m", "line"], place)
  const task = (id: string, more: object) => ({ id, title: `Task ${id}`, acceptance: ["it is there"], ...more })
  const alone = (id: string) => task(id, { files: [`f${id}`], run: [`sleep ${WORK}`, `echo ${id} > f${id}`] })
  const shared = (id: string) =>
    task(id, { files: [], run: [`sleep ${WORK}`, `sed -i 's/$/+${id}/' line`], repair: [`sleep ${WORK}`, KEEP_BOTH] })
  const tasks = [...SIX.map(isColliding ? shared : alone), ...SIX.map((id) => alone(`own-${id}`))]
  const plan = join(sandbox.folder("plan"), "plan.json")
  writeFileSync(plan, JSON.stringify({ goal: "One line", schedule, tasks }))
  const command = [program, "run", plan, "--workers", String(WORKERS), "--no-review", "--no-cascade"]
  const { ms } = await timeProcess(command, place)
  const { stdout: line } = await timeProcess(["git", "show", "main:line"], place)
  const missing = SIX.filter((id) => isColliding && !line.trim().split("+").includes(id))
  if (missing.length > 0) throw new Error(`the work of ${missing.join(", ")} is not on main`)
  const asked = [program, "events", "tail", "--type", "run.started", "--limit", "1000", "--json"]
  const { data } = JSON.parse((await timeProcess(asked, place)).stdout) as { data: { events: readonly Told[] } }
  const repairs = data.events.map((event) => event.data.task).filter((id) => id.startsWith("fix-"))
  const times = data.events.map(({ timestamp }) => Date.parse(timestamp))
  const last = data.events.findLastIndex((event) => event.data.task.startsWith("own-"))
  return {
    ...{ wallMs: ms, repairs: repairs.length, repeated: repairs.length - new Set(repairs).size },
    othersMs: (times[last] ?? 0) - Math.min(...times),
  }
}
