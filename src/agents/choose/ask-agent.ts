import { rmSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import type { Ids } from "../../lib/make-ids.ts"
import { sleep } from "../../lib/sleep.ts"
import { estimateTokens, type Route } from "../../planning/routing.ts"
import type { FaultLimits } from "../agent-fault.ts"
import { noteRun } from "../jobs/note-agent-run.ts"
import { recordRun, runFolder } from "../jobs/record-run.ts"
import type { ReadyAgent } from "../jobs/run-job.ts"
import { makeRunNotes, type NotedTeam, type RunNotes } from "../jobs/run-notes.ts"
import { makeAgentJob, NO_LIMITS } from "../make-agent-job.ts"
import { type AgentHealth, admitRun, readAgentHealth } from "../operations/agent-health.ts"
import type { AgentJob, AgentResult, Limits, Reason, RunOptions, Tier } from "../port.ts"
import { type AgentChoice, chooseAgent } from "./choose-agent.ts"

/** The agent only reads and answers. */
export interface Question {
  readonly prompt: string
  /** The prompt without its material, to count teamwork's own words; left out where they are not counted. */
  readonly ownWords?: string
  readonly schema: Readonly<Record<string, unknown>> | null
  readonly role: string
  /** By default chosen by role and text. */
  readonly tier?: Tier
  /** By default the one that teamwork route names. */
  readonly agents?: readonly string[]
  /** Its name in the team, such as `planner`. */
  readonly worker: string
  /** Counts the questions to this worker; 1 by default. */
  readonly turn?: number
  readonly folder: string
  readonly limits?: Partial<Limits>
  readonly signal?: AbortSignal
  readonly onEvent?: RunOptions["onEvent"]
}

export interface AskPorts extends Omit<AgentChoice, "asked">, NotedTeam {
  readonly ids: Ids
  readonly faultLimits?: FaultLimits
  /** Its secrets are masked in the recording. */
  readonly callerEnv: Readonly<Record<string, string | undefined>>
  /** For each file of the recording. */
  readonly maxBytes: number
  /** What the team may still spend; left out where no team pays. */
  readonly budget?: () => Promise<Pick<Limits, "tokens" | "dollars"> & { readonly usedUp: string | null }>
  /** Shared by questions whose runs the team records later. */
  readonly notes?: RunNotes
}

export interface Answer {
  readonly answer: string
  /** Null without a schema. */
  readonly structured: unknown
  readonly agent: string
  readonly tier: Tier
  /** Also of the recording. */
  readonly run: string
  readonly result: AgentResult
}

/** Another agent would fail for these reasons too. */
const FINAL: readonly Reason[] = ["context-overflow", "budget", "turn-limit", "timed-out", "cancelled"]

/**
 * Asks the agent that suits best, then the next one. Throws `agent.unavailable` when there is none, and
 * `agent.failed` with the reasons when none answered.
 */
export async function askAgent(ports: AskPorts, question: Question): Promise<Answer> {
  const left = new Set(question.agents ?? ports.ready.map(({ agent }) => agent.name))
  const tried: Tried = { failures: [], reasons: [], answers: [] }
  for (let health = ports.health; ; health = await healthNow(ports)) {
    const budget = await ports.budget?.()
    if (budget?.usedUp != null)
      throw new AppError("agent.unavailable", `the ${question.worker} is not asked: ${budget.usedUp}`)
    const { prompt: text, role: agentType, tier } = question
    const { route, effort } = await chooseAgent({
      ...ports,
      health,
      ready: ports.ready.filter(({ agent }) => left.has(agent.name)),
      asked: { text, agentType, tier, contextTokens: estimateTokens(text) },
    })
    const ready = ports.ready.find(({ agent }) => agent.name === route.agent)
    if (ready === undefined) {
      if (tried.failures.length > 0) throw failed(question, tried)
      if (!(await isSoon(route, health, question.signal))) throw noAgent(question, route)
      continue
    }
    const answer = await runOnce(ports, withinBudget(question, budget), { ready, tier: route.tier, effort })
    if (answer === undefined) continue
    const { reason, error } = judgeReading(answer.result)
    if (reason === "done") return answer
    tried.failures.push(`${ready.agent.name}: ${reason}${error === "" ? "" : `: ${error}`}`)
    tried.reasons.push(reason)
    if (answer.answer !== "") tried.answers.push(answer.answer)
    left.delete(ready.agent.name)
    if (FINAL.includes(reason)) throw failed(question, tried)
  }
}

/** We reject the answer of an agent that wrote files, even if its program allowed it. */
function judgeReading(result: AgentResult): Pick<AgentResult, "reason" | "error"> {
  if (result.reason !== "done" || result.filesTouched.length === 0) return result
  return { reason: "permission", error: `it wrote ${result.filesTouched.join(", ")}, although it may only read` }
}

function withinBudget(question: Question, budget: Partial<Pick<Limits, "tokens" | "dollars">> | undefined): Question {
  const least = (unit: "tokens" | "dollars") => {
    const limits = [question.limits?.[unit], budget?.[unit]].flatMap((limit) => limit ?? [])
    return limits.length === 0 ? null : Math.min(...limits)
  }
  return { ...question, limits: { ...question.limits, tokens: least("tokens"), dollars: least("dollars") } }
}

/** A question can wait for a program that is back within seconds. */
const SOON_MS = 30_000

async function isSoon({ retryAt }: Route, { now }: AgentHealth, signal: AbortSignal | undefined): Promise<boolean> {
  const waitMs = retryAt === null ? Number.POSITIVE_INFINITY : Date.parse(retryAt) - Date.parse(now)
  if (waitMs > SOON_MS) return false
  await sleep(Math.max(0, waitMs) + 1, signal)
  return signal?.aborted !== true
}

async function healthNow({ health, hasStore, openContext }: AskPorts): Promise<AgentHealth> {
  return (await hasStore()) ? readAgentHealth.run(await openContext(), {}) : health
}

interface Chosen extends Pick<AgentJob, "tier" | "effort"> {
  readonly ready: ReadyAgent
}

/** For a question without a time limit. */
const PROBE_LEASE_MS = 600_000

/** Undefined when the program failed since it was chosen. */
async function runOnce(
  ports: AskPorts,
  question: Question,
  { ready, tier, effort }: Chosen,
): Promise<Answer | undefined> {
  const { worker, turn = 1, signal, onEvent } = question
  const { agent } = ready
  const run = `${worker}-${ports.ids.uuid().slice(0, 8)}`
  const fingerprint = agent.fingerprint(ready.env)
  if (await ports.hasStore()) {
    const leaseMs = question.limits?.timeMs ?? PROBE_LEASE_MS
    const asked = { agent: agent.name, runId: run, fingerprint, leaseMs }
    if ("fault" in (await admitRun(await ports.openContext(), asked))) return undefined
  }
  const folder = runFolder(ports.home, ports, run)
  const stateFolder = join(folder, "state")
  const notes = ports.notes ?? makeRunNotes(ports)
  const who = { run, task: null, worker, agent: agent.name }
  await notes.started({ ...who, attempt: null, model: ready.models[tier].model, turn, ...wordsOf(question) })
  try {
    const result = await recordRun({
      agent,
      folder,
      maxBytes: ports.maxBytes,
      job: makeAgentJob({
        prompt: question.prompt,
        workspace: question.folder,
        answerSchema: question.schema,
        limits: { ...NO_LIMITS, ...question.limits },
        tier,
        effort,
        stateFolder,
        env: ready.env,
      }),
      options: { secrets: ports.callerEnv, ...(signal && { signal }), ...(onEvent && { onEvent }) },
    })
    await noteRun({ ...ports, agent: agent.name, runId: run, fingerprint, result: asHealth(result) })
    const { reason, error, session, durationMs, usage } = result
    await notes.ended({
      ...who,
      reason,
      error: error || null,
      session: session?.id ?? null,
      duration_ms: durationMs,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cached_tokens: usage.cachedTokens,
      dollars: usage.dollars,
      dollars_are_estimated: usage.dollarsAreEstimated === true,
    })
    return { answer: result.answer, structured: result.structured, agent: agent.name, tier, run, result }
  } finally {
    // The conversation is over, and its login must not stay.
    rmSync(stateFolder, { recursive: true, force: true })
  }
}

function wordsOf({ prompt, ownWords, schema }: Question) {
  if (ownWords === undefined) return {}
  const around = schema === null ? 0 : estimateTokens(JSON.stringify(schema))
  return { sent_tokens: estimateTokens(prompt) + around, own_tokens: estimateTokens(ownWords) + around }
}

interface Tried {
  readonly failures: string[]
  readonly reasons: Reason[]
  readonly answers: string[]
}

/** Answers in the wrong form: the cause of `agent.failed`, which is not printed. */
export class UnreadAnswers extends Error {
  readonly answers: readonly string[]

  constructor(answers: readonly string[]) {
    super("the answer does not have the requested form")
    this.answers = answers
  }
}

function noAgent({ worker }: Question, { passedOver, retryAt }: Route): AppError {
  const why = passedOver.map((each) => `${each.agent}: ${each.because}`).join("; ") || "none is allowed"
  const when = retryAt === null ? "" : `; try again at ${retryAt}`
  return new AppError("agent.unavailable", `no agent can be asked as ${worker} (${why})${when}`, {
    passedOver,
    retryAt,
  })
}

function failed({ worker }: Question, { failures, reasons, answers }: Tried): AppError {
  const message = `no answer from the ${worker} (${failures.join("; ")})`
  return new AppError("agent.failed", message, { failures, reasons }, { cause: new UnreadAnswers(answers) })
}

/** An answer in the wrong form is no fault of the program. */
function asHealth(result: AgentResult): AgentResult {
  return result.reason === "protocol" && result.answer.trim() !== "" ? { ...result, reason: "done", error: "" } : result
}
