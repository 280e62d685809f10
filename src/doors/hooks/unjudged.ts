import type { Host } from "../../app/host.ts"
import { findWrite } from "../../ownership/find-write.ts"
import { hasMarker } from "../../sessions/effects/seat-marker.ts"
import type { HookAnswer, HookCall } from "./hook-call.ts"

/**
 * What a call gets that could not be judged. A write of a session that takes part in a team is refused: silence would let
 * it through. A call that cannot even be read may be such a one, if any session takes part.
 */
export async function answerUnjudged({ home }: Pick<Host, "home">, call: HookCall): Promise<HookAnswer | undefined> {
  if (call.event !== "pre-tool-use" || !hasMarker(home, call.session)) return undefined
  const { tool } = call
  if (tool !== null && findWrite({ tool: tool.name, input: tool.input }) === undefined) return undefined
  const reason =
    "teamwork cannot tell whether this may be written, so it may not; why is in hooks.log in its home. Try again, or leave the team: teamwork leave"
  return { kind: "deny", reason }
}
