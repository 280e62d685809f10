import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { listTasks } from "../../tasks/operations/list-tasks.ts"
import { releaseTask } from "../../tasks/operations/release-task.ts"
import { forgetPane, noteWorkerExited } from "../operations/worker-life.ts"
import type { Runtime } from "../runtimes/port.ts"
import type { RuntimeName } from "./worker-launch.ts"
import { getWorkerHere, type KnownWorker, listKnownWorkers } from "./worker-processes.ts"
import { removeWorktree, type WorkspaceTools } from "./worktrees.ts"

export interface StopRequest extends TeamName {
  readonly worker: WorkerId | null
  readonly graceMs: number
  readonly machine: string
  readonly runtime: (name: RuntimeName) => Promise<Runtime>
  /** Null without the repository: worktrees stay then. */
  readonly workspaces: WorkspaceTools | null
}

export interface StoppedWorker {
  readonly id: WorkerId
  readonly wasRunning: boolean
  readonly released: readonly string[]
  readonly worktree: string | null
  readonly pins: readonly string[]
}

/** With all their processes. Releases their tasks, pins their commits and removes their worktrees. */
export async function stopWorkers(context: Context, request: StopRequest): Promise<StoppedWorker[]> {
  const here = request.machine
  const known = await listKnownWorkers(context, request, here)
  const meant =
    request.worker === null
      ? known.filter(({ state, machine }) => state !== "ended" && (machine === null || machine === here))
      : [getWorkerHere(known, request.worker, here, "stop it")]
  const end = { ...request, by: PERSON, reason: "stopped", detail: null } as const
  return Promise.all(meant.map((each) => endWorker(context, end, each)))
}

export interface WorkerEnding extends TeamName {
  readonly graceMs: number
  readonly runtime: (name: RuntimeName) => Promise<Runtime>
  readonly workspaces: WorkspaceTools | null
  readonly by: string
  readonly reason: "stopped" | "lost"
  readonly detail: string | null
}

export async function endWorker(context: Context, request: WorkerEnding, known: KnownWorker): Promise<StoppedWorker> {
  const { id } = known
  const { by, reason, detail, project, team, run } = request
  const name = { project, team, run }
  await using runtime = await request.runtime(known.runtime)
  await runtime.stop(id, known.process, { graceMs: request.graceMs })
  if (known.worker.pane !== null) await forgetPane(context, { ...name, worker: id })
  // Before the task is released: pins the worker's changes as work on it.
  const removed =
    request.workspaces === null
      ? undefined
      : await removeWorktree(context, request.workspaces, { ...name, workerId: id })
  const released: string[] = []
  for (const task of await listTasks.run(context, { ...name, status: "in_progress" })) {
    if (task.claimedBy !== id) continue
    const release = { ...name, id: task.id, owner: id, reason: `${id} was ${reason}` }
    if (await isReleased(releaseTask.run(context, release))) released.push(task.id)
  }
  await noteWorkerExited(context, { ...name, by, worker: id, reason, detail })
  return {
    id,
    wasRunning: known.state === "running" || known.state === "spawning",
    released,
    worktree: removed?.isRemoved === true ? removed.path : null,
    pins: removed?.pinned.map((pin) => pin.ref) ?? [],
  }
}

/** False when the task ended or changed its owner meanwhile. */
async function isReleased(release: Promise<unknown>): Promise<boolean> {
  try {
    await release
    return true
  } catch (error) {
    if (error instanceof AppError && ["claim.lost", "task.transition"].includes(error.code)) return false
    throw error
  }
}
