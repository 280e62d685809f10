import { remedyFor } from "../../agents/heal-agent.ts"
import type { AgentEvent, AgentJob, AgentResult, Reason } from "../../agents/port.ts"
import type { Price } from "../../agents/prices.ts"
import { markRead } from "../../messages/operations/mark-read.ts"
import { noteActivity, noteRunEnded, noteRunStarted } from "../../tasks/operations/note-run.ts"
import { recordObserved } from "../../tasks/operations/observe.ts"
import { agentRunId } from "../swarm/places.ts"
import { admit, MODEL_EVENTS } from "./admit-run.ts"
import { type AgentAssignment, countSent, makePrompt, makeTurnJob, type Turn } from "./agent-job.ts"
import { budgetLeft, whoseBudget } from "./budget-left.ts"
import type { ClaimHandle } from "./claim-handle.ts"
import { diagnoseRun, newTrace, type RunTrace, traceEvent } from "./diagnose-timeout.ts"
import { type EarlierSession, listRuns } from "./earlier-runs.ts"
import { openInbox } from "./inbox.ts"
import { Setback } from "./setback.ts"
import { stopAtBudget, watchChecks, watchSpending } from "./watch-run.ts"

type Same = Pick<Turn, "assigned" | "workspace" | "fix" | "identity"> & { readonly earlier: EarlierSession | undefined }
type Next = Pick<Turn, "number" | "session" | "verdict" | "planning" | "aside">

/** The session is gone or full. */
const NOT_RESUMED: readonly Setback["kind"][] = ["crashed", "protocol", "context-overflow"]

/** The first turn that repairs a merge resumes the session that did the work; if that fails, a normal run follows. */
export async function makeTurns(
  claim: ClaimHandle,
  { earlier, ...same }: Same,
): Promise<(turn: Next) => Promise<AgentResult>> {
  const { ports, team, task } = claim
  const { agent } = same.assigned.ready
  const before = (await listRuns(claim, task)).length
  let resumed = earlier?.agent === agent.name ? earlier : undefined
  let firstRun = resumed?.firstRun
  let taken = 0
  const take = (turn: Next, isMerge = false) => {
    const run = agentRunId(team, task, before + ++taken)
    ports.say(`Task ${task.id}: ${agent.name} runs (${run})${isMerge ? " in the session that did the work" : ""}`)
    firstRun ??= run
    return runTurn(claim, { ...same, ...turn, isMerge, firstRun, run })
  }
  return async (turn) => {
    const going = resumed
    resumed = undefined
    // An agent that planned the fix has a session for it.
    if (going === undefined || turn.planning !== undefined) {
      if (going !== undefined) firstRun = undefined
      return take(turn)
    }
    try {
      return await take({ ...turn, session: going.session }, true)
    } catch (error) {
      if (!(error instanceof Setback && NOT_RESUMED.includes(error.kind))) throw error
      ports.say(`Task ${task.id}: the session that did the work cannot go on (${error.kind}); a new one starts`)
      firstRun = undefined
      return take(turn)
    }
  }
}

const ACTIVITY_MS = 10_000

/** Throws a setback unless the run ends well. */
async function runTurn(claim: ClaimHandle, turn: Turn): Promise<AgentResult> {
  const { ports, team, worker, fence, task, cut } = claim
  const { context, clock } = ports
  const { assigned, run } = turn
  const { ready } = assigned
  const agent = ready.agent.name
  // In these events `run` is the agent's; the team's run is a separate argument.
  const about = { project: team.project, team: team.team, run, task: task.id, worker, agent }
  const prompt = makePrompt(claim, turn)
  const job = await makeTurnJob(claim, turn, prompt.text)
  const known = turn.session === null ? (assigned.prompt?.facts.messages ?? []).map((message) => message.id) : []
  const checks = watchChecks(agent, task.checks)
  const startedAt = clock.now()
  const trace = newTrace(startedAt)
  let heardAt = startedAt
  let notedAt = startedAt
  let isPromptRead = known.length === 0
  const seconds = (since: number) => Math.round((clock.now() - since) / 1000)
  await using inbox = await openInbox(claim, {
    known,
    status: () =>
      `task ${task.id}, ${agent} has been at it for ${seconds(startedAt)} s and was last heard of ${seconds(heardAt)} s ago`,
  })
  const spending = watchSpending(claim, { run, agent, price: priceOf(assigned, job) })
  await using program = await admit(claim, ready)
  const onEvent = async (event: AgentEvent) => {
    await program.see(event)
    traceEvent(trace, event)
    await spending.see(event)
    checks.see(event)
    heardAt = clock.now()
    if (event.type === "message_delivered") await inbox.delivered(event.messageId)
    if (!isPromptRead && MODEL_EVENTS.has(event.type)) {
      isPromptRead = true
      await markRead(context, { ...team, inbox: worker, ids: known })
    }
    if (heardAt - notedAt < ACTIVITY_MS) return
    notedAt = heardAt
    // The next sign of life makes up for a failed one.
    await noteActivity(context, { ...team, worker }).catch(() => undefined)
  }
  const model = job.model ?? ready.models[job.tier].model
  const sent = assigned.prompt === null ? {} : countSent(job, prompt.own)
  await noteRunStarted(context, { ...about, attempt: task.attempt, model, turn: turn.number, ...sent }, team.run)
  const options = { signal: AbortSignal.any([cut, spending.signal]), onEvent, messages: inbox.messages }
  const result = await ports.runAgent({ run, agent: ready.agent, job, options })
  await noteRunEnded(context, { ...about, ...describeEnd(result) }, team.run)
  await program.ended(isOfTheTurn(result, turn) ? { ...result, reason: "cancelled" } : result)
  if (cut.aborted) throw new Setback("interrupted", "the worker was stopped while its agent ran", { agent })
  await recordObserved(context, { ...fence, taskId: task.id, uses: checks.uses() })
  if (result.reason === "done") return result
  const usedUp = spending.usedUp() ?? (result.reason === "budget" ? await findUsedUp(claim, job) : null)
  if (usedUp !== null) throw await stopAtBudget(claim, usedUp, agent)
  throw asSetback(result, agent, { trace, at: clock.now() })
}

function priceOf({ ready }: AgentAssignment, { model, tier }: AgentJob): Price | undefined {
  const known = ready.models[tier]
  return model === null || model === known.model ? (known.price ?? undefined) : undefined
}

async function findUsedUp({ history, options, task, worker }: ClaimHandle, { limits }: AgentJob) {
  const left = budgetLeft(await history.read(), options.settings.budget, { task: task.id, worker })
  return whoseBudget(left, limits)
}

/** A model that only this task names, or a lost session, is no fault of the program. */
function isOfTheTurn({ reason }: AgentResult, { assigned, isMerge }: Turn): boolean {
  if (reason === "unknown-model") return assigned.model !== null
  return isMerge && (reason === "crashed" || reason === "protocol")
}

function describeEnd({ reason, error, session, durationMs, usage }: AgentResult) {
  return {
    reason,
    error: error === "" ? null : error,
    session: session?.id ?? null,
    duration_ms: durationMs,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cached_tokens: usage.cachedTokens,
    dollars: usage.dollars,
    dollars_are_estimated: usage.dollarsAreEstimated === true,
  }
}

/** Ended without progress. The trace shows why, and what to do differently. */
const ENDED: readonly Reason[] = ["timed-out", "turn-limit", "hung", "looping"]

function asSetback(
  { reason, error }: AgentResult,
  agent: string,
  { trace, at }: { readonly trace: RunTrace; readonly at: number },
): Setback {
  // Only we cancel a run, and then the claim is lost. A run cancelled otherwise has crashed.
  const kind = reason === "done" || reason === "cancelled" ? "crashed" : reason
  if (ENDED.includes(reason)) {
    const { cause, seen, advice } = diagnoseRun(trace, { reason, at })
    return new Setback(kind, `${agent} ${error || "took too long"}: ${cause} (${seen})`, { agent, advice })
  }
  const help = remedyFor(agent, kind)
  return new Setback(kind, `${agent}: ${error || reason}${help === undefined ? "" : `; ${help}`}`, { agent })
}
