import { lstatSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { readStatus } from "../read-status.ts"
import { importHead } from "./import-work.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, gitIn, isFinished } from "./workspace-record.ts"

export interface Expectation {
  readonly branch: string
  /** The commit that work starts from. */
  readonly base: string
  /** Work went on from the base already. */
  readonly resumes?: boolean
  /** Made a moment ago by ourselves. */
  readonly isFresh?: boolean
}

/** The commit a workspace is at, once it is proven to be the right one: path, branch, base, and clean. */
export async function verifyWorkspace(
  context: WorkspaceContext,
  found: FoundWorkspace,
  expected: Expectation,
): Promise<string> {
  const { branch, base } = expected
  const fields = { workerId: found.worker }
  const refuse = (reason: string, why: string, remedy?: Remedy): never => {
    const message = `the worktree of ${found.worker} at ${found.path} ${why}`
    throw new AppError("workspace.unproven", message, { worker: found.worker, path: found.path, reason }, { remedy })
  }
  if (found.folder === "gone")
    refuse("path", "is gone", { operation: "worktree create", fields, to: "make it anew with" })
  if (found.folder === "other" || lstatSync(found.path).isSymbolicLink())
    refuse("path", "is no longer what was made there", { operation: "worktree remove", fields, to: "remove it with" })
  if (expected.isFresh !== true && !isFinished(found)) {
    const mend: Remedy = { operation: "doctor", fields: { fix: true }, to: "mend it with" }
    refuse("unfinished", "was never finished, as the process that made it was interrupted", mend)
  }
  const out = expected.isFresh === true ? { branch, commit: base } : await importHead(context, found)
  if (out.branch !== branch) refuse("branch", `is on ${out.branch ?? "no branch"} and not on ${branch}`)
  const head = out.commit ?? refuse("base", "has no commit that can be read")
  const git = gitIn(context, found)
  const status = await readStatus(git, found.view, head)
  const [first, ...more] = status.changes
  if (first !== undefined) {
    const others = more.length === 0 ? "" : ` and ${more.length} more`
    refuse(
      "changes",
      `is not clean: ${first.path}${others} ${more.length === 0 ? "differs" : "differ"} from its commit`,
    )
  }
  if (status.closed.length > 0) refuse("changes", `has folders that cannot be read: ${status.closed.join(", ")}`)
  if (head === base) return head
  if (expected.resumes !== true) refuse("base", `is at ${short(head)} and not at its base ${short(base)}`)
  const { exitCode } = await git.run(["merge-base", "--is-ancestor", base, head])
  if (exitCode !== 0) refuse("base", `is at ${short(head)}, which does not come from its base ${short(base)}`)
  return head
}

export function short(commit: string): string {
  return commit.slice(0, 10)
}
