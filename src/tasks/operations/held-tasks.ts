import type { WorkerId } from "../../kernel/ids.ts"
import type { Tx } from "../../store/port.ts"
import type { Task } from "../task.ts"
import { lockTask } from "./lookup.ts"

/** The latest claim first. */
export async function listHeld(tx: Tx, key: number, worker: string): Promise<Task[]> {
  const reviewed = await tx.tasks.list(key, { status: "in_review" })
  const held = [...(await tx.tasks.list(key, { status: "in_progress" })), ...reviewed]
  return held
    .filter((task) => isHolder(task, worker))
    .reverse()
    .sort((a, b) => (b.claimedAt ?? "").localeCompare(a.claimedAt ?? ""))
}

/** The tasks in progress, locked. */
export async function lockWorking(tx: Tx, key: number, worker: string): Promise<Task[]> {
  const locked: Task[] = []
  for (const { id, status } of await listHeld(tx, key, worker)) {
    const task = status === "in_progress" ? await lockTask(tx, key, id) : undefined
    // Before the lock, the task may have changed hands.
    if (task?.status === "in_progress" && isHolder(task, worker)) locked.push(task)
  }
  return locked
}

/** Also notes a heartbeat. */
export async function renewHeld(tx: Tx, key: number, worker: WorkerId): Promise<void> {
  await tx.workers.heard(key, worker)
  for (const { id } of await lockWorking(tx, key, worker)) await tx.tasks.renew(key, id)
}

/** A claim may name a worker besides its owner. */
function isHolder({ claimedBy, workerId }: Task, worker: string): boolean {
  return claimedBy === worker || workerId === worker
}
