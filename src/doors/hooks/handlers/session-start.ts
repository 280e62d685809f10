import { isTeamActive, readSeatFacts } from "../../../sessions/operations/read-seat-facts.ts"
import { openTurn } from "../../../sessions/operations/seat-duties.ts"
import { sayInvitation, sayMessages, saySeat } from "../../../sessions/views/seat-view.ts"
import type { HookHandler, HookScene } from "../handler.ts"
import { type HookAnswer, type HookCall, NO_ANSWER } from "../hook-call.ts"

/** A session begins, is resumed, or lost its memory of what was before. */
export const sessionStart: HookHandler = async (call, scene) => {
  const { seat, context } = scene
  if (seat === null) return invite(call, scene)
  const facts = await readSeatFacts(context, seat)
  const messages = await openTurn(context, seat, { isPersons: true })
  return { kind: "context", text: [saySeat(seat, facts), sayMessages(messages)].filter(Boolean).join("\n\n") }
}

/** Commands of a session find it by a variable that its program sets; this one sets none. */
const WITHOUT_VARIABLE = "gemini"

async function invite(call: HookCall, { configured, context }: HookScene): Promise<HookAnswer> {
  const { project, team } = configured
  if (!(await isTeamActive(context, { project, team }))) return NO_ANSWER
  const terminalId = call.host === WITHOUT_VARIABLE ? call.session : null
  return { kind: "context", text: sayInvitation({ project, team }, { terminalId }) }
}
