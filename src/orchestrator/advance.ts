import { firstLine } from "../lib/text/last-lines.ts"
import { listDueRechecks } from "../tasks/recheck.ts"
import { isHeld, isMet, type Task } from "../tasks/task.ts"
import {
  type Action,
  type Decision,
  doNow,
  type EngineLimits,
  type EngineSnapshot,
  isLong,
  type LongAction,
  NOTHING,
} from "./actions.ts"
import { listClaimable } from "./claimable.ts"
import { deliverPart, describePart, endPaused, finish, sendBack, waitsForPart } from "./finish.ts"
import { elsewhereOf, hasUnmerged, isBeingRepaired, isStillWorkedOn, waitsForRepair } from "./merged.ts"

/** Merging, gates, the review, delivery and the end. */
export function advance(snapshot: EngineSnapshot, limits: EngineLimits): Decision {
  if (snapshot.team.status === "cancelled")
    return doNow({ type: "end", outcome: "cancelled", reason: "the team was cancelled" })
  const next = snapshot.busy === null ? nextStep(snapshot, limits) : undefined
  if (next === undefined) return NOTHING
  if (next.type === "merge" && mayGather(snapshot)) return { actions: [], wakeAt: snapshot.mergeAfter ?? null }
  return withRetry(snapshot, next)
}

/** A merge costs as much for one task as for ten: while others work and none waits, a short rest saves merges. */
function mayGather({ now, mergeAfter = 0, tasks }: EngineSnapshot): boolean {
  if (mergeAfter <= now || !tasks.some(({ status }) => status === "in_progress")) return false
  const reviewed = new Set(tasks.filter(({ status }) => status === "in_review").map(({ id }) => id))
  return !tasks.some(({ status, blockedBy }) => status === "open" && blockedBy.some((id) => reviewed.has(id)))
}

/** For a failure outside the work. Each try waits longer. */
const MAX_TRIES = 5

function withRetry({ now, troubles }: EngineSnapshot, action: Action): Decision {
  const trouble = isLong(action) ? troubles.find((each) => each.action === action.type) : undefined
  if (trouble === undefined) return doNow(action)
  if (trouble.times >= MAX_TRIES) return doNow({ type: "end", outcome: "failed", reason: trouble.reason })
  return trouble.notBefore > now ? { actions: [], wakeAt: trouble.notBefore } : doNow(action)
}

/** No worker can do the rest: the next step to deliver what is finished. */
export function finishPart(snapshot: EngineSnapshot, limits: EngineLimits): Decision | undefined {
  if (waitsForPart(snapshot, limits)) return NOTHING
  const next = deliverPart(snapshot, limits)
  return next && withRetry(snapshot, next)
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

/** Tasks that wait until a person decides which side of a shared file to keep. */
function asksAbout({ approvals }: EngineSnapshot): (task: Task) => boolean {
  const asked = new Set(approvals.flatMap(({ scope, taskId }) => (scope === "shared-file" ? [taskId] : [])))
  return ({ id }) => asked.has(id)
}

/** Tasks for which a merge now would change something. */
function canBeMerged(snapshot: EngineSnapshot): (task: Task) => boolean {
  const [isAsked, isWaiting] = [asksAbout(snapshot), waitsForRepair(snapshot)]
  return (task) => !isAsked(task) && !isWaiting(task)
}

/** The first unverified wave is merged as a whole once all its tasks are done, then judged. */
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

/** Tasks that build on a revised one are checked again once its new work is merged. */
function recheckDependants({ tasks, history, team, waves }: EngineSnapshot): LongAction | undefined {
  const asked = new Map<string, string>()
  for (const { id, recheckOf } of history.tasks.values()) if (recheckOf !== null) asked.set(id, recheckOf)
  if (asked.size === 0) return undefined
  const waveOf = new Map<string, number | null>(tasks.map(({ id, wave }) => [id, wave]))
  const verified = new Set(waves.waves.filter(({ status }) => status === "verified").map(({ id }) => id))
  // A resolved task is merged at once in an eager team, otherwise with its wave.
  const isMerged = (id: string) => {
    const wave = waveOf.get(id) ?? null
    return team.schedule === "eager" || wave === null || verified.has(wave)
  }
  const due = listDueRechecks(tasks, asked).filter(({ id, blockedBy }) => [...blockedBy, id].every(isMerged))
  return due.length === 0 ? undefined : { type: "recheck", tasks: due.map(({ id }) => id) }
}

/** When only a person can help, and no worker is busy. */
function giveUp(snapshot: EngineSnapshot, limits: EngineLimits): Action | undefined {
  const { tasks, team, isPausedByEngine, history } = snapshot
  const away = tasks.flatMap((task) => {
    const where = elsewhereOf(snapshot, task)
    return where === undefined ? [] : [{ task, where }]
  })
  if (tasks.some((task) => isHeld(task.status) && !away.some((each) => each.task === task))) return undefined
  if (team.status === "paused") return isPausedByEngine ? endPaused(snapshot) : undefined
  if (listClaimable(snapshot).length > 0) return undefined
  // The answer to an escalation unblocks the task.
  const asked = new Set(snapshot.questions.filter(({ kind }) => kind === "escalation").map(({ taskId }) => taskId))
  if (tasks.some(({ id, status }) => status === "paused" && asked.has(id))) return undefined
  const part = deliverPart(snapshot, limits)
  if (part !== undefined) return part
  if (waitsForPart(snapshot, limits)) return undefined
  // Everything open waits for one of these.
  const stuck = tasks.filter((task) => task.status !== "open" && !isHeld(task.status) && !isDone(task))
  const names = stuck.map(({ id, status, pauseReason }) => {
    const why = firstLine(status === "failed" ? history.tasks.get(id)?.reason : pauseReason)
    return `task ${id} ${status === "failed" ? "failed" : `is ${status}`}${why === "" ? "" : ` (${why})`}`
  })
  names.unshift(...away.map(({ task, where }) => `task ${task.id} is not merged: ${where}`))
  const reason = names.slice(0, MOST_NAMED).join(", ") || "no task can be started"
  return { type: "end", outcome: "stuck", reason: `${reason}${describePart(snapshot)}` }
}

const MOST_NAMED = 10
