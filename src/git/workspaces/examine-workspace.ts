import type { WorkspaceProblem } from "../port.ts"
import { workerBranch } from "../resolve.ts"
import { clearRefLocks, clearWorktreeLocks, waitForOrphans } from "../stale-locks.ts"
import { resetTo } from "./move-workspace.ts"
import { pinWorktree } from "./pin-worktree.ts"
import { updateRepository } from "./private-repository.ts"
import { emptyTrash, removeFound } from "./remove-workspace.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, isFinished, listWorkspaces, writeRecord } from "./workspace-record.ts"

/** Skips a workspace that another process works on. */
type IfFree = (worker: string, work: () => Promise<void>) => Promise<void>

export async function examineWorktrees(
  context: WorkspaceContext,
  fix: boolean,
  ifFree: IfFree,
): Promise<WorkspaceProblem[]> {
  const left: WorkspaceProblem[] = []
  const isDry = !fix
  const add = (what: WorkspaceProblem["what"], detail: string) => left.push({ what, detail, isFixed: fix })
  for (const lock of await clearRefLocks(context, isDry)) add("lock", `${lock} was left by a killed git`)
  for (const [ref, commit] of await dropDangling(context, isDry))
    add("unfinished", `${ref} named ${commit.slice(0, 10)}, which git has removed`)
  for (const folder of emptyTrash(context, isDry)) add("unfinished", `${folder} was only partly deleted`)
  for (const { worker } of listWorkspaces(context)) {
    await ifFree(worker, async () => {
      // Read again, now that no other process can change it.
      const found = listWorkspaces(context).find((each) => each.worker === worker)
      if (found === undefined) return
      for (const lock of await clearWorktreeLocks(context, found, isDry))
        add("lock", `${lock} was left by a killed git`)
      const what = troubleOf(found)
      if (what === undefined) return
      const why = { gone: "its folder was deleted", unfinished: "creating or moving it was interrupted" }[what]
      add(what, `worktree of ${worker} at ${found.path}: ${why}`)
      if (fix) await repair(context, found)
    })
  }
  return left
}

function troubleOf(found: FoundWorkspace): "gone" | "unfinished" | undefined {
  if (found.folder === "gone") return "gone"
  return isFinished(found) ? undefined : "unfinished"
}

/** Returns to its branch after an interrupted sync; pins and removes any other workspace. */
async function repair(context: WorkspaceContext, found: FoundWorkspace): Promise<void> {
  const branch = workerBranch(context.team, found.worker)
  const { record, view } = found
  if (record?.pending !== "sync" || found.folder !== "there" || found.isLinked) {
    await removeFound(context, found, { branch })
    return
  }
  await waitForOrphans(context, found)
  const { status, commit } = await pinWorktree(context, found, { branch })
  if (status === null || commit === null) {
    await removeFound(context, found, { branch })
    return
  }
  await resetTo(context, found, commit)
  updateRepository(found, { branch, commit })
  writeRecord(view, { ...record, pending: null })
}

/**
 * Deletes our refs whose commit is gone, because they make `git gc` fail. A `git gc --prune=now` of the user may
 * come between a commit and its ref. The merge reports the missing work.
 */
async function dropDangling(
  { git }: WorkspaceContext,
  isDry: boolean,
): Promise<(readonly [ref: string, commit: string])[]> {
  const format = "--format=%(refname) %(objectname)"
  const lines = await git.read(["for-each-ref", format, "refs/teamwork", "refs/heads/teamwork"])
  const refs = lines.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ") as [string, string]]))
  if (refs.length === 0) return []
  const input = refs.map(([, commit]) => `${commit}\n`).join("")
  const known = (await git.read(["cat-file", "--batch-check=%(objecttype)"], { input })).split("\n")
  const gone = refs.filter((_, at) => known[at]?.endsWith(" missing") === true)
  if (gone.length > 0 && !isDry)
    await git.read(["update-ref", "--no-deref", "--stdin"], { input: gone.map(([ref]) => `delete ${ref}\n`).join("") })
  return gone
}
