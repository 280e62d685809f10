import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Bench, BenchCase } from "../lib/bench-case.ts"
import { show } from "../lib/measure.ts"
import { type Place, timeProcess } from "../lib/program.ts"
import { makeRepository } from "../lib/repository.ts"

const WORKERS = 5
const WATCH_S = 20
const PATIENCE_MS = 120_000
/** What a start still has to do is none of the waiting. */
const SETTLE_MS = 3000

export const idle: BenchCase = {
  name: "idle",
  summary:
    "what an orchestrator and 5 workers cost that have nothing to do but wait, and how much memory a worker holds",
  async run(bench) {
    const program = await bench.binary()
    const idle = await watch(bench, program, IDLE)
    const waiting = await watch(bench, program, WAITING)
    const { megabytes } = idle
    return [
      { what: `an orchestrator and ${WORKERS} workers, one of them with an agent that sleeps`, ...shareOf(idle) },
      { what: "a team that waits for a person's approval", ...shareOf(waiting) },
      {
        what: "memory of a worker",
        value: Math.max(...megabytes),
        unit: "MB",
        limit: { atMost: 100 },
        figures: `${show(Math.min(...megabytes))} to ${show(Math.max(...megabytes))} MB`,
      },
    ]
  },
}

/** What makes a team wait, and by which answer of which command we know that it does. */
interface Wait {
  readonly before: readonly (readonly string[])[]
  readonly ask: readonly string[]
  readonly answers: number
}

/** A task each, all but one over at once: then there is nothing to do until the last one is. */
const IDLE: Wait = { before: [], ask: ["task", "list", "--status", "resolved"], answers: WORKERS - 1 }
/** Nobody says yes to the first of its questions. */
const WAITING: Wait = {
  before: [["project", "create", "--goal", "Wait", "--mode", "SUPERVISED"]],
  ask: ["approvals"],
  answers: 1,
}

interface Spent {
  /** Of the orchestrator, then of each worker. */
  readonly cpu: readonly number[]
  readonly megabytes: readonly number[]
}

async function watch(bench: Bench, program: string, wait: Wait): Promise<Spent> {
  const place = await makeRepository(bench.sandbox)
  const team = await start(bench, program, { place, wait })
  try {
    bench.say(`watching an orchestrator and ${team.workers.length} workers for ${WATCH_S} s`)
    const pids = [team.pid, ...team.workers]
    const before = pids.map(cpuMs)
    await Bun.sleep(WATCH_S * 1000)
    return {
      cpu: pids.map((pid, index) => cpuMs(pid) - (before[index] ?? 0)),
      megabytes: team.workers.map(residentMb),
    }
  } finally {
    team.stop()
    await team.ended
  }
}

function shareOf({ cpu: [lead = 0, ...workers] }: Spent) {
  const others = workers.reduce((sum, each) => sum + each, 0)
  return {
    value: (lead + others) / (WATCH_S * 10),
    unit: "%" as const,
    limit: { atMost: 1.5 },
    figures: `${show(lead)} ms of CPU for the orchestrator, ${show(others)} ms for ${workers.length} workers, in ${WATCH_S} s`,
  }
}

interface Team {
  readonly pid: number
  readonly workers: readonly number[]
  readonly ended: Promise<unknown>
  stop(): void
}

async function start(
  { sandbox }: Bench,
  program: string,
  { place, wait }: { readonly place: Place; readonly wait: Wait },
): Promise<Team> {
  const tasks = Array.from({ length: WORKERS }, (_, index) => ({
    ...{ id: String(index + 1), title: `Task ${index + 1}`, files: [`f${index + 1}`], acceptance: ["it is there"] },
    run: [index === 0 ? "sleep 600" : `echo ${index + 1} > f${index + 1}`],
  }))
  const plan = join(sandbox.folder("plan"), "plan.json")
  writeFileSync(plan, JSON.stringify({ goal: "Wait", tasks }))
  for (const args of [...wait.before, ["plan", plan, "--yes"]]) await timeProcess([program, ...args], place)
  const args = ["run", "--workers", String(WORKERS), "--no-review", "--no-cascade"]
  const child = Bun.spawn([program, ...args], { ...place, stdio: ["ignore", "ignore", "inherit"] })
  const stop = () => {
    child.kill("SIGINT")
    child.kill("SIGINT")
  }
  try {
    await Promise.race([
      untilWaiting(program, place, wait),
      child.exited.then(() => Promise.reject(new Error("it ended"))),
    ])
  } catch (error) {
    stop()
    await child.exited
    throw error
  }
  return { pid: child.pid, workers: workersOf(child.pid), ended: child.exited, stop }
}

async function untilWaiting(program: string, place: Place, { ask, answers }: Wait): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
    const { stdout } = await timeProcess([program, ...ask, "--format", "json"], place)
    if (JSON.parse(stdout).data.length >= answers) return Bun.sleep(SETTLE_MS)
    await Bun.sleep(500)
  }
  throw new Error("the team does not come to wait")
}

/** Its other children, such as a git that reads objects, come and go. */
function workersOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => Number(statOf(pid)[1]) === parent && isWorker(pid))
}

function isWorker(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0worker\0")
  } catch {
    return false // it ended meanwhile
  }
}

function cpuMs(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** From the state on; empty for a process that is gone. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  } catch {
    return []
  }
}

function residentMb(pid: number): number {
  return (Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024) / 1e6
}
