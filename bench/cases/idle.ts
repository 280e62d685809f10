import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Bench, BenchCase } from "../lib/bench-case.ts"
import { show } from "../lib/measure.ts"
import { type Place, timeProcess } from "../lib/program.ts"
import { makeRepository } from "../lib/repository.ts"

const WORKERS = 5
const WATCH_S = 20
const PATIENCE_MS = 120_000

export const idle: BenchCase = {
  name: "idle",
  summary:
    "what an orchestrator and 5 workers cost that have nothing to do but wait, and how much memory a worker holds",
  async run(bench) {
    const program = await bench.binary()
    const place = await makeRepository(bench.sandbox)
    const team = await start(bench, program, place)
    try {
      bench.say(`watching ${team.workers.length} workers for ${WATCH_S} s`)
      const pids = [team.pid, ...team.workers]
      const before = pids.map(cpuMs)
      await Bun.sleep(WATCH_S * 1000)
      const spent = pids.map((pid, index) => cpuMs(pid) - (before[index] ?? 0))
      const total = spent.reduce((sum, each) => sum + each, 0)
      const megabytes = team.workers.map(residentMb)
      return [
        {
          what: `an orchestrator and ${WORKERS} workers, one of them with an agent that sleeps`,
          value: total / (WATCH_S * 10),
          unit: "%",
          limit: { atMost: 1.5 },
          figures: `${show(spent[0] ?? 0)} ms of CPU for the orchestrator, ${show(total - (spent[0] ?? 0))} ms for the workers, in ${WATCH_S} s`,
        },
        {
          what: "memory of a worker",
          value: Math.max(...megabytes),
          unit: "MB",
          limit: { atMost: 100 },
          figures: `${show(Math.min(...megabytes))} to ${show(Math.max(...megabytes))} MB`,
        },
      ]
    } finally {
      team.stop()
      await team.ended
    }
  },
}

interface Team {
  readonly pid: number
  readonly workers: readonly number[]
  readonly ended: Promise<unknown>
  stop(): void
}

/** A task each, all but one over at once: then there is nothing to do until the last one is. */
async function start({ sandbox }: Bench, program: string, place: Place): Promise<Team> {
  const tasks = Array.from({ length: WORKERS }, (_, index) => ({
    ...{ id: String(index + 1), title: `Task ${index + 1}`, files: [`f${index + 1}`], acceptance: ["it is there"] },
    run: [index === 0 ? "sleep 600" : `echo ${index + 1} > f${index + 1}`],
  }))
  const plan = join(sandbox.folder("plan"), "plan.json")
  writeFileSync(plan, JSON.stringify({ goal: "Wait", tasks }))
  await timeProcess([program, "plan", plan, "--yes"], place)
  const args = ["run", "--workers", String(WORKERS), "--no-review", "--no-cascade"]
  const child = Bun.spawn([program, ...args], { ...place, stdio: ["ignore", "ignore", "inherit"] })
  const stop = () => {
    child.kill("SIGINT")
    child.kill("SIGINT")
  }
  try {
    await Promise.race([untilDone(program, place), child.exited.then(() => Promise.reject(new Error("it ended")))])
  } catch (error) {
    stop()
    await child.exited
    throw error
  }
  return { pid: child.pid, workers: childrenOf(child.pid), ended: child.exited, stop }
}

async function untilDone(program: string, place: Place): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
    const { stdout } = await timeProcess([program, "task", "list", "--status", "resolved", "--format", "json"], place)
    const { data } = JSON.parse(stdout)
    if (data.length === WORKERS - 1) return
    await Bun.sleep(500)
  }
  throw new Error("the short tasks are not done")
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => Number(statOf(pid)[1]) === parent)
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
