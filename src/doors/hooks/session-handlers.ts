import { removeMarker } from "../../sessions/effects/seat-marker.ts"
import { decideStop, type StopDecision } from "../../sessions/operations/decide-stop.ts"
import { isTeamActive, readSeatFacts } from "../../sessions/operations/read-seat.ts"
import { keepSeat, openTurn } from "../../sessions/operations/seat-duties.ts"
import { leave } from "../../sessions/operations/seats.ts"
import {
  isOwnWord,
  sayFinish,
  sayInvitation,
  sayMessages,
  sayNext,
  saySeat,
  sayWait,
} from "../../sessions/views/seat-view.ts"
import { type HookAnswer, type HookCall, type HookHandler, type HookScene, NO_ANSWER } from "./hook-call.ts"

/** Also after a resume or a lost context. */
export const sessionStart: HookHandler = async (call, scene) => {
  const { seat, context } = scene
  if (seat === null) return invite(call, scene)
  const facts = await readSeatFacts(context, seat)
  const messages = await openTurn(context, seat, { isPersons: true })
  return { kind: "context", text: [saySeat(seat, facts), sayMessages(messages)].filter(Boolean).join("\n\n") }
}

async function invite(call: HookCall, { configured, context }: HookScene): Promise<HookAnswer> {
  const { project, team } = configured
  if (!(await isTeamActive(context, { project, team }))) return NO_ANSWER
  // The other programs set a variable by which their commands find the session.
  const terminalId = call.host === "gemini" ? call.session : null
  return { kind: "context", text: sayInvitation({ project, team }, { terminalId }) }
}

/** Each turn gets the messages since the last one. */
export const prompt: HookHandler = async (call, { seat, context }) => {
  if (seat === null) return NO_ANSWER
  const messages = await openTurn(context, seat, { isPersons: !isOwnWord(call.prompt) })
  return messages.length === 0 ? NO_ANSWER : { kind: "context", text: sayMessages(messages) }
}

/** The session of a worker does not end while it has work. */
export const stop: HookHandler = async ({ raw, isHeldBack }, { seat, context }) => {
  if (seat?.worker == null) return NO_ANSWER
  const { terminalId, project, team, worker } = seat
  const id = `stop-${Bun.hash(JSON.stringify(raw)).toString(36)}`
  const { decision, messages } = await decideStop(context, { terminalId, id, isHeldBack })
  const todo = sayDecision({ project, team, worker }, decision)
  if (todo === undefined) return NO_ANSWER
  return { kind: "goOn", reason: [todo, sayMessages(messages)].filter(Boolean).join("\n\n") }
}

function sayDecision(who: Parameters<typeof sayWait>[0], decision: StopDecision): string | undefined {
  switch (decision.kind) {
    case "end":
      return undefined
    case "finish":
      return sayFinish(who, decision.task)
    case "next":
      return sayNext(who, decision)
    case "wait":
      return sayWait(who)
  }
}

/** Subagents and the host's own tasks and teammates are not part of the team. They only show that the session works. */
export const signOfLife: HookHandler = async (_call, { seat, context }) => {
  if (seat !== null) await keepSeat(context, seat)
  return NO_ANSWER
}

/** Releases what the session held. A resumed session may join again. */
export const sessionEnd: HookHandler = async (call, { seat, context, host }) => {
  if (seat === null) return NO_ANSWER
  await leave.run(context, { terminalId: seat.terminalId, reason: "the session ended" })
  removeMarker(host.home, call.session)
  return NO_ANSWER
}
