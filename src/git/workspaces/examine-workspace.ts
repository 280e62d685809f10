import type { Leftover } from "../port.ts"
import { workerBranch } from "../resolve.ts"
import { clearRefLocks, clearWorktreeLocks, waitForOrphans } from "../stale-locks.ts"
import { resetTo } from "./move-workspace.ts"
import { pinWorktree } from "./pin-worktree.ts"
import { updateRepository } from "./private-repository.ts"
import { emptyTrash, removeFound } from "./remove-workspace.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, isFinished, listWorkspaces, writeRecord } from "./workspace-record.ts"

/** Runs `work` unless somebody is busy with this worker right now. */
type IfFree = (worker: string, work: () => Promise<void>) => Promise<void>

/** Finds what was left by processes that were killed, and mends it after pinning whatever is in there. */
export async function examineWorktrees(context: WorkspaceContext, fix: boolean, ifFree: IfFree): Promise<Leftover[]> {
  const left: Leftover[] = []
  const isDry = !fix
  for (const lock of await clearRefLocks(context, isDry))
    left.push({ what: "lock", detail: `${lock} was left by a git that is gone`, isFixed: fix })
  for (const [ref, commit] of await dropDangling(context, isDry))
    left.push({
      what: "unfinished",
      detail: `${ref} named ${commit.slice(0, 10)}, which git has removed`,
      isFixed: fix,
    })
  for (const folder of emptyTrash(context, isDry))
    left.push({ what: "unfinished", detail: `${folder} was not deleted to its end`, isFixed: fix })
  for (const { worker } of listWorkspaces(context)) {
    await ifFree(worker, async () => {
      // Looked at again, now that nobody else can change it.
      const found = listWorkspaces(context).find((each) => each.worker === worker)
      if (found === undefined) return
      for (const lock of await clearWorktreeLocks(context, found, isDry))
        left.push({ what: "lock", detail: `${lock} was left by a git that is gone`, isFixed: fix })
      const what = troubleOf(found)
      if (what === undefined) return
      const why = { gone: "its folder was deleted", unfinished: "whoever made or moved it was interrupted" }[what]
      left.push({ what, detail: `worktree of ${worker} at ${found.path}: ${why}`, isFixed: fix })
      if (fix) await mend(context, found)
    })
  }
  return left
}

function troubleOf(found: FoundWorkspace): "gone" | "unfinished" | undefined {
  if (found.folder === "gone") return "gone"
  return isFinished(found) ? undefined : "unfinished"
}

/** One that was being brought up to date goes back to its branch; any other is removed, as it holds nobody's work. */
async function mend(context: WorkspaceContext, found: FoundWorkspace): Promise<void> {
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
 * Refs of ours whose commit is gone: a \`git gc --prune=now\` of the user's may come between a commit and its ref. Git itself
 * would refuse to tidy up from then on. Work that a task said it did and that is gone is told where it is merged.
 */
async function dropDangling(
  { git }: WorkspaceContext,
  isDry: boolean,
): Promise<(readonly [ref: string, commit: string])[]> {
  const lines = await git.read([
    "for-each-ref",
    "--format=%(refname) %(objectname)",
    "refs/teamwork",
    "refs/heads/teamwork",
  ])
  const refs = lines.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ") as [string, string]]))
  if (refs.length === 0) return []
  const input = refs.map(([, commit]) => `${commit}\n`).join("")
  const known = (await git.read(["cat-file", "--batch-check=%(objecttype)"], { input })).split("\n")
  const gone = refs.filter((_, at) => known[at]?.endsWith(" missing") === true)
  if (gone.length > 0 && !isDry)
    await git.read(["update-ref", "--no-deref", "--stdin"], { input: gone.map(([ref]) => `delete ${ref}\n`).join("") })
  return gone
}
