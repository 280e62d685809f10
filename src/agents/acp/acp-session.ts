// What we ask of the agent, one question at a time; its answer leads to the next: initialize, session/new (or the one
// that goes on with a session), what is to be set in it, session/prompt. Messages wait for the end of the turn and make
// a further prompt. With `ending` set nothing more is asked.
import type { NewSessionRequest, PromptRequest } from "@agentclientprotocol/sdk"
import type { Clock } from "../../lib/clock.ts"
import { askForJson } from "../answer.ts"
import { asObject, asTextOrNull, type Json } from "../json-line.ts"
import type { AgentEventBody, AgentJob, AgentMessage } from "../port.ts"
import { INITIALIZE_ID, type makeOutbox, PROTOCOL_VERSION } from "./acp-wire.ts"
import { type Choice, choicesFor, currentModel, repeatedChoice } from "./choices.ts"
import { type Judged, judgeEnd, judgeError } from "./judge.ts"
import { makeRefusals } from "./refusals.ts"
import type { makeUpdates } from "./updates.ts"

interface Question {
  readonly id: number
  readonly method: string
  readonly goOn: (result: Json) => AgentEventBody[]
}

interface Parts {
  readonly settings: Json
  readonly clock: Clock
  readonly outbox: ReturnType<typeof makeOutbox>
  readonly updates: ReturnType<typeof makeUpdates>
}

/** More than one: it may begin to tell only a moment after its answer. */
const QUIET_ANSWERS = 10

export function makeSession(job: AgentJob, { settings, clock, outbox, updates }: Parts) {
  const queued: AgentMessage[] = []
  /** The messages in the open prompt, until a sign of the agent acknowledges them. */
  let prompted: AgentMessage[] = []
  let question: Question | undefined = { id: INITIALIZE_ID, method: "initialize", goOn: initialized }
  let agentVersion: string | null = null
  let sessionId: string | null = null
  let isCancelled = false
  const refusals = makeRefusals()
  let ending: Judged | undefined

  const isInTurn = () => question?.method === "session/prompt"

  function ask(method: string, params: object, goOn: Question["goOn"]): AgentEventBody[] {
    question = { id: outbox.request(method, params), method, goOn }
    return []
  }

  function end(how: Judged): AgentEventBody[] {
    ending = how
    return []
  }

  function initialized(result: Json): AgentEventBody[] {
    if (result.protocolVersion !== PROTOCOL_VERSION) return end(wrongVersion(result.protocolVersion))
    agentVersion = asTextOrNull(asObject(result.agentInfo)?.version)
    const { method, params, id } = openingOf(job, asObject(result.agentCapabilities) ?? {})
    return ask(method, params, (opened) => sessionOpened(opened, id ?? asTextOrNull(opened.sessionId)))
  }

  function sessionOpened(opened: Json, id: string | null): AgentEventBody[] {
    if (id === null) return end({ reason: "protocol", error: "opened a session without an id" })
    sessionId = id
    const choices = choicesFor(job, opened, settings)
    setUp(choices, job.resume?.id === id ? (choices.at(-1) ?? repeatedChoice(opened)) : undefined)
    const isModelSet = choices.some(({ params }) => Object.values(params).includes(job.model))
    return [{ type: "started", session: id, model: isModelSet ? job.model : currentModel(opened), agentVersion }]
  }

  function setUp([choice, ...others]: readonly Choice[], harmless: Choice | undefined): AgentEventBody[] {
    if (choice !== undefined) return ask(choice.method, { sessionId, ...choice.params }, () => setUp(others, harmless))
    return harmless === undefined ? prompt([askForJson(job)]) : waitForPast(harmless, QUIET_ANSWERS)
  }

  /** Gemini tells the past only after it has answered; it is through when its answers come with none of it between. */
  function waitForPast({ method, params }: Choice, left: number): AgentEventBody[] {
    if (left === 0) return prompt([askForJson(job)])
    const told = updates.replayed()
    const next = () => (updates.replayed() === told ? left - 1 : QUIET_ANSWERS)
    return ask(method, { sessionId, ...params }, () => waitForPast({ method, params }, next()))
  }

  function prompt(texts: readonly string[]): AgentEventBody[] {
    updates.beginTurn()
    const blocks: PromptRequest["prompt"] = texts.map((text) => ({ type: "text", text }))
    return ask("session/prompt", { sessionId, prompt: blocks }, turnEnded)
  }

  function turnEnded({ stopReason, ...result }: Json): AgentEventBody[] {
    const [events, told] = [[...acknowledge(), ...updates.endTurn(result)], updates.told()]
    const note = isCancelled ? undefined : refusals.noteFor(stopReason, told)
    const isFree = note !== undefined || (told.failure === undefined && stopReason === "end_turn" && !isCancelled)
    prompted = isFree ? queued.splice(0) : []
    const texts = [note, ...prompted.map(({ text }) => text)].filter((text) => text !== undefined)
    if (texts.length > 0) prompt(texts)
    else end(judgeEnd(stopReason, { ...told, job, isCancelled, now: clock.now() }))
    return events
  }

  const acknowledge = () => prompted.splice(0).map(({ id }) => ({ type: "message_delivered", messageId: id }) as const)

  return {
    id: () => sessionId,
    ending: () => ending,
    isInTurn,
    isCancelled: () => isCancelled,
    acknowledge,
    queue: (message: AgentMessage) => queued.push(message),
    /** Undefined when it answers nothing that we asked. */
    answered({ id, error, result }: Json): AgentEventBody[] | undefined {
      if (question === undefined || id !== question.id) return undefined
      const { method, goOn } = question
      question = undefined
      const failure = asObject(error)
      return failure === undefined ? goOn(asObject(result) ?? {}) : end(judgeError(failure, method, clock.now()))
    },
    cancel(): boolean {
      isCancelled = true
      if (isInTurn()) outbox.notify("session/cancel", { sessionId })
      return isInTurn()
    },
  }
}

function wrongVersion(version: unknown): Judged {
  return { reason: "protocol", error: `speaks version ${version} of the protocol, not ${PROTOCOL_VERSION}` }
}

interface Opening {
  readonly method: string
  readonly params: Json
  /** Null for a new one, which the answer tells. */
  readonly id: string | null
}

function openingOf(job: AgentJob, capabilities: Json): Opening {
  const place: NewSessionRequest = { cwd: job.workspace, mcpServers: mcpServers(job) }
  const method = job.resume === null ? undefined : findWayToResume(capabilities)
  if (job.resume === null || method === undefined) return { method: "session/new", params: { ...place }, id: null }
  const { id } = job.resume
  return { method, params: { sessionId: id, ...place }, id }
}

function mcpServers({ mcpServers: servers }: AgentJob): NewSessionRequest["mcpServers"] {
  return Object.entries(servers).map(([name, { command, args, env }]) => ({
    name,
    command,
    args: [...args],
    env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
  }))
}

/** Without one the run begins a session of its own; its result tells by another id. */
export function findWayToResume(capabilities: Json): string | undefined {
  if (asObject(asObject(capabilities.sessionCapabilities)?.resume) !== undefined) return "session/resume"
  return capabilities.loadSession === true ? "session/load" : undefined
}
