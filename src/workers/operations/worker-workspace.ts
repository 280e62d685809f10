import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTask, getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import type { Worker } from "../worker.ts"

interface WorkerName extends TeamName {
  readonly workerId: WorkerId
}

/** Null when the worker holds no task. */
export function findAttempt(
  { store }: Context,
  { workerId, ...name }: WorkerName,
): Promise<{ task: string; attempt: number } | null> {
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const task = (await tx.workers.find(key, workerId))?.currentTask ?? null
    return task === null ? null : { task, attempt: (await getTask(tx, key, task)).attempt }
  })
}

/** Also registers an unknown worker. */
export function recordWorkspace(
  { store }: Context,
  { workerId, path, branch, base, ...name }: WorkerName & { path: string; branch: string; base: string },
): Promise<Worker> {
  return store.write(async (tx) => {
    const { key } = await lockTeam(tx, name)
    const known = await tx.workers.find(key, workerId)
    const worker = await tx.workers.put(key, workerId, { workspace: { worktree: path, branch } })
    if (known?.worktree !== path || known.branch !== branch) {
      const data = { worker: workerId, path, branch, base }
      await tx.events.append(key, workerId, { type: "workspace.created", data })
    }
    return worker
  })
}

/** Records nothing without a worktree. */
export function forgetWorkspace(
  { store }: Context,
  { workerId, path, pins, ...name }: WorkerName & { path: string; pins: readonly string[] },
): Promise<void> {
  return store.write(async (tx) => {
    const { key } = await lockTeam(tx, name)
    const known = await tx.workers.find(key, workerId)
    if (known === undefined || (known.worktree === null && pins.length === 0)) return
    await tx.workers.put(key, workerId, { workspace: null })
    const data = { worker: workerId, path, pins: [...pins] }
    await tx.events.append(key, workerId, { type: "workspace.removed", data })
  })
}

interface Synced extends WorkerName {
  readonly result: "up-to-date" | "fast-forward" | "merged"
  readonly onto: string
  readonly head: string
}

export function recordSync({ store }: Context, { workerId, result, onto, head, ...name }: Synced): Promise<void> {
  return store.write(async (tx) => {
    const { key } = await lockTeam(tx, name)
    if (result === "up-to-date") return
    await tx.events.append(key, workerId, { type: "workspace.synced", data: { worker: workerId, result, onto, head } })
  })
}
