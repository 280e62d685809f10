import { renewIntegration } from "../../delivery/merge-queue/renew-integration.ts"
import { AppError } from "../../kernel/errors.ts"
import type { RunName } from "../../kernel/team.ts"
import { resolvePath } from "../../lib/paths.ts"
import type { Session } from "../command.ts"
import { findTools } from "./workspace-tools.ts"

/**
 * Cleans up the repository after a new run of the team began: removes the closed run's worktrees, whose content
 * stays pinned, and keeps merged work that the target lacks with a ref. Returns notes for the user. If it fails,
 * the orchestrator of the new run repeats it or refuses with a reason.
 */
export async function closeRunHere(session: Session, closed: RunName, sourceDir?: string): Promise<string[]> {
  const told: string[] = []
  try {
    const earlier = await findTools(session, { ...closed, sourceDir })
    if (earlier === null) return told
    for (const { worker } of await earlier.workspaces.list()) await earlier.workspaces.remove({ worker })
    const name = { project: closed.project, team: closed.team }
    const current = await findTools(session, { ...name, sourceDir })
    const folder = resolvePath(sourceDir ?? ".", session.host.io.cwd)
    const { merges, targets } = await (await session.configured()).merging(folder)
    if (current === null || (await merges.find("HEAD")) === undefined) return told
    const ports = { merges, targets, workspaces: current.workspaces }
    told.push(...(await renewIntegration(await session.context(), ports, name)))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    told.push(`What run ${closed.run} left in the repository is not put away yet: ${error.message}`)
  }
  return told
}
