import { workerBranch as branchOfWorker, integrationBranch } from "../kernel/branches.ts"
import { AppError } from "../kernel/errors.ts"
import { quoteInput } from "../kernel/ids.ts"
import type { TeamName } from "../kernel/team.ts"
import { readText } from "../lib/read-files.ts"
import { findCommit } from "./ancestry.ts"
import type { WorkspaceContext } from "./workspaces/workspace-context.ts"

export interface Resolved {
  readonly name: string
  readonly commit: string
}

/** The named commit, or the integration branch, or what the user has checked out. */
export async function resolveBase(context: WorkspaceContext, named: string | undefined): Promise<Resolved> {
  const { source, team, mainRoot, commonDir } = context
  if (named !== undefined) {
    const found = named === "" || /[\n\0]/.test(named) ? undefined : await findCommit(source, named)
    if (found !== undefined) return { name: named.replace(/^refs\/heads\//, ""), commit: found.commit }
    throw new AppError(
      "workspace.base_not_found",
      `${quoteInput(named)} is no branch, tag or commit of this repository; see: git branch --all`,
      { base: named },
    )
  }
  const branch = integrationBranch(team)
  const integration = await findCommit(source, `refs/heads/${branch}`)
  if (integration !== undefined) return { name: branch, commit: integration.commit }
  const head = await findCommit(source, context.here)
  if (head !== undefined) return { name: nameOfHead(context) ?? head.commit.slice(0, 10), commit: head.commit }
  throw new AppError(
    "workspace.no_commit",
    `the repository ${mainRoot ?? commonDir} has no commit yet, so there is nothing to work on; make one first: git add --all && git commit -m "Start"`,
  )
}

function nameOfHead({ here, gitDir, commonDir }: WorkspaceContext): string | undefined {
  return /^ref: refs\/heads\/(.+)$/m.exec(readText(`${here === "HEAD" ? gitDir : commonDir}/HEAD`))?.[1]
}

export function workerBranch(team: TeamName, worker: string): string {
  if (worker === "integration") {
    throw new AppError(
      "input.invalid",
      "no worker can be called integration: that is the name of the branch for all work",
    )
  }
  return branchOfWorker(team, worker)
}
