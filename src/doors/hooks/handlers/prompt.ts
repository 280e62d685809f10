import { openTurn } from "../../../sessions/operations/seat-duties.ts"
import { isOwnWord, sayMessages } from "../../../sessions/views/seat-view.ts"
import type { HookHandler } from "../handler.ts"
import { NO_ANSWER } from "../hook-call.ts"

/** A turn begins: what came in meanwhile goes along. */
export const prompt: HookHandler = async (call, { seat, context }) => {
  if (seat === null) return NO_ANSWER
  const messages = await openTurn(context, seat, { isPersons: !isOwnWord(call.prompt) })
  return messages.length === 0 ? NO_ANSWER : { kind: "context", text: sayMessages(messages) }
}
