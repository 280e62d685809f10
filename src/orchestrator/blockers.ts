import { isWaiting } from "../tasks/blocker.ts"
import { takesClaims } from "../tasks/readiness.ts"
import type { Task } from "../tasks/task.ts"
import type { EngineLimits, EngineSnapshot, ShortAction } from "./actions.ts"

/** How often a failed task is tried again because others wait for it, on top of the retries every task has. */
const MOST_RETRIES = 1

/**
 * A failed task keeps those that need it waiting for ever, and in a schedule of waves everything behind its wave, unless
 * somebody decides. Here the configuration does.
 */
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

/** The failed tasks that others wait for. */
function listBlockers(tasks: readonly Task[], { schedule }: EngineSnapshot["team"]): Task[] {
  const failed = tasks.filter(({ status }) => status === "failed")
  if (failed.length === 0) return []
  const waiting = tasks.filter(isWaiting)
  const needed = new Set<string>(waiting.flatMap(({ blockedBy }) => blockedBy))
  const last = schedule === "waves" ? Math.max(0, ...waiting.map(({ wave }) => wave ?? 0)) : 0
  return failed.filter(({ id, wave }) => needed.has(id) || (wave !== null && wave < last))
}
