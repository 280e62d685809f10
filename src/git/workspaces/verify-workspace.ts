import { lstatSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { readStatus } from "../read-status.ts"
import { importHead } from "./import-work.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, gitIn, isFinished } from "./workspace-record.ts"

interface Expectation {
  readonly branch: string
  readonly base: string
  /** New, so its repository need not be read. */
  readonly isFresh?: boolean
}

/** Throws `workspace.unproven` unless path, branch and commit are right and the files clean. Returns the commit. */
export async function verifyWorkspace(
  context: WorkspaceContext,
  found: FoundWorkspace,
  { branch, base, isFresh = false }: Expectation,
): Promise<string> {
  const fields = { workerId: found.worker }
  const refuse = (reason: string, why: string, remedy?: Remedy): never => {
    const message = `the worktree of ${found.worker} at ${found.path} ${why}`
    throw new AppError("workspace.unproven", message, { worker: found.worker, path: found.path, reason }, { remedy })
  }
  if (found.folder === "gone")
    refuse("path", "is gone", { operation: "worktree create", fields, to: "create it again with" })
  if (found.folder === "other" || lstatSync(found.path).isSymbolicLink())
    refuse("path", "was replaced", { operation: "worktree remove", fields, to: "remove it with" })
  if (!isFresh && !isFinished(found)) {
    const repair: Remedy = { operation: "doctor", fields: { fix: true }, to: "repair it with" }
    refuse("unfinished", "was never finished, because the process that made it was interrupted", repair)
  }
  const out = isFresh ? { branch, commit: base } : await importHead(context, found)
  if (out.branch !== branch) refuse("branch", `is on ${out.branch ?? "no branch"} and not on ${branch}`)
  const head = out.commit ?? refuse("base", "has no commit that can be read")
  const { changes, closed } = await readStatus(gitIn(context, found), found.view, head)
  const [first, ...more] = changes
  if (first !== undefined) {
    const others = more.length === 0 ? " differs" : ` and ${more.length} more differ`
    refuse("changes", `is not clean: ${first.path}${others} from its commit`)
  }
  if (closed.length > 0) refuse("changes", `has folders that cannot be read: ${closed.join(", ")}`)
  if (head !== base) refuse("base", `is at ${short(head)} and not at its base ${short(base)}`)
  return head
}

export function short(commit: string): string {
  return commit.slice(0, 10)
}
