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

/** One at a time, beside the loop. */
export interface LongActions {
  begin(action: LongAction): void
  /** Nothing is under way. */
  readonly ended: Promise<void>
  /** Call it before reading `facts`. */
  readonly update: MergeMemory["update"]
  facts(): Pick<EngineSnapshot, "busy" | "settled" | "queued" | "elsewhere" | "delivery" | "troubles" | "mergeAfter">
}

interface LongWork {
  readonly now: () => number
  readonly onEnd: () => void
}

const FIRST_WAIT_MS = 1000
/** Before these, foreign commits on the integration branch are set aside: they are not the team's work. */
const JUDGING: readonly LongAction["type"][] = ["verify-wave", "verify-final", "verify-part", "review", "recheck"]

export function makeLongActions(
  ports: OrchestratorPorts,
  options: OrchestratorOptions,
  { now, onEnd }: LongWork,
): LongActions {
  const { gates, merging } = ports
  const name = { project: options.project, team: options.team, run: options.run }
  const own = makeOwnIntegration(ports.context, merging.merges, name)
  const memory = makeMergeMemory(merging.merges, now)
  const troubles = new Map<LongAction["type"], Trouble>()
  let delivery: EngineSnapshot["delivery"] = "none"
  let busy: LongAction["type"] | null = null
  let ended = Promise.resolve()

  async function perform(action: LongAction): Promise<void> {
    const problem = await attempt(action).catch((error) => (error instanceof Error ? error.message : String(error)))
    if (problem === undefined) return void troubles.delete(action.type)
    const times = (troubles.get(action.type)?.times ?? 0) + 1
    const notBefore = now() + FIRST_WAIT_MS * 2 ** (times - 1)
    troubles.set(action.type, { action: action.type, reason: problem, times, notBefore })
    ports.say(`${action.type} did not come to an end: ${problem}`)
  }

  /** Returns why it did not complete. A failed gate is complete. */
  async function attempt(action: LongAction): Promise<string | undefined> {
    if (JUDGING.includes(action.type)) await own.find()
    switch (action.type) {
      case "merge":
        return merge(action.wave)
      case "verify-wave":
        return void (await gates.verifyWave(action.wave))
      case "verify-final":
        return void (await gates.verifyFinal())
      case "review":
        return void (await ports.review())
      case "recheck":
        return void (await gates.recheck(action.tasks))
      case "verify-part":
        return void (await gates.verifyPart())
      case "deliver":
      case "deliver-part":
        delivery = await bringToTarget(ports, name, action.type === "deliver-part")
        return undefined
      default:
        return unreachable(action)
    }
  }

  async function merge(wave: number | null): Promise<string | undefined> {
    const { target, limits } = options
    const begunAt = now()
    const { gate, scope, makeLock } = gates
    const report = await mergeWave(
      ports.context,
      { merges: merging.merges, gate, scope, makeLock },
      {
        ...name,
        wave: wave ?? undefined,
        target,
        // 0 runs: only the other limit counts.
        maxRuns: limits.maxRuns || limits.maxRestarts + 1,
        takesReviewed: true,
        assignsFixes: true,
        mergesHeld: true,
        last: memory.last,
      },
    )
    memory.keep(report, begunAt)
    return whyNotWhole(report)
  }

  return {
    update: memory.update,
    facts() {
      const { settled, queued, elsewhere, mergeAfter } = memory
      return { busy, settled, queued, elsewhere, delivery, troubles: [...troubles.values()], mergeAfter }
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

async function bringToTarget(
  { context, merging, gates, say }: OrchestratorPorts,
  name: Pick<OrchestratorOptions, "project" | "team" | "run">,
  isPartial: boolean,
): Promise<EngineSnapshot["delivery"]> {
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
    // A person's files are in the way. The work is done, and the message has the command.
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
