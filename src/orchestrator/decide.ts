import { whoDecides } from "../requests/approval.ts"
import { combine, type Decision, doNow, type EngineLimits, type EngineSnapshot, NOTHING } from "./actions.ts"
import { advance, finishPart } from "./advance.ts"
import { staff } from "./balance.ts"
import { react } from "./react.ts"
import { supervise } from "./supervise.ts"

/** All decisions of the engine are made here. */
export function decide(snapshot: EngineSnapshot, limits: EngineLimits): Decision {
  const staffing = staff(snapshot, limits)
  const reaction = doNow(...react(snapshot, limits))
  // Reactions may change the team's progress, which shows at the next look.
  const isAhead = reaction.actions.length === 0 || snapshot.team.status === "cancelled"
  const progress = isAhead ? advance(snapshot, limits) : NOTHING
  const decision = combine([supervise(snapshot, limits), staffing, judge(snapshot), reaction, progress])
  if (decision.actions.length === 0 && snapshot.busy === null && staffing.stuck !== null)
    return finishPart(snapshot, limits) ?? doNow({ type: "end", outcome: "stuck", reason: staffing.stuck })
  return decision
}

/** Routine approvals, without a person. */
function judge({ team, approvals }: EngineSnapshot): Decision {
  const routine = approvals.filter((approval) => whoDecides(team.mode, approval) === "lead")
  return doNow(...routine.map((approval) => ({ type: "judge-approval", approval }) as const))
}
