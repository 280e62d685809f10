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

/** A question to an agent that reads and answers, and changes nothing. */
export interface Question {
  readonly prompt: string
  /** The prompt without what it is about: the words that are teamwork's own. Left out where nobody counts them. */
  readonly ownWords?: string
  /** JSON schema of the answer; null for free text. */
  readonly schema: Readonly<Record<string, unknown>> | null
  /** The role or agent type that answers. */
  readonly role: string
  /** By default what the role and the text ask for. */
  readonly tier?: Tier
  /** One of these programs and no other; by default the one that teamwork route names. */
  readonly agents?: readonly string[]
  /** As whom it takes part in the team, such as `planner`. */
  readonly worker: string
  /** Which of several questions to the same one; 1 by default. */
  readonly turn?: number
  /** The folder it reads in. */
  readonly folder: string
  readonly limits?: Partial<Limits>
  readonly signal?: AbortSignal
  readonly onEvent?: RunOptions["onEvent"]
}

export interface AskPorts extends Omit<AgentChoice, "asked">, NotedTeam {
  readonly ids: Ids
  readonly faultLimits?: FaultLimits
  /** Of whoever asked; its secrets are masked in the recording. */
  readonly callerEnv: Readonly<Record<string, string | undefined>>
  /** For each file of the recording. */
  readonly maxBytes: number
  /** What the team may still use up, and why it may use up nothing more; left out where no team pays. */
  readonly budget?: () => Promise<Pick<Limits, "tokens" | "dollars"> & { readonly usedUp: string | null }>
  /** Shared by questions that a team is told of later; made for this one when left out. */
  readonly notes?: RunNotes
}

export interface Answer {
  readonly answer: string
  /** What fits the schema; null without one. */
  readonly structured: unknown
  readonly agent: string
  readonly tier: Tier
  /** The id of the run, by which its recording is found. */
  readonly run: string
  readonly result: AgentResult
}

/** Another agent may well answer what this one could not. */
const ANOTHER_MAY: readonly Reason[] = [
  ...(["rate-limited", "overloaded", "unreachable", "auth", "not-found", "unknown-model"] as const),
  ...(["crashed", "protocol", "refused", "permission", "hung", "looping"] as const),
]

/**
 * Asks the agent that suits the question, and the next one when that cannot answer. Throws `agent.unavailable` when
 * there is none, and `agent.failed` with the reason when none of them gave an answer.
 */
export async function askAgent(ports: AskPorts, question: Question): Promise<Answer> {
  const left = new Set(question.agents ?? ports.ready.map(({ agent }) => agent.name))
  const failures: string[] = []
  const reasons: Reason[] = []
  const answers: string[] = []
  for (let health = ports.health; ; health = await healthNow(ports)) {
    const budget = await ports.budget?.()
    if (budget?.usedUp != null)
      throw new AppError("agent.unavailable", `the ${question.worker} is not asked: ${budget.usedUp}`)
    const { route, effort } = await chooseAgent({
      ...{ ...ports, health },
      ready: ports.ready.filter(({ agent }) => left.has(agent.name)),
      asked: {
        ...{ text: question.prompt, agentType: question.role, tier: question.tier },
        contextTokens: estimateTokens(question.prompt),
      },
    })
    const ready = ports.ready.find(({ agent }) => agent.name === route.agent)
    if (ready === undefined) {
      if (failures.length > 0 || !(await isSoon(route, health, question.signal)))
        throw noAgent(question, route, { failures, reasons, answers })
      continue
    }
    const answer = await runOnce(ports, withinBudget(question, budget), { ready, tier: route.tier, effort })
    if (answer === undefined) continue
    const { reason, error } = judgeReading(answer.result)
    if (reason === "done") return answer
    const failure = `${ready.agent.name}: ${reason}${error === "" ? "" : `: ${error}`}`
    failures.push(failure)
    reasons.push(reason)
    if (answer.answer !== "") answers.push(answer.answer)
    left.delete(ready.agent.name)
    if (!ANOTHER_MAY.includes(reason)) throw failed(question, { failures, reasons, answers })
  }
}

/** The folder is to be read only: an agent that wrote there is not believed, whatever its program let it do. */
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

/** A program that failed once is tried again within seconds, which a question can wait for. */
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

/** A question without a time limit of its own is given up by its provider long before. */
const PROBE_LEASE_MS = 600_000

/** Undefined when the program was left out meanwhile. */
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
      ...{ ...who, reason, error: error || null, session: session?.id ?? null, duration_ms: durationMs },
      ...{ input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, cached_tokens: usage.cachedTokens },
      ...{ dollars: usage.dollars, dollars_are_estimated: usage.dollarsAreEstimated === true },
    })
    return { answer: result.answer, structured: result.structured, agent: agent.name, tier, run, result }
  } finally {
    // Nobody goes on with this conversation, and what was there to log in with need not stay.
    rmSync(stateFolder, { recursive: true, force: true })
  }
}

function wordsOf({ prompt, ownWords, schema }: Question) {
  if (ownWords === undefined) return {}
  const around = schema === null ? 0 : estimateTokens(JSON.stringify(schema))
  return { sent_tokens: estimateTokens(prompt) + around, own_tokens: estimateTokens(ownWords) + around }
}

interface Failures {
  readonly failures: readonly string[]
  readonly reasons: readonly Reason[]
  readonly answers: readonly string[]
}

/** What was said in another form than was asked for. It is the cause of `agent.failed`, and no part of what is printed. */
export class UnreadAnswers extends Error {
  readonly answers: readonly string[]

  constructor(answers: readonly string[]) {
    super("the answer has another form than was asked for")
    this.answers = answers
  }
}

function noAgent({ worker }: Question, route: Route, tried: Failures): AppError {
  if (tried.failures.length > 0) return failed({ worker }, tried)
  const { passedOver, retryAt } = route
  const why = passedOver.map((each) => `${each.agent}: ${each.because}`).join("; ") || "none is allowed"
  const when = retryAt === null ? "" : `; try again at ${retryAt}`
  return new AppError("agent.unavailable", `no agent can be asked as ${worker} (${why})${when}`, {
    passedOver,
    retryAt,
  })
}

function failed({ worker }: Pick<Question, "worker">, { failures, reasons, answers }: Failures): AppError {
  const message = `no answer from the ${worker} (${failures.join("; ")})`
  return new AppError("agent.failed", message, { failures, reasons }, { cause: new UnreadAnswers(answers) })
}

/** A model that answered in another form than it was asked for says nothing against its program. */
function asHealth(result: AgentResult): AgentResult {
  return result.reason === "protocol" && result.answer.trim() !== "" ? { ...result, reason: "done", error: "" } : result
}
