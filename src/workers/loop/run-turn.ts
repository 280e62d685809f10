import { join } from "node:path"
import { remedyFor } from "../../agents/heal-agent.ts"
import { runFolder } from "../../agents/jobs/record-run.ts"
import { makeAgentJob, NO_LIMITS } from "../../agents/make-agent-job.ts"
import type { AgentEvent, AgentJob, AgentResult, Reason, Session } from "../../agents/port.ts"
import type { Price } from "../../agents/prices.ts"
import type { Aside, Workspace } from "../../git/port.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { markRead } from "../../messages/operations/mark-read.ts"
import { ownershipFacts } from "../../ownership/operations/ownership-facts.ts"
import type { FittedText } from "../../prompts/views/fit-sections.ts"
import { mergePrompt } from "../../prompts/views/merge-prompt.ts"
import { repairPrompt } from "../../prompts/views/repair-prompt.ts"
import type { Verdict } from "../../quality/verdict.ts"
import { CLOSING_SCHEMA } from "../../tasks/closing-block.ts"
import { noteActivity, noteRunEnded, noteRunStarted } from "../../tasks/operations/note-run.ts"
import { recordObserved } from "../../tasks/operations/observe.ts"
import type { Task } from "../../tasks/task.ts"
import { admit } from "./admit-run.ts"
import { budgetLeft, whoseBudget } from "./budget-left.ts"
import type { Doer } from "./choose-doer.ts"
import { diagnoseRun, newTrace, type RunTrace, traceEvent } from "./diagnose-timeout.ts"
import type { Hold } from "./hold-claim.ts"
import { openInbox } from "./inbox.ts"
import { pathTo, reachVariables, serversFor } from "./reach-team.ts"
import { commandsOf, type FixFacts, taskVariables } from "./script-variables.ts"
import { Setback } from "./setback.ts"
import type { Shift } from "./shift.ts"
import { stopAtBudget } from "./stop-at-budget.ts"
import { watchChecks } from "./watch-checks.ts"
import { watchSpending } from "./watch-spending.ts"
import { wordsSent } from "./words-sent.ts"

export interface Turn {
  readonly doer: Doer
  readonly workspace: Workspace
  /** 1 does the task, later ones repair it. */
  readonly number: number
  readonly fix: FixFacts | undefined
  readonly identity: Readonly<Record<string, string>>
  /** Of the first run of this hold; what an agent keeps to go on lies with it. */
  readonly firstRun: string
  readonly run: string
  /** What the turn before left, and why it was not enough. */
  readonly session: Session | null
  readonly verdict: Verdict | null
  /** It mends a merge in the session of the agent that did the work. */
  readonly isMerge: boolean
  /** What of it was not the task's to change, and so is not part of the work. */
  readonly aside?: Aside | null
  /** Asked before the task is begun: it reads and answers. Of a planned task that is begun: what was approved. */
  readonly planning?: { readonly prompt: string; readonly isOver: boolean }
}

const ACTIVITY_MS = 10_000
const MODEL_AT_WORK: ReadonlySet<AgentEvent["type"]> = new Set(["text", "reasoning", "tool_use"])

/** One run of the agent. Anything but its own good end is a setback. */
export async function runTurn(shift: Shift, hold: Hold, turn: Turn): Promise<AgentResult> {
  const { ports, team, worker } = shift
  const { context, clock } = ports
  const { doer, run } = turn
  const agent = doer.ready.agent.name
  const told = { project: team.project, team: team.team, run, task: hold.task.id, worker, agent }
  const prompt = promptOf(shift, hold.task, turn)
  const job = await makeJob(shift, hold, { ...turn, text: prompt.text })
  const known = turn.session === null ? (doer.prompt?.facts.messages ?? []).map((message) => message.id) : []
  const checks = watchChecks(agent, hold.task.checks)
  const startedAt = clock.now()
  const trace = newTrace(startedAt)
  let heardAt = startedAt
  // That the run begins is a sign of life by itself.
  let notedAt = startedAt
  let isPromptRead = known.length === 0
  const seconds = (since: number) => Math.round((clock.now() - since) / 1000)
  await using inbox = await openInbox(shift, {
    known,
    status: () =>
      `task ${hold.task.id}, ${agent} has been at it for ${seconds(startedAt)} s and was last heard of ${seconds(heardAt)} s ago`,
  })
  const spending = watchSpending(shift, hold, { run, agent, price: priceOf(doer, job) })
  const onEvent = async (event: AgentEvent) => {
    traceEvent(trace, event)
    await spending.see(event)
    checks.see(event)
    heardAt = clock.now()
    if (event.type === "message_delivered") await inbox.delivered(event.messageId)
    if (!isPromptRead && MODEL_AT_WORK.has(event.type)) {
      isPromptRead = true
      await markRead(context, { ...team, inbox: worker, ids: known })
    }
    if (heardAt - notedAt < ACTIVITY_MS) return
    notedAt = heardAt
    // A sign of life that is not heard is made up for by the next one.
    await noteActivity(context, { ...team, worker }).catch(() => undefined)
  }
  await using program = await admit(shift, hold, doer.ready)
  const model = job.model ?? doer.ready.models[job.tier].model
  const words = doer.prompt === null ? {} : wordsSent(job, prompt.own)
  const begun = { ...told, attempt: hold.task.attempt, model, turn: turn.number, ...words }
  await noteRunStarted(context, begun, team.run)
  const signal = AbortSignal.any([hold.cut, spending.signal])
  const options = {
    signal,
    onEvent: async (event: AgentEvent) => {
      await program.see(event)
      await onEvent(event)
    },
    messages: inbox.messages,
  }
  const result = await ports.runAgent({ run, agent: doer.ready.agent, job, options })
  await tellEnd(shift, told, result)
  await program.ended(isOfTheTurn(result, turn) ? { ...result, reason: "cancelled" } : result)
  if (hold.cut.aborted) throw new Setback("interrupted", "the worker was stopped while its agent ran", { agent })
  const claim = { ...team, taskId: hold.task.id, owner: worker, token: hold.token }
  await recordObserved(context, { ...claim, uses: checks.uses() })
  if (result.reason === "done") return result
  const overspent = spending.usedUp()
  if (overspent !== null) throw await stopAtBudget(shift, hold, { usedUp: overspent, agent })
  if (result.reason === "budget") {
    const spender = { task: hold.task.id, worker }
    const usedUp = whoseBudget(
      budgetLeft(await shift.history.read(), shift.options.settings.budget, spender),
      job.limits,
    )
    if (usedUp !== null) throw await stopAtBudget(shift, hold, { usedUp, agent })
  }
  throw asSetback(result, agent, { trace, at: clock.now() })
}

function priceOf({ ready }: Doer, { model, tier }: AgentJob): Price | undefined {
  const known = ready.models[tier]
  return model === null || model === known.model ? (known.price ?? undefined) : undefined
}

/** A model that only this task names, or a session that is gone, says nothing of the program. */
function isOfTheTurn({ reason }: AgentResult, { doer, isMerge }: Turn): boolean {
  if (reason === "unknown-model") return doer.model !== null
  return isMerge && (reason === "crashed" || reason === "protocol")
}

async function makeJob(shift: Shift, hold: Hold, turn: Turn & { readonly text: string }): Promise<AgentJob> {
  const { ports, options, team, worker, history } = shift
  const { settings, home, reach } = options
  const { task, token } = hold
  const { doer, workspace } = turn
  const owner = { owner: worker, token }
  const { ownership } = await ownershipFacts.run(ports.context, { ...team, task: task.id, ...owner })
  const left = budgetLeft(await history.read(), settings.budget, { task: task.id, worker })
  const { usedUp } = left
  if (usedUp !== null) throw await stopAtBudget(shift, hold, { usedUp, agent: doer.ready.agent.name })
  const integration = ports.workspaces.integrationBranch
  const variables = taskVariables({ task, worker, integration, turn: turn.number, fix: turn.fix })
  const { model, tier, effort, allowedTools } = doer
  const permission = isReading(turn) ? "ask" : doer.permission
  const told = reachVariables(shift)
  const env = { ...doer.ready.env, ...turn.identity, ...variables, ...told }
  const around = ports.surround?.(env, workspace.path) ?? env
  return makeAgentJob({
    model,
    tier,
    effort,
    permission,
    allowedTools,
    ownership,
    prompt: turn.text,
    commands: commandsOf({ task, turn: turn.number, fix: turn.fix }),
    workspace: workspace.path,
    stateFolder: join(runFolder(home, team, turn.firstRun), "state"),
    deniedTools: isReading(turn) ? WRITING_TOOLS : [],
    resume: turn.session,
    ...(doer.ready.agent.closesBySchema !== true || isReading(turn) ? {} : { closingSchema: CLOSING_SCHEMA }),
    mcpServers: serversFor(shift, { env: told, permission }),
    ...(reach === undefined ? {} : { claim: { ...team, ...owner, task: task.id, store: reach.store } }),
    limits: {
      ...NO_LIMITS,
      timeMs: settings.agentTimeoutSeconds === 0 ? null : settings.agentTimeoutSeconds * 1000,
      tokens: left.tokens,
      dollars: left.dollars,
      ...settings.patience,
    },
    env: { ...around, ...pathTo(shift, around) },
  })
}

function isReading({ planning }: Turn): boolean {
  return planning?.isOver === false
}

/** Of the agents that know tools by name; the others are held by their permission, and all of them by what they own. */
const WRITING_TOOLS = ["Write", "Edit", "MultiEdit", "NotebookEdit"]

/** Who goes on with its session knows the rest. */
function promptOf({ ports }: Shift, task: Task, turn: Turn): Pick<FittedText, "text" | "own"> {
  const { doer, verdict, session, planning, isMerge, aside = null } = turn
  const { prompt, ready } = doer
  if (prompt === null) return { text: "", own: 0 }
  const limit = ports.promptLimit(ready.agent.name)
  if (isMerge) return mergePrompt(task, { mask: ports.mask, limit })
  if (verdict === null && planning === undefined) return prompt.compose(limit)
  const more =
    verdict === null
      ? { text: planning?.prompt ?? "", own: isReading(turn) ? (planning?.prompt.length ?? 0) : 0 }
      : repairPrompt(verdict, { mask: ports.mask, limit: Math.floor(limit / 2), aside })
  if (session !== null) return more
  const { text, own } = prompt.compose(limit - more.text.length)
  return { text: `${text}\n\n${more.text}`, own: own + more.own }
}

interface Told {
  readonly project: string
  readonly team: string
  readonly run: string
  readonly task: TaskId
  readonly worker: string
  readonly agent: string
}

/** For whoever counts money and time. */
async function tellEnd({ ports, team }: Shift, told: Told, result: AgentResult): Promise<void> {
  const { reason, error, session, durationMs, usage } = result
  const ended = {
    ...{ ...told, reason, error: error === "" ? null : error, session: session?.id ?? null, duration_ms: durationMs },
    ...{ input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, cached_tokens: usage.cachedTokens },
    ...{ dollars: usage.dollars, dollars_are_estimated: usage.dollarsAreEstimated === true },
  }
  await noteRunEnded(ports.context, ended, team.run)
}

/** Runs that were ended because they got nowhere. What was seen of them tells why, and what to do differently. */
const ENDED: readonly Reason[] = ["timed-out", "turn-limit", "hung", "looping"]

function asSetback(
  { reason, error }: AgentResult,
  agent: string,
  { trace, at }: { readonly trace: RunTrace; readonly at: number },
): Setback {
  // Nobody but us cancels a run, and then the hold is cut; a run that was cancelled otherwise has crashed.
  const kind = reason === "done" || reason === "cancelled" ? "crashed" : reason
  if (ENDED.includes(reason)) {
    const { cause, seen, advice } = diagnoseRun(trace, { reason, at })
    return new Setback(kind, `${agent} ${error || "took too long"}: ${cause} (${seen})`, { agent, advice })
  }
  const help = remedyFor(agent, kind)
  return new Setback(kind, `${agent}: ${error || reason}${help === undefined ? "" : `; ${help}`}`, { agent })
}
