import { mergeWave, type WaveReport } from "../../delivery/merge-queue/merge-wave.ts"
import { deliver } from "../../delivery/target/deliver.ts"
import { latestLeftOut } from "../../delivery/target/deliver-part.ts"
import { whyNotGreen } from "../../delivery/target/final-verdict.ts"
import { makeOwnIntegration } from "../../delivery/target/own-integration.ts"
import { AppError } from "../../kernel/errors.ts"
import { unreachable } from "../../lib/unreachable.ts"
import { listVerdicts } from "../../quality/operations/record-verdict.ts"
import type { EngineSnapshot, LongAction, Trouble } from "../actions.ts"
import type { OrchestratorOptions, OrchestratorPorts } from "./engine-ports.ts"
import { type MergeMemory, makeMergeMemory } from "./merge-memory.ts"
import { makeWorkElsewhere } from "./work-elsewhere.ts"

type Shown = "busy" | "settled" | "queued" | "elsewhere" | "delivery" | "troubles" | "mergeAfter"

/** The actions that take long: one at a time, beside the loop. */
export interface LongActions extends Pick<EngineSnapshot, Shown> {
  /** Lets attempts be merged again whose worker has named another commit since. */
  readonly heed: MergeMemory["heed"]
  /** Looks whether work that was elsewhere was brought here. */
  lookElsewhere(): Promise<void>
  /** What is under way; resolves when nothing is. */
  readonly ended: Promise<void>
  begin(action: LongAction): void
}

interface LongWork {
  /** By the store's clock, as whatever is decided. */
  readonly now: () => number
  readonly onEnd: () => void
}

const FIRST_WAIT_MS = 1000
/** What others put onto the integration branch is not judged as the team's work. */
const JUDGING: readonly LongAction["type"][] = ["verify-wave", "verify-final", "verify-part", "review", "recheck"]

export function makeLongActions(
  ports: OrchestratorPorts,
  options: OrchestratorOptions,
  { now, onEnd }: LongWork,
): LongActions {
  const elsewhere = makeWorkElsewhere(ports.merging.merges)
  const troubles = new Map<LongAction["type"], Trouble>()
  let delivery: EngineSnapshot["delivery"] = "none"
  let busy: LongAction["type"] | null = null
  let ended = Promise.resolve()
  const name = { project: options.project, team: options.team, run: options.run }
  const own = makeOwnIntegration(ports.context, ports.merging.merges, name)
  const memory = makeMergeMemory(now)

  async function perform(action: LongAction): Promise<void> {
    const problem = await attempt(action).catch((error) => (error instanceof Error ? error.message : String(error)))
    if (problem === undefined) return void troubles.delete(action.type)
    const times = (troubles.get(action.type)?.times ?? 0) + 1
    const notBefore = now() + FIRST_WAIT_MS * 2 ** (times - 1)
    troubles.set(action.type, { action: action.type, reason: problem, times, notBefore })
    ports.say(`${action.type} did not come to an end: ${problem}`)
  }

  /** Undefined when it came to an end, whatever the end was; else why not. */
  async function attempt(action: LongAction): Promise<string | undefined> {
    if (JUDGING.includes(action.type)) await own.find()
    switch (action.type) {
      case "merge":
        return merge(action.wave)
      case "verify-wave":
        await ports.gates.verifyWave(action.wave)
        return undefined
      case "verify-final":
        await ports.gates.verifyFinal()
        return undefined
      case "review":
        await ports.review()
        return undefined
      case "deliver":
        delivery = await bringToTarget(ports, options, false)
        return undefined
      case "recheck":
        await ports.gates.recheck(action.tasks)
        return undefined
      case "verify-part":
        await ports.gates.verifyPart()
        return undefined
      case "deliver-part":
        delivery = await bringToTarget(ports, options, true)
        return undefined
      default:
        return unreachable(action)
    }
  }

  async function merge(wave: number | null): Promise<string | undefined> {
    const { context, merging, gates } = ports
    const begunAt = now()
    const queue = { merges: merging.merges, gate: gates.gate, scope: gates.scope, makeLock: gates.makeLock }
    const asked = { ...name, wave: wave ?? undefined, ...howToMerge(options), last: memory.last }
    const report = await mergeWave(context, queue, asked)
    memory.keep(report, begunAt)
    elsewhere.add(report)
    return whyNotWhole(report)
  }

  return {
    settled: memory.settled,
    heed: memory.heed,
    queued: memory.queued,
    get elsewhere() {
      return elsewhere.known
    },
    lookElsewhere: elsewhere.look,
    get busy() {
      return busy
    },
    get delivery() {
      return delivery
    },
    get troubles() {
      return [...troubles.values()]
    },
    get mergeAfter() {
      return memory.mergeAfter
    },
    get ended() {
      return ended
    },
    begin(action) {
      if (busy !== null) throw new Error(`${action.type} was to begin while ${busy} is under way`)
      busy = action.type
      ended = perform(action).finally(() => {
        busy = null
        onEnd()
      })
    },
  }
}

function howToMerge({ target, limits: { maxRuns, maxRestarts } }: OrchestratorOptions) {
  // 0 runs leaves it to the other limit.
  return { target, maxRuns: maxRuns || maxRestarts + 1, takesReviewed: true, assignsFixes: true, mergesHeld: true }
}

async function bringToTarget(
  { context, merging, gates, say }: OrchestratorPorts,
  { project, team, run }: OrchestratorOptions,
  isPartial: boolean,
): Promise<EngineSnapshot["delivery"]> {
  const name = { project, team, run }
  const verdicts = () => listVerdicts.run(context, name)
  const ports = {
    ...merging,
    isPartial,
    own: makeOwnIntegration(context, merging.merges, name),
    finalGate: isPartial ? gates.partGate : gates.finalGate,
    leftOut: async () => latestLeftOut(await verdicts()),
    whyNotGreen: async (commit: string) => whyNotGreen(merging.merges, await verdicts(), { commit, isPartial }),
  }
  try {
    await deliver(context, ports, name)
    return isPartial ? "part" : "done"
  } catch (error) {
    if (!(error instanceof AppError && error.code === "deliver.refused")) throw error
    // A person's files are in the way. The work is done all the same, and the message has the command.
    say(error.message)
    return "refused"
  }
}

function whyNotWhole({ outcomes, fixes, repairs }: WaveReport): string | undefined {
  for (const { candidate, outcome } of outcomes) {
    if (fixes.some(({ taskId }) => taskId === candidate.taskId)) continue
    if (outcome.kind === "untested" || (outcome.kind === "waiting" && repairs.length === 0)) {
      return `task ${candidate.taskId} is not merged: ${outcome.reason}`
    }
  }
  return undefined
}
