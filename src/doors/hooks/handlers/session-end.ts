import { removeMarker } from "../../../sessions/effects/seat-marker.ts"
import { leave } from "../../../sessions/operations/seats.ts"
import type { HookHandler } from "../handler.ts"
import { NO_ANSWER } from "../hook-call.ts"

/** What the session held is for others to take. Should it be resumed, it may join again. */
export const sessionEnd: HookHandler = async (call, { seat, context, host }) => {
  if (seat === null) return NO_ANSWER
  await leave.run(context, { terminalId: seat.terminalId, reason: "the session ended" })
  await removeMarker(host.home, call.session)
  return NO_ANSWER
}
