// Our requests to the agent, one at a time: initialize, session/new (or the request that resumes a session), settings
// of the session, session/prompt. Messages wait for the end of the turn and become another prompt. Once `ending` is
// set, we request nothing more.
import type { NewSessionRequest, PromptRequest } from "@agentclientprotocol/sdk"
import type { Clock } from "../../lib/clock.ts"
import { asObject, asTextOrNull, type Json } from "../json-line.ts"
import { promptOf } from "../launch-parts.ts"
import type { AgentEventBody, AgentJob, AgentMessage } from "../port.ts"
import { INITIALIZE_ID, type makeOutbox, PROTOCOL_VERSION } from "./acp-wire.ts"
import { type Choice, choicesFor, currentModel, repeatedChoice } from "./choices.ts"
import { type Judged, judgeEnd, judgeError } from "./judge.ts"
import type { makeUpdates } from "./updates.ts"

interface Request {
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

/** Several, because the replay may start only a moment after the answer. */
const QUIET_ANSWERS = 10

export function makeSession(job: AgentJob, { settings, clock, outbox, updates }: Parts) {
  const queued: AgentMessage[] = []
  /** Messages in the open prompt without a reaction yet. */
  let prompted: AgentMessage[] = []
  let open: Request | undefined = { id: INITIALIZE_ID, method: "initialize", goOn: initialized }
  let agentVersion: string | null = null
  let sessionId: string | null = null
  let isCancelled = false
  const refusals = makeRefusals()
  let ending: Judged | undefined

  const isInTurn = () => open?.method === "session/prompt"

  function request(method: string, params: object, goOn: Request["goOn"]): AgentEventBody[] {
    open = { id: outbox.request(method, params), method, goOn }
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
    return request(method, params, (opened) => sessionOpened(opened, id ?? asTextOrNull(opened.sessionId)))
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
    if (choice === undefined) return waitForPast(harmless, QUIET_ANSWERS)
    return request(choice.method, { sessionId, ...choice.params }, () => setUp(others, harmless))
  }

  /** Gemini replays the past after its answer. The replay is over when answers come without any of it in between. */
  function waitForPast(choice: Choice | undefined, left: number): AgentEventBody[] {
    if (choice === undefined || left === 0) return prompt([promptOf(job)])
    const before = updates.replayed()
    const next = () => (updates.replayed() === before ? left - 1 : QUIET_ANSWERS)
    return request(choice.method, { sessionId, ...choice.params }, () => waitForPast(choice, next()))
  }

  function prompt(texts: readonly string[]): AgentEventBody[] {
    updates.beginTurn()
    return request("session/prompt", { sessionId, prompt: texts.map(textBlock) }, turnEnded)
  }

  function turnEnded({ stopReason, ...result }: Json): AgentEventBody[] {
    const events = [...acknowledge(), ...updates.endTurn(result)]
    const state = updates.state()
    const note = isCancelled ? undefined : refusals.noteFor(stopReason, state)
    const isFree = note !== undefined || (state.failure === undefined && stopReason === "end_turn" && !isCancelled)
    prompted = isFree ? queued.splice(0) : []
    const texts = [note, ...prompted.map(({ text }) => text)].filter((text) => text !== undefined)
    if (texts.length > 0) prompt(texts)
    else end(judgeEnd(stopReason, { ...state, job, isCancelled, now: clock.now() }))
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
    /** Undefined when it answers none of our requests. */
    answered({ id, error, result }: Json): AgentEventBody[] | undefined {
      if (open === undefined || id !== open.id) return undefined
      const { method, goOn } = open
      open = undefined
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

function textBlock(text: string): PromptRequest["prompt"][number] {
  return { type: "text", text }
}

function wrongVersion(version: unknown): Judged {
  return { reason: "protocol", error: `speaks version ${version} of the protocol, not ${PROTOCOL_VERSION}` }
}

interface Opening {
  readonly method: string
  readonly params: Json
  /** Null for a new session, whose id is in the answer. */
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

/** Undefined where the agent cannot resume; the run then starts a new session with another id. */
export function findWayToResume(capabilities: Json): string | undefined {
  if (asObject(asObject(capabilities.sessionCapabilities)?.resume) !== undefined) return "session/resume"
  return capabilities.loadSession === true ? "session/load" : undefined
}

/** How often in a run we ask an agent to continue after a refused tool. */
const MAX_NOTES = 5

interface TurnState {
  readonly refusal: string
  readonly failure: string | undefined
}

/** OpenCode ends its turn when a tool is refused, and Codex takes it as a request to stop. */
export function makeRefusals() {
  let left = MAX_NOTES
  return {
    /** Undefined for a stop without a refusal, or after too many notes. */
    noteFor(stopReason: unknown, { refusal, failure }: TurnState): string | undefined {
      const isStopped = stopReason === "end_turn" || stopReason === "cancelled"
      if (refusal === "" || failure !== undefined || !isStopped || left === 0) return undefined
      left--
      return `This was not permitted: ${refusal}. Do not try it again. Go on with the task without it, and say at the end what could not be done.`
    },
  }
}
