import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { optional } from "../../lib/fields.ts"
import { resolvePath } from "../../lib/paths.ts"
import { textField } from "../../store/operation.ts"
import type { WorkspaceTools } from "../../workers/swarm/worktrees.ts"
import type { Session } from "../command.ts"

/** The repository, for whoever is not in it. */
export const sourceDirField = optional(textField("folder of the repository; the current one by default"))

/** Worktrees and pins of the team that a command is about. */
export async function toolsOf(
  { configured, host }: Session,
  { project, team, sourceDir }: { project: string; team: string; sourceDir?: string },
): Promise<WorkspaceTools> {
  const { workspaces } = await configured()
  return workspaces({ sourceDir: sourceDir ?? host.io.cwd, team: { project, team } })
}

interface HandWork<T> {
  readonly project: string
  readonly team: string
  readonly sourceDir?: string
  readonly target?: string
  readonly work: () => Promise<T>
}

/** Something by hand that begins work, on the newest state; with what a person should know. */
export async function renewHere<T>(session: Session, { sourceDir, ...request }: HandWork<T>) {
  const { merging } = await session.configured()
  const { workspaces } = await toolsOf(session, { ...request, sourceDir })
  const { renewAround } = await import("../../delivery/merge-queue/renew-integration.ts")
  const ports = { ...(await merging(resolvePath(sourceDir ?? ".", session.host.io.cwd))), workspaces }
  return renewAround(await session.context(), ports, request)
}

const NOT_HERE: readonly string[] = ["workspace.no_repository", "project.elsewhere"]

/** Null where there is no repository, or another project's: workers can be stopped from anywhere. */
export async function findTools(
  session: Session,
  place: TeamName & { readonly sourceDir?: string },
): Promise<WorkspaceTools | null> {
  try {
    return await toolsOf(session, place)
  } catch (error) {
    const isElsewhere = error instanceof AppError && NOT_HERE.includes(error.code)
    if (isElsewhere && place.sourceDir === undefined) return null
    throw error
  }
}
