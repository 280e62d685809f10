import { keepSeat } from "../../../sessions/operations/seat-duties.ts"
import type { HookHandler } from "../handler.ts"
import { NO_ANSWER } from "../hook-call.ts"

/**
 * Subagents, and the host's own lists of tasks and teammates, are none of the team's: they only show that the session
 * works.
 */
export const signOfLife: HookHandler = async (_call, { seat, context }) => {
  if (seat !== null) await keepSeat(context, seat)
  return NO_ANSWER
}
