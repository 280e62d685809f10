import { SCRIPT } from "../agents/programs.ts"
import { isUnlimited } from "../kernel/budget.ts"
import { NOTHING_SPENT, overBudget, spentOfBudget, sumSpending } from "../reporting/spending.ts"
import { isWaiting } from "../tasks/blocker.ts"
import { cascadeIdOf, followUpOf, mayCascade } from "../tasks/follow-up.ts"
import { findObstacle, takesClaims } from "../tasks/readiness.ts"
import type { Task } from "../tasks/task.ts"
import type { EngineLimits, EngineSnapshot, ShortAction } from "./actions.ts"

export function react(snapshot: EngineSnapshot, limits: EngineLimits): ShortAction[] {
  return [
    ...checkBudgets(snapshot, limits),
    ...settleBlockers(snapshot, limits),
    ...cascade(snapshot, limits),
    ...notifyUnblocked(snapshot),
  ]
}

/** Pauses a team over its budget until a person answers. A worker over its own budget gets no more tasks. */
export function checkBudgets(
  { team, workers, history }: Pick<EngineSnapshot, "team" | "workers" | "history">,
  { budget, budgetPerWorker }: Pick<EngineLimits, "budget" | "budgetPerWorker">,
): ShortAction[] {
  if (isUnlimited(budget) && isUnlimited(budgetPerWorker)) return []
  const spent = sumSpending(history)
  const ofTeam = team.status === "active" ? overBudget(spentOfBudget(spent.team, history), budget) : undefined
  const pauses: ShortAction[] =
    ofTeam === undefined ? [] : [{ type: "pause-team", trigger: "budget", reason: `the team's budget: ${ofTeam}` }]
  const quarantines = workers.flatMap(({ id, availability, isRunning }): ShortAction[] => {
    if (isRunning === null || availability === "quarantined" || history.workers.get(id)?.quarantined === true) return []
    const reason = overBudget(spent.byWorker.get(id) ?? NOTHING_SPENT, budgetPerWorker)
    return reason === undefined ? [] : [{ type: "quarantine-worker", worker: id, reason: `its budget: ${reason}` }]
  })
  return [...pauses, ...quarantines]
}

/** For a failed task that others wait for, on top of the retries of every task. */
const MOST_RETRIES = 1

/** A failed task blocks those that need it, and in waves everything behind its wave. The configuration decides. */
export function settleBlockers(
  { team, tasks, history }: EngineSnapshot,
  { onBlockerFailed }: EngineLimits,
): ShortAction[] {
  if (onBlockerFailed === "ask" || !takesClaims(team)) return []
  return listBlockers(tasks, team).flatMap(({ id }) => {
    const retries = history.tasks.get(id)?.retries ?? 0
    if (onBlockerFailed === "retry" && retries >= MOST_RETRIES) return []
    return { type: "settle-blocker", task: id, choice: onBlockerFailed }
  })
}

function listBlockers(tasks: readonly Task[], { schedule }: EngineSnapshot["team"]): Task[] {
  const failed = tasks.filter(({ status }) => status === "failed")
  if (failed.length === 0) return []
  const waiting = tasks.filter(isWaiting)
  const needed = new Set<string>(waiting.flatMap(({ blockedBy }) => blockedBy))
  const last = schedule === "waves" ? Math.max(0, ...waiting.map(({ wave }) => wave ?? 0)) : 0
  return failed.filter(({ id, wave }) => needed.has(id) || (wave !== null && wave < last))
}

/**
 * Finished work gets a follow-up: tests for what was built, a review for tests. Once for each task: the follow-up's
 * id derives from the task's. Not for work of a script, which no agent could test, nor for a fix, whose task has
 * its own follow-up, nor for work that brought its tests.
 */
export function cascade(
  { team, tasks, history, tested }: EngineSnapshot,
  { enableCascade }: EngineLimits,
): ShortAction[] {
  if (!enableCascade || !takesClaims(team)) return []
  const known = new Set<string>(tasks.map(({ id }) => id))
  const finished = tasks.filter((task) => task.status === "resolved" && mayCascade(task))
  const candidates = finished.flatMap((task) => {
    const kind = followUpOf(task)
    if (kind === undefined || known.has(cascadeIdOf(task.id, kind))) return []
    return kind === "test" && tested.has(`${task.id}/${task.attempt}`) ? [] : [{ task, kind }]
  })
  if (candidates.length === 0) return []
  const agents = new Map(history.runs.values().map((run) => [run.task, run.agent])) // the latest run of each
  return candidates
    .filter(({ task }) => agents.get(task.id) !== SCRIPT)
    .map(({ task, kind }) => ({ type: "cascade", of: task.id, kind }))
}

/** Once for each attempt. Free workers claim other tasks by themselves. */
export function notifyUnblocked({ now, tasks, history, waves, ...snapshot }: EngineSnapshot): ShortAction[] {
  const team = { ...snapshot.team, currentWave: waves.currentWave }
  const unblocked = tasks.filter(
    (task) =>
      task.status === "open" &&
      task.assignee !== null &&
      task.blockedBy.length > 0 &&
      history.tasks.get(task.id)?.isUnblockedNotified !== true &&
      findObstacle(task, team, { now }) === undefined,
  )
  if (unblocked.length === 0) return []
  const endOf = new Map<string, string>(tasks.map(({ id, completedAt }) => [id, completedAt ?? ""]))
  return unblocked.map(({ id, blockedBy }) => {
    const last = blockedBy.reduce((a, b) => ((endOf.get(b) ?? "") > (endOf.get(a) ?? "") ? b : a))
    return { type: "notify-unblocked", task: id, by: last }
  })
}
