import * as v from "valibot"
import { renewAround } from "../../delivery/merge-queue/renew-integration.ts"
import { AppError } from "../../kernel/errors.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import { resolvePath } from "../../lib/paths.ts"
import { textField } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import type { WorkspaceTools } from "../../workers/swarm/worktrees.ts"
import type { Session } from "../command.ts"

/** For callers outside of the repository. */
export const sourceDirField = v.optional(textField("folder of the repository; the current one by default"))

export async function toolsOf(
  session: Session,
  { project, team, run, sourceDir }: TeamName & { readonly sourceDir?: string },
): Promise<WorkspaceTools> {
  const { workspaces } = await session.configured()
  const name = await runHere(session, { project, team, run })
  return workspaces({ sourceDir: sourceDir ?? session.host.io.cwd, team: name })
}

/** A team that does not exist begins with run 1. */
export async function runHere(session: Session, name: TeamName): Promise<RunName> {
  const { hasStore } = await session.configured()
  if (name.run === undefined && !(await hasStore())) return { ...name, run: 1 }
  return resolveRun(await session.context(), name).catch((error) => {
    if (error instanceof AppError && error.code === "team.not_found") return { ...name, run: 1 }
    throw error
  })
}

interface HandWork<T> {
  readonly project: string
  readonly team: string
  readonly sourceDir?: string
  readonly target?: string
  readonly work: () => Promise<T>
}

/** Runs manual work on the updated integration branch; returns notes for the user. */
export async function renewHere<T>(session: Session, { sourceDir, ...request }: HandWork<T>) {
  const { merging } = await session.configured()
  const { workspaces } = await toolsOf(session, { ...request, sourceDir })
  const ports = { ...(await merging(resolvePath(sourceDir ?? ".", session.host.io.cwd))), workspaces }
  return renewAround(await session.context(), ports, request)
}

const NOT_HERE: readonly string[] = ["workspace.no_repository", "project.elsewhere"]

/** Null outside of the project's repository: stopping workers must work anywhere. */
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
