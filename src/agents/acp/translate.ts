// While a prompt is open, the agent reports by session/update and asks by session/request_permission, which we answer
// at once.
import type { PermissionOption, RequestPermissionOutcome } from "@agentclientprotocol/sdk"
import type { Clock } from "../../lib/clock.ts"
import { asArray, asObject, asText, type Json, parseLine } from "../json-line.ts"
import type { AgentEventBody, AgentJob } from "../port.ts"
import type { Outcome, Translator } from "../program.ts"
import { countTurns, unknownLine } from "../translator-parts.ts"
import { makeSession } from "./acp-session.ts"
import { makeTools } from "./acp-tools.ts"
import { METHOD_NOT_FOUND, makeOutbox } from "./acp-wire.ts"
import { judgeError } from "./judge.ts"
import { findObjection, isFree } from "./permission.ts"
import { makeUpdates } from "./updates.ts"

export function translateAcp(job: AgentJob, clock: Clock, settings: Json = {}): Translator {
  const outbox = makeOutbox()
  const tools = makeTools(job)
  const updates = makeUpdates(job, tools)
  const session = makeSession(job, { settings, clock, outbox, updates })
  const turns = countTurns()

  function notified(method: string, params: Json): AgentEventBody[] | undefined {
    // Extensions start with an underscore and can be ignored.
    if (method !== "session/update") return method.startsWith("_") ? [] : undefined
    const update = asObject(params.update) ?? {}
    // A loaded session replays its past, which belongs to another run.
    if (!session.isInTurn() && session.ending() === undefined) return updates.replay(update)
    const events = updates.see(update)
    const isSign = events?.some(({ type }) => type === "text" || type === "reasoning" || type === "tool_use")
    if (events === undefined || isSign !== true) return events
    const delivered = session.acknowledge()
    return delivered.length === 0 ? events : [...delivered, ...events]
  }

  function requested(id: unknown, method: string, params: Json): AgentEventBody[] | undefined {
    if (method !== "session/request_permission") {
      outbox.refuse(id, METHOD_NOT_FOUND, `${method} is not offered`)
      // Some agents try although we offer none, and then do it themselves.
      return /^(?:fs|terminal)\//.test(method) ? [] : undefined
    }
    const { id: callId, wish, events } = tools.wish(asObject(params.toolCall) ?? {})
    const objection = session.isCancelled() ? "cancelled" : findObjection(job, wish)
    const isAllowed = objection === undefined
    const outcome = session.isCancelled() ? CANCELLED : choose(params.options, { isAllowed, job })
    outbox.answer(id, { outcome })
    const seen = [...session.acknowledge(), ...events]
    if (isAllowed && outcome !== CANCELLED) return seen
    const why = objection ?? "it cannot be allowed only once"
    updates.noteRefusal(`${wish.name} ${wish.files.join(", ")}: ${why}`.replace(" :", ":"))
    return [...seen, ...tools.refuse(callId, `not permitted: ${why}`)]
  }

  function understand(message: Json): AgentEventBody[] | undefined {
    const { method, id } = message
    if (typeof method !== "string") return session.answered(message)
    const params = asObject(message.params) ?? {}
    return id === undefined ? notified(method, params) : requested(id, method, params)
  }

  return {
    line(text) {
      const message = parseLine(text)
      const events = message === undefined ? undefined : understand(message)
      if (events !== undefined) return turns.see(events)
      return unknownLine(text)
    },
    turns: turns.count,
    isOver: () => session.ending() !== undefined,
    end({ exitCode }, stderr): Outcome {
      const base = { retryAt: null, answer: updates.answer(), structured: null, session: session.id() }
      const ending = session.ending()
      if (ending !== undefined) return { ...base, ...ending }
      const error = stderr.trim() === "" ? "ended without an answer to its prompt" : stderr
      if (exitCode === 0) return { ...base, reason: "protocol", error }
      return { ...base, ...judgeError({ message: stderr }, "", clock.now()), error }
    },
    dialogue: {
      takeReplies: outbox.take,
      message(message) {
        session.queue(message)
        return { wireId: message.id, line: "" }
      },
      cancel: session.cancel,
    },
  }
}

const CANCELLED: RequestPermissionOutcome = { outcome: "cancelled" }

/** "Always" would end the requests and our control, so we choose it only where everything is allowed. */
function choose(given: unknown, { isAllowed, job }: { isAllowed: boolean; job: AgentJob }): RequestPermissionOutcome {
  const allowing: PermissionOption["kind"][] = isFree(job) ? ["allow_once", "allow_always"] : ["allow_once"]
  const kinds: PermissionOption["kind"][] = isAllowed ? allowing : ["reject_once", "reject_always"]
  const options = asArray(given).map((option) => asObject(option) ?? {})
  for (const kind of kinds) {
    const optionId = asText(options.find((option) => option.kind === kind)?.optionId)
    if (optionId !== "") return { outcome: "selected", optionId }
  }
  return CANCELLED
}
