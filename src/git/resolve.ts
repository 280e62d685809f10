import { workerBranch as branchOfWorker, integrationBranch } from "../kernel/branches.ts"
import { AppError } from "../kernel/errors.ts"
import { quoteInput } from "../kernel/ids.ts"
import type { TeamName } from "../kernel/team.ts"
import { readRefs, readText } from "./read-refs.ts"
import type { WorkspaceContext } from "./workspaces/workspace-context.ts"

export interface Resolved {
  /** What was meant, in the words of whoever asked. */
  readonly name: string
  readonly commit: string
}

/** The commit that work starts from: the one named, or the integration branch, or what the user has checked out. */
export async function resolveBase(context: WorkspaceContext, named: string | undefined): Promise<Resolved> {
  const { source, here, team } = context
  const integration = integrationBranch(team)
  const asked = named === undefined ? [`refs/heads/${integration}`, here] : [named]
  if (named !== undefined && (named === "" || /[\n\0]/.test(named))) throw notFound(named)
  // What git's own files tell needs no process.
  const known = named === undefined ? await readKnown(context, asked) : undefined
  if (known !== undefined) return known
  const input = asked.map((name) => `${name}^{commit}\n`).join("")
  const lines = (await source.read(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input })).split("\n")
  for (const [index, name] of asked.entries()) {
    const commit = /^([0-9a-f]{40,64}) commit$/.exec(lines[index] ?? "")?.[1]
    if (commit !== undefined) return { name: plainName(name), commit }
  }
  if (named !== undefined) throw notFound(named)
  throw new AppError(
    "workspace.no_commit",
    `the repository ${context.mainRoot ?? context.commonDir} has no commit yet, so there is nothing to work on; make one first: git add --all && git commit -m "Start"`,
  )
}

async function readKnown(
  { git, commonDir, gitDir, here }: WorkspaceContext,
  asked: readonly string[],
): Promise<Resolved | undefined> {
  const head = readText(`${here === "HEAD" ? gitDir : commonDir}/HEAD`).trim()
  for (const name of asked) {
    const ref = name === here ? head.replace(/^ref: /, "") : name
    if (/^[0-9a-f]{40,64}$/.test(ref)) return { name: ref.slice(0, 10), commit: ref }
    const commit = ref.startsWith("refs/heads/") ? (await readRefs(git, commonDir, ref)).get(ref) : undefined
    if (commit !== undefined) return { name: plainName(ref), commit }
  }
  return undefined
}

function plainName(name: string): string {
  return name.replace(/^refs\/heads\/|^main-worktree\//, "")
}

function notFound(name: string): AppError {
  return new AppError(
    "workspace.base_not_found",
    `${quoteInput(name)} is no branch, tag or commit of this repository; see: git branch --all`,
    { base: name },
  )
}

/** The branch of a worker, whose name must not be that of the integration branch. */
export function workerBranch(team: TeamName, worker: string): string {
  if (worker === "integration") {
    throw new AppError("input.invalid", "no worker can be called integration: that is the branch where all work meets")
  }
  return branchOfWorker(team, worker)
}
