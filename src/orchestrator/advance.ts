import { isHeld, isMet, type Task } from "../tasks/task.ts"
import type { Action, Decision, EngineLimits, EngineSnapshot, LongAction } from "./actions.ts"
import { listClaimable } from "./claimable.ts"
import { deliverPart, waitsForPart } from "./finish-part.ts"
import { elsewhereOf, hasUnmerged, isBeingRepaired, isStillWorkedOn, waitsForRepair } from "./merged.ts"
import { recheckDependants } from "./recheck-dependants.ts"
import { fixFindings, reviewWork, sayReviewState } from "./settle-findings.ts"

/** What brings a team forward as a whole: merging, gates, the review, delivery and the end. */
export function advance(snapshot: EngineSnapshot, limits: EngineLimits): Decision {
  if (snapshot.team.status === "cancelled") {
    return { actions: [{ type: "end", outcome: "cancelled", reason: "the team was cancelled" }], wakeAt: null }
  }
  const next = snapshot.busy === null ? nextStep(snapshot, limits) : undefined
  if (next === undefined) return { actions: [], wakeAt: null }
  if (next.type === "merge" && mayGather(snapshot)) return { actions: [], wakeAt: snapshot.mergeAfter ?? null }
  return isLong(next) ? withPatience(snapshot, next) : { actions: [next], wakeAt: null }
}

/** Each merge costs as much for one task as for ten: a short rest makes fewer of them, while others work and none waits. */
function mayGather({ now, mergeAfter = 0, tasks }: EngineSnapshot): boolean {
  if (mergeAfter <= now || !tasks.some(({ status }) => status === "in_progress")) return false
  const reviewed = new Set(tasks.filter(({ status }) => status === "in_review").map(({ id }) => id))
  return !tasks.some(({ status, blockedBy }) => status === "open" && blockedBy.some((id) => reviewed.has(id)))
}

/** What failed for a reason that is not the work's is tried again, later each time, and not for ever. */
const MAX_TRIES = 5

function withPatience({ now, troubles }: EngineSnapshot, action: LongAction): Decision {
  const trouble = troubles.find((each) => each.action === action.type)
  if (trouble === undefined) return { actions: [action], wakeAt: null }
  if (trouble.times >= MAX_TRIES) {
    return { actions: [{ type: "end", outcome: "failed", reason: trouble.reason }], wakeAt: null }
  }
  if (trouble.notBefore > now) return { actions: [], wakeAt: trouble.notBefore }
  return { actions: [action], wakeAt: null }
}

/** For a team whose rest finds nobody to do it: the next step towards delivering what is finished; undefined for none. */
export function finishPart(snapshot: EngineSnapshot, limits: EngineLimits): Decision | undefined {
  if (waitsForPart(snapshot, limits)) return { actions: [], wakeAt: null }
  const next = deliverPart(snapshot, limits)
  if (next === undefined) return undefined
  return isLong(next) ? withPatience(snapshot, next) : { actions: [next], wakeAt: null }
}

const LONG: readonly Action["type"][] = [
  ...(["merge", "verify-wave", "verify-final", "verify-part", "recheck", "review", "deliver", "deliver-part"] as const),
]

export function isLong(action: Action): action is LongAction {
  return LONG.includes(action.type)
}

function nextStep(snapshot: EngineSnapshot, limits: EngineLimits): Action | undefined {
  const { tasks, team } = snapshot
  if (tasks.length === 0) return { type: "end", outcome: "failed", reason: "there are no tasks" }
  if (isStillWorkedOn(snapshot)) return undefined
  const mayMerge = canBeMerged(snapshot)
  const isAway = (task: Task) => elsewhereOf(snapshot, task) !== undefined
  const canMerge = (task: Task) => task.status === "in_review" && mayMerge(task) && !isAway(task)
  if (team.schedule === "eager" && tasks.some(canMerge)) return { type: "merge", wave: null }
  const next = nextOfWaves(snapshot, limits) ?? recheckDependants(snapshot)
  if (next !== undefined) return next === "wait" ? undefined : next
  return tasks.every(isDone) && !tasks.some(isAway) ? finish(snapshot, limits) : giveUp(snapshot, limits)
}

/** Tasks that cannot be merged before a person has said which side of a shared file holds. */
function asksAbout({ approvals }: EngineSnapshot): (task: Task) => boolean {
  const asked = new Set(approvals.flatMap(({ scope, taskId }) => (scope === "shared-file" ? [taskId] : [])))
  return ({ id }) => asked.has(id)
}

/** Tasks for which a merge now would change something. */
function canBeMerged(snapshot: EngineSnapshot): (task: Task) => boolean {
  const [isAsked, isWaiting] = [asksAbout(snapshot), waitsForRepair(snapshot)]
  return (task) => !isAsked(task) && !isWaiting(task)
}

/** The first wave that is not verified: merged as a whole once all its tasks are done, then judged. */
function nextOfWaves(snapshot: EngineSnapshot, limits: EngineLimits): Action | "wait" | undefined {
  const { waves, tasks } = snapshot
  const [isAsked, mayMerge] = [asksAbout(snapshot), canBeMerged(snapshot)]
  const wave = waves.waves.find((each) => each.status !== "verified")
  if (wave === undefined) {
    if (waves.totalWaves > 0 || !(tasks.every(isDone) || isBeingRepaired(tasks))) return undefined
    if (hasUnmerged(snapshot, tasks.filter(mayMerge))) return { type: "merge", wave: null }
    return tasks.every(isDone) && tasks.some(isAsked) ? "wait" : undefined
  }
  const own = tasks.filter((task) => task.wave === wave.id)
  if (!(own.every(isDone) || isBeingRepaired(own))) return undefined
  if (hasUnmerged(snapshot, own.filter(mayMerge))) return { type: "merge", wave: wave.id }
  if (!own.every(isDone)) return undefined
  if (own.some(isAsked)) return "wait"
  if (own.some((task) => elsewhereOf(snapshot, task) !== undefined)) return undefined
  if (wave.status !== "failed") return { type: "verify-wave", wave: wave.id }
  return sendBack(snapshot, limits, { scope: "wave", wave: wave.id })
}

function isDone({ status }: Task): boolean {
  return isMet(status)
}

/** Everything is done and verified wave by wave. */
function finish(snapshot: EngineSnapshot, limits: EngineLimits): Action | undefined {
  const { team, final, delivery, finalApproval } = snapshot
  // Before the final gate: a fix would make it judge everything once more.
  const fix = fixFindings(snapshot, limits)
  if (fix !== undefined) return fix === "wait" ? undefined : fix
  if (final === null || final === "skipped") return { type: "verify-final" }
  if (final === "failed") return sendBack(snapshot, limits, { scope: "final", wave: null })
  const review = reviewWork(snapshot, limits)
  // A review is paid for like any other run.
  if (review !== undefined && review !== "wait" && review.type === "review" && isOutOfMoney(snapshot))
    return endPaused(snapshot)
  if (review !== undefined) return review === "wait" ? undefined : review
  if (team.mode === "SUPERVISED" && delivery !== "done" && delivery !== "refused" && finalApproval !== "approved") {
    if (finalApproval === null) return { type: "ask-final" }
    if (finalApproval === "pending") return undefined
    return {
      type: "end",
      outcome: "paused",
      reason: "the final delivery was rejected; see: teamwork approvals --status rejected",
    }
  }
  if (limits.deliver && (delivery === "none" || delivery === "part")) return { type: "deliver" }
  return { type: "end", outcome: "done", reason: `${DONE[delivery]}${sayReviewState(snapshot, limits)}` }
}

function isOutOfMoney({ team, history }: EngineSnapshot): boolean {
  return team.status === "paused" && history.isOverBudget
}

function endPaused({ history }: EngineSnapshot): Action {
  return { type: "end", outcome: "paused", reason: history.pauseReason ?? "the team is paused" }
}

export const ALL_DONE = "all tasks are done and verified"

const DONE: Readonly<Record<EngineSnapshot["delivery"], string>> = {
  done: ALL_DONE,
  part: ALL_DONE,
  none: `${ALL_DONE} on the integration branch, not delivered; do that with: teamwork deliver`,
  refused: `${ALL_DONE}, but changes of your own are in the way of delivering them; then: teamwork deliver`,
}

function sendBack(
  { refusals }: EngineSnapshot,
  { maxRefusals }: EngineLimits,
  { scope, wave }: { readonly scope: "wave" | "final"; readonly wave: number | null },
): Action {
  const name = wave === null ? scope : `${scope} ${wave}`
  const times = refusals.get(name) ?? 0
  if (times <= maxRefusals) return { type: "fix-gate", scope, wave }
  return {
    type: "end",
    outcome: "failed",
    reason: `the gate of ${name} failed ${times} times; see: teamwork verdict list`,
  }
}

/** When nothing can go on without a person, and nobody is at work any more. */
function giveUp(snapshot: EngineSnapshot, limits: EngineLimits): Action | undefined {
  const { tasks, team, isPausedByEngine, history } = snapshot
  const away = tasks.flatMap((task) => {
    const where = elsewhereOf(snapshot, task)
    return where === undefined ? [] : [{ task, where }]
  })
  if (tasks.some((task) => isHeld(task.status) && !away.some((each) => each.task === task))) return undefined
  if (team.status === "paused") {
    return isPausedByEngine ? endPaused(snapshot) : undefined
  }
  if (listClaimable(snapshot).length > 0) return undefined
  // Whoever decides lets it go on from here.
  const asked = new Set(snapshot.questions.filter(({ kind }) => kind === "escalation").map(({ taskId }) => taskId))
  if (tasks.some(({ id, status }) => status === "paused" && asked.has(id))) return undefined
  const part = deliverPart(snapshot, limits)
  if (part !== undefined) return part
  if (waitsForPart(snapshot, limits)) return undefined
  // Everything open waits for something that is not open itself.
  const stuck = tasks.filter((task) => task.status !== "open" && !isHeld(task.status) && !isDone(task))
  const names = stuck.map(({ id, status, pauseReason }) => {
    const why = firstLine(status === "failed" ? history.tasks.get(id)?.reason : pauseReason)
    return `task ${id} ${status === "failed" ? "failed" : `is ${status}`}${why === "" ? "" : ` (${why})`}`
  })
  names.unshift(...away.map(({ task, where }) => `task ${task.id} is not merged: ${where}`))
  const reason = names.slice(0, MOST_NAMED).join(", ") || "no task can be started"
  return { type: "end", outcome: "stuck", reason: `${reason}${PART[partState(snapshot)]}` }
}

const MOST_NAMED = 10

function firstLine(text: string | null | undefined): string {
  return text?.split("\n", 1)[0] ?? ""
}

function partState({ part, delivery, finalApproval }: EngineSnapshot): keyof typeof PART {
  if (delivery === "part") return "delivered"
  if (delivery === "refused") return "refused"
  if (part === "failed") return "failed"
  return part === "passed" && finalApproval === "rejected" ? "rejected" : "none"
}

const PART = {
  none: "",
  delivered: "; what is finished was delivered without the rest",
  refused: "; changes of your own are in the way of delivering what is finished; then: teamwork deliver --partial",
  failed: "; what is finished does not pass the final gate without the rest, see: teamwork verdict list",
  rejected: "; the delivery of what is finished was rejected, see: teamwork approvals --status rejected",
} as const
