import { MAX_ID_LENGTH, type TaskId } from "../kernel/ids.ts"
import { listReachable } from "./layers.ts"
import type { TaskStatus } from "./task.ts"

/** Repairs a merge. The id follows from the attempt, so there is only one. */
export function fixIdOf({ id, attempt }: { readonly id: TaskId; readonly attempt: number }): TaskId {
  const plain = `fix-${id}-${attempt}`
  if (plain.length <= MAX_ID_LENGTH) return plain as TaskId
  return `fix-${new Bun.CryptoHasher("sha256").update(id).digest("hex").slice(0, 16)}-${attempt}` as TaskId
}

export function isFixId(id: string): boolean {
  return /^fix-.+-\d+$/.test(id)
}

/** The attempt that a fix repairs, if it is one of these tasks. */
export function findFixed(
  fix: string,
  tasks: readonly { readonly id: TaskId }[],
): { readonly id: TaskId; readonly attempt: number } | undefined {
  const attempt = Number(/^fix-.+-(\d+)$/.exec(fix)?.[1])
  const task = Number.isInteger(attempt) ? tasks.find(({ id }) => fixIdOf({ id, attempt }) === fix) : undefined
  return task && { id: task.id, attempt }
}

interface FixedTask {
  readonly id: TaskId
  readonly attempt: number
  readonly status: TaskStatus
}

/** The attempt that a fix must contain. Undefined if its task was given up or reopened: nothing waits for it then. */
export function findWorkToBring(
  fix: string,
  tasks: readonly FixedTask[],
): { readonly taskId: TaskId; readonly attempt: number } | undefined {
  const fixed = findFixed(fix, tasks)
  const task = fixed && tasks.find(({ id }) => id === fixed.id)
  const isWaitedFor = task?.attempt === fixed?.attempt && task?.status === "resolved"
  return fixed && isWaitedFor ? { taskId: fixed.id, attempt: fixed.attempt } : undefined
}

export interface FixedWork {
  readonly taskId: TaskId
  readonly head: string
}

/** Without this commit in the fix, the work would silently be lost. */
export function describeMissingWork({ taskId, head }: FixedWork): string {
  const short = head.slice(0, 12)
  return `the work of task ${taskId} (${short}) is not in it; bring it in with: git merge ${short}`
}

interface RepairTask {
  readonly id: TaskId
  readonly status: TaskStatus
  readonly blockedBy: readonly TaskId[]
}

const COMING: readonly TaskStatus[] = ["open", "in_progress", "in_review"]

/**
 * Whether the repair comes without a person. Only then tasks with the same files wait for it, not if it failed, is
 * paused, or waits for such a task.
 */
export function isRepairComing(id: string, tasks: ReadonlyMap<string, RepairTask>): boolean {
  const fix = tasks.get(id)
  if (fix === undefined || !COMING.includes(fix.status)) return false
  if (fix.status !== "open") return true
  return [...listNeeds(id, tasks)].every((need) => {
    const { status } = tasks.get(need) ?? { status: "skipped" }
    return status === "resolved" || status === "skipped" || COMING.includes(status)
  })
}

/** Direct and indirect. */
export function listNeeds(id: string, tasks: ReadonlyMap<string, Pick<RepairTask, "blockedBy">>): Set<string> {
  return listReachable(id, (each) => tasks.get(each)?.blockedBy ?? [])
}
