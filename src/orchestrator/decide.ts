import { whoDecides } from "../requests/approval.ts"
import type { Decision, EngineLimits, EngineSnapshot } from "./actions.ts"
import { advance, finishPart } from "./advance.ts"
import { staff } from "./balance.ts"
import { react } from "./react.ts"
import { earliest, supervise } from "./supervise.ts"

/** What is to be done now, by what is and what should be. Everything the engine does is decided here. */
export function decide(snapshot: EngineSnapshot, limits: EngineLimits): Decision {
  const staffing = staff(snapshot, limits)
  const reaction = { actions: react(snapshot, limits), wakeAt: null }
  // Whatever follows from what happened may change how far the team is; that shows at the next look.
  const isAhead = reaction.actions.length === 0 || snapshot.team.status === "cancelled"
  const progress = isAhead ? [advance(snapshot, limits)] : []
  const rulings: Decision[] = [supervise(snapshot, limits), staffing, judge(snapshot), reaction, ...progress]
  const actions = rulings.flatMap((ruling) => ruling.actions)
  if (actions.length === 0 && snapshot.busy === null && staffing.stuck !== null) {
    // What is finished need not wait for the rest.
    const part = finishPart(snapshot, limits)
    if (part !== undefined) return part
    return { actions: [{ type: "end", outcome: "stuck", reason: staffing.stuck }], wakeAt: null }
  }
  return { actions, wakeAt: earliest(rulings.map((ruling) => ruling.wakeAt)) }
}

/** What no person is asked about is decided by whoever leads. */
function judge({ team, approvals }: EngineSnapshot): Decision {
  const routine = approvals.filter((approval) => whoDecides(team.mode, approval) === "lead")
  return { actions: routine.map((approval) => ({ type: "judge-approval", approval })), wakeAt: null }
}
