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
  /** `keep` where the team could not be archived. */
  readonly action: Exclude<CompletionAction, "interactive">
  readonly summary: string | null
  readonly removed: readonly string[]
  /** Refs with work that was not committed or not merged. */
  readonly pins: readonly string[]
  readonly artifacts: readonly string[]
  readonly warnings: readonly string[]
}

export interface ArchiveRequest extends TeamName {
  /** Null without a repository; worktrees stay then. */
  readonly workspaces: WorkspaceTools | null
  /** Delivers the results before anything is archived; returns where to. */
  readonly handOver?: () => Promise<string>
}

/**
 * Archives a finished team: hands over its results where asked, removes its worktrees with their content pinned,
 * writes a summary, and completes the team. If a step fails, the team is kept with a warning.
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
