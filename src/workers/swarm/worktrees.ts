import type {
  CreatedWorkspace,
  ListedPin,
  Pins,
  RemovedWorkspace,
  SyncedWorkspace,
  Workspaces,
} from "../../git/port.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { findAttempt, forgetWorkspace, recordSync, recordWorkspace } from "../operations/worker-workspace.ts"

export type { ListedPin }

export interface WorkspaceTools {
  readonly workspaces: Workspaces
  readonly pins: Pins
  /** Adds what programs in a worktree need: its own Python, its ports. */
  readonly surround?: (env: Readonly<Record<string, string>>, folder: string) => Record<string, string>
}

interface WorkerRequest extends TeamName {
  readonly workerId: WorkerId
}

// Git first, then the store: git has the truth, and the next call or `doctor --fix` corrects the record.

export async function createWorktree(
  context: Context,
  { workspaces }: WorkspaceTools,
  { base, ...request }: WorkerRequest & { readonly base?: string },
): Promise<CreatedWorkspace> {
  const attempt = (await findAttempt(context, request)) ?? undefined
  const created = await workspaces.create({ worker: request.workerId, base, attempt })
  await recordWorkspace(context, { ...request, path: created.path, branch: created.branch, base: created.base })
  return created
}

export async function removeWorktree(
  context: Context,
  { workspaces }: WorkspaceTools,
  request: WorkerRequest,
): Promise<RemovedWorkspace> {
  const place = (await findAttempt(context, request)) ?? undefined
  const removed = await workspaces.remove({ worker: request.workerId, place })
  await forgetWorkspace(context, { ...request, path: removed.path, pins: removed.pinned.map((pin) => pin.ref) })
  return removed
}

export async function syncWorktree(
  context: Context,
  { workspaces }: WorkspaceTools,
  request: WorkerRequest,
): Promise<SyncedWorkspace> {
  await findAttempt(context, request)
  const synced = await workspaces.sync({ worker: request.workerId })
  await recordSync(context, { ...request, result: synced.result, onto: synced.onto, head: synced.head })
  return synced
}
