import { AppError } from "../../kernel/errors.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { CompletionAction } from "../../teams/completion.ts"
import { archiveTeam, assertArchivable, keepTeam } from "../../teams/operations/complete-team.ts"
import { renderSummary } from "../../teams/views/completion-view.ts"
import { removeWorktree, type WorkspaceTools } from "../../workers/swarm/worktrees.ts"
import { listDelivered } from "../deliverables.ts"
import { type DeliveredWork, readDeliverables } from "../operations/read-deliverables.ts"

export interface Completed {
  /** What was done in the end: a team that could not be put away is kept. */
  readonly action: Exclude<CompletionAction, "interactive">
  readonly summary: string | null
  /** Worktrees that were removed. */
  readonly removed: readonly string[]
  /** Where work that was in no commit, or not merged, is kept. */
  readonly pins: readonly string[]
  readonly artifacts: readonly string[]
  readonly warnings: readonly string[]
}

export interface ArchiveRequest extends TeamName {
  /** Null where there is no repository: worktrees stay then. */
  readonly workspaces: WorkspaceTools | null
  /** Hands the results over before anything is put away; where to. */
  readonly handOver?: () => Promise<string>
}

/**
 * Puts a team away that is done: hands it over where that is asked for, removes its worktrees with all that they hold
 * pinned, writes a summary, and completes it. Whatever fails on the way, the team is kept as it is then, with a warning.
 */
export async function completeTeam(context: Context, request: ArchiveRequest): Promise<Completed> {
  const { workspaces, handOver, ...name } = request
  await assertArchivable(context, name)
  const work = await readDeliverables(context, name)
  const artifacts = listDelivered(work.deliverables)
  const gone: Gone = { removed: [], pins: [] }
  try {
    const place = (await handOver?.()) ?? null
    if (workspaces !== null) await removeAll(context, name, { workspaces, gone })
    const how = place === null ? "archive" : "export"
    const summary = summarize(work, { ...gone, place })
    await archiveTeam(context, { ...name, summary, how })
    return { action: how, summary, ...gone, artifacts, warnings: [] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await keepTeam.run(context, { ...name, reason: error.message })
    const warning = `${describeTeam(name)} was not put away, and is kept: ${error.message}`
    return { action: "keep", summary: null, ...gone, artifacts, warnings: [warning] }
  }
}

interface Gone {
  readonly removed: string[]
  readonly pins: string[]
}

async function removeAll(
  context: Context,
  name: TeamName,
  { workspaces, gone }: { readonly workspaces: WorkspaceTools; readonly gone: Gone },
): Promise<void> {
  for (const { worker } of await workspaces.workspaces.list()) {
    const { path, pinned } = await removeWorktree(context, workspaces, { ...name, workerId: worker as WorkerId })
    gone.removed.push(path)
    gone.pins.push(...pinned.map(({ ref }) => ref))
  }
}

function summarize({ team, deliverables }: DeliveredWork, rest: Gone & { readonly place: string | null }): string {
  return renderSummary({ ...rest, team, deliverables })
}
