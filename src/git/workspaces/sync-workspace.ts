import { existsSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { copyIndex, temporaryIndex } from "../copy-index.ts"
import type { Git } from "../git.ts"
import { commitEnvironment } from "../identity.ts"
import type { SyncedWorkspace } from "../port.ts"
import { readRefs } from "../read-refs.ts"
import { type Resolved, resolveBase, workerBranch } from "../resolve.ts"
import { clearWorktreeLocks } from "../stale-locks.ts"
import { importHead } from "./import-work.ts"
import { OWN_INDEX } from "./leftovers.ts"
import { moveBranch } from "./pin-worktree.ts"
import { updateRepository } from "./private-repository.ts"
import { short } from "./verify-workspace.ts"
import { firstLine, type WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, findWorkspace, gitIn, writeRecord } from "./workspace-record.ts"

/** Merges without a checkout, and changes files only if there is no conflict. */
export async function syncWorktree(
  context: WorkspaceContext,
  { worker, onto: named }: { readonly worker: string; readonly onto?: string },
): Promise<SyncedWorkspace> {
  const branch = workerBranch(context.team, worker)
  const onto = await resolveBase(context, named)
  const found = getUsable(context, worker)
  const out = await importHead(context, found)
  const broken = (why: string) =>
    new AppError("workspace.unproven", `the worktree of ${worker} at ${found.path} ${why}`)
  if (out.branch !== branch) throw broken(`is not on ${branch}; switch to it there: git switch ${branch}`)
  if (out.commit === null) throw broken(`has no commit on ${branch}`)
  await clearWorktreeLocks(context, found)
  const git = gitIn(context, found)
  const { result, commit } = await combine(git, out.commit, onto, branch)
  if (result !== "up-to-date") await advance(context, found, { branch, from: out.commit, to: commit })
  const { base, attempt } = found.record
  return { worker, path: found.path, branch, base, head: commit, attempt, result, onto: onto.name }
}

function getUsable(
  context: WorkspaceContext,
  worker: string,
): FoundWorkspace & { record: NonNullable<FoundWorkspace["record"]> } {
  const found = findWorkspace(context, worker)
  if (found === undefined) {
    throw new AppError(
      "workspace.not_found",
      `${worker} has no worktree`,
      { worker },
      { remedy: { operation: "worktree create", fields: { workerId: worker }, to: "create one with" } },
    )
  }
  const { record, path, folder } = found
  const broken = (why: string, remedy?: Remedy) =>
    new AppError("workspace.unproven", `the worktree of ${worker} at ${path} ${why}`, {}, { remedy })
  if (record === null || record.pending !== null)
    throw broken("was never finished", { operation: "doctor", fields: { fix: true }, to: "repair it with" })
  if (folder !== "there") throw broken(folder === "gone" ? "is gone" : "was replaced")
  if (found.isLinked)
    throw broken("was made by an earlier version", {
      operation: "worktree create",
      fields: { workerId: worker },
      to: "pin its work and replace it with",
    })
  return { ...found, record }
}

async function combine(git: Git, head: string, onto: Resolved, branch: string) {
  const { stdout } = await git.run(["merge-base", head, onto.commit])
  const shared = stdout.trim()
  if (shared === onto.commit) return { result: "up-to-date", commit: head } as const
  if (shared === head) return { result: "fast-forward", commit: onto.commit } as const
  const merge = await git.run(["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", head, onto.commit])
  const [tree = "", ...conflicts] = merge.stdout.split("\0").filter((part) => part !== "")
  if (merge.exitCode === 1) {
    throw new AppError(
      "workspace.conflict",
      `${branch} and ${onto.name} both changed ${conflicts.join(", ")}; nothing was changed: merge by hand in the worktree (git merge ${short(onto.commit)})`,
      { files: conflicts, onto: onto.commit, head },
    )
  }
  if (merge.exitCode !== 0)
    throw new AppError("workspace.conflict", `${branch} and ${onto.name} cannot be merged: ${firstLine(merge.stderr)}`)
  const message = `Merge ${onto.name} into ${branch}`
  const commit = ["commit-tree", tree, "-p", head, "-p", onto.commit, "-m", message]
  return { result: "merged", commit: await git.read(commit, { env: await commitEnvironment(git) }) } as const
}

/**
 * Files first, because git refuses to overwrite uncommitted changes; then the branch. Uses a copy of the worker's
 * index, so that staged changes stay.
 */
async function advance(
  context: WorkspaceContext,
  found: FoundWorkspace & { record: NonNullable<FoundWorkspace["record"]> },
  { branch, from, to }: { readonly branch: string; readonly from: string; readonly to: string },
): Promise<void> {
  const { view, gitDir, record, path } = found
  const git = gitIn(context, found)
  const index = `${view}/${OWN_INDEX}-sync-${process.pid}`
  using own = temporaryIndex(index)
  writeRecord(view, { ...record, pending: "sync" })
  try {
    copyIndex(existsSync(`${gitDir}/index`) ? `${gitDir}/index` : `${view}/index`, index)
    const { exitCode, stderr } = await git.run(["read-tree", "-m", "-u", "--no-recurse-submodules", from, to], own)
    if (exitCode !== 0)
      throw new AppError(
        "workspace.changed",
        `${path} has uncommitted changes that this would overwrite (${firstLine(stderr)}); commit them first`,
        { path },
      )
    await git.read(["read-tree", "-i", "-m", to])
    const ref = `refs/heads/${branch}`
    const tip = (await readRefs(context.git, context.commonDir, ref)).get(ref)
    await moveBranch(context, found, { branch, tip, head: to })
    updateRepository(found, { branch, commit: to, index })
  } finally {
    writeRecord(view, record)
  }
}
