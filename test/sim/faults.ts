// Which faults happen, and at which call: chosen by the seed before the run begins, and only so many of them.
import { AppError } from "../../src/kernel/errors.ts"
import { AGENT_FAULTS, type AgentFault } from "./agents.ts"
import type { Random } from "./random.ts"
import type { CallFault, SimProcess } from "./world.ts"

export interface Faults {
  atCall(process: SimProcess, label: string): CallFault | undefined
  ofAgent(): AgentFault | undefined
  isGateFlaky(): boolean
  /** What happened, for whoever looks into a run. */
  readonly told: readonly string[]
}

/** What happens to everybody, not to the process whose turn it is. */
export interface Accidents {
  jumpClock(ms: number): void
  /** Ends any process, whatever it is at. */
  kill(): void
  /** Somebody presses Ctrl+C, once or twice. */
  interrupt(): void
  /** Somebody pauses the team for a while. */
  pause(): void
  /** Somebody starts a second orchestrator. */
  startAnother(): void
  /** A person commits on the branch that is to get the work. */
  commitOnTarget(): void
  /** Somebody moves the integration branch past teamwork. */
  moveIntegration(): void
  /** A person writes to a worker. */
  write(): void
}

const KINDS = [
  ...(["die-before", "die-before", "die-after", "die-after", "hang", "hang-long", "error", "silence"] as const),
  ...([
    "kill",
    "kill",
    "clock-forward",
    "clock-back",
    "interrupt",
    "another",
    "message",
    "target",
    "pause",
    "foreign",
  ] as const),
] as const

/** A run of a plan asks for so many calls, more or less. */
const CALLS = 1600
const MAX_FAULTS = 14

export function makeFaults(random: Random, accidents: Accidents): Faults {
  const told: string[] = []
  const planned = new Map<number, (typeof KINDS)[number]>()
  const count = random.int(0, MAX_FAULTS)
  for (let index = 0; index < count; index++) planned.set(random.int(0, CALLS), random.pick(KINDS))
  const due: (typeof KINDS)[number][] = []
  let calls = 0
  let agents = random.int(0, 5)
  let flaky = random.int(0, 2)
  const silent = new Map<SimProcess, number>()
  const busy = () => new AppError("store.busy", "the store is locked by another process; try again")

  function atCall(process: SimProcess, label: string): CallFault | undefined {
    const next = planned.get(calls++)
    if (next !== undefined) due.push(next)
    // Most calls only read; what goes wrong at one of the others tells more.
    const kind = label === "store.read" && random.chance(0.7) ? undefined : due.shift()
    const isStore = label.startsWith("store.")
    const left = silent.get(process) ?? 0
    if (kind === undefined && left > 0 && label === "store.write") {
      silent.set(process, left - 1)
      return { error: busy() }
    }
    if (kind === undefined) return undefined
    told.push(`call ${calls - 1}: ${kind} at ${label} of ${process.name}`)
    switch (kind) {
      case "die-before":
      case "die-after":
        return kind
      case "hang":
        return { hangMs: random.int(1000, 60_000) }
      case "hang-long":
        return { hangMs: random.int(60_000, 3_600_000) }
      case "error":
        return isStore ? { error: busy() } : undefined
      case "silence":
        silent.set(process, random.int(2, 12))
        return undefined
      case "kill":
        accidents.kill()
        return undefined
      case "clock-forward":
        accidents.jumpClock(random.pick([1000, 60_000, 600_000, 7_200_000]))
        return undefined
      case "clock-back":
        accidents.jumpClock(-random.pick([1000, 30_000, 300_000]))
        return undefined
      case "interrupt":
        accidents.interrupt()
        return undefined
      case "another":
        accidents.startAnother()
        return undefined
      case "pause":
        accidents.pause()
        return undefined
      case "target":
        accidents.commitOnTarget()
        return undefined
      case "foreign":
        accidents.moveIntegration()
        return undefined
      case "message":
        accidents.write()
        return undefined
      default:
        throw new Error(kind satisfies never)
    }
  }

  return {
    atCall,
    told,
    ofAgent() {
      if (agents === 0 || !random.chance(0.35)) return undefined
      agents--
      const fault = random.pick(AGENT_FAULTS)
      told.push(`an agent: ${fault}`)
      return fault
    },
    isGateFlaky() {
      if (flaky === 0 || !random.chance(0.2)) return false
      flaky--
      told.push("a command fails by chance")
      return true
    },
  }
}
