import { existsSync, rmSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { copyIndex } from "../copy-index.ts"
import type { Git } from "../git.ts"
import { IDENTITY } from "../identity.ts"
import type { SyncedWorkspace } from "../port.ts"
import { readRefs } from "../read-refs.ts"
import { type Resolved, resolveBase, workerBranch } from "../resolve.ts"
import { clearWorktreeLocks } from "../stale-locks.ts"
import { firstLine, type Ground } from "./ground.ts"
import { OWN_INDEX } from "./leftovers.ts"
import { branchLines } from "./pin-worktree.ts"
import { publish } from "./private-repository.ts"
import { short } from "./prove.ts"
import { bringHead } from "./read-work.ts"
import { type Found, findWorkspace, gitIn, writeRecord } from "./workspace-record.ts"

/** Computed without a checkout; the worktree gets the files that differ only once it is clear that all fits. */
export async function syncWorktree(
  ground: Ground,
  { worker, onto: named }: { readonly worker: string; readonly onto?: string },
): Promise<SyncedWorkspace> {
  const branch = workerBranch(ground.team, worker)
  const onto = await resolveBase(ground, named)
  const found = getUsable(ground, worker)
  const out = await bringHead(ground, found)
  const broken = (why: string) =>
    new AppError("workspace.unproven", `the worktree of ${worker} at ${found.path} ${why}`)
  if (out.branch !== branch) throw broken(`is not on ${branch}; switch to it there: git switch ${branch}`)
  if (out.commit === null) throw broken(`has no commit on ${branch}`)
  await clearWorktreeLocks(ground, found)
  const git = gitIn(ground, found)
  const { result, commit } = await combine(git, out.commit, onto, branch)
  if (result !== "up-to-date") await advance(ground, found, { branch, from: out.commit, to: commit })
  const { base, attempt } = found.record
  return { worker, path: found.path, branch, base, head: commit, attempt, result, onto: onto.name }
}

function getUsable(ground: Ground, worker: string): Found & { record: NonNullable<Found["record"]> } {
  const found = findWorkspace(ground, worker)
  if (found === undefined) {
    throw new AppError(
      "workspace.not_found",
      `${worker} has no worktree`,
      { worker },
      { remedy: { operation: "worktree create", fields: { workerId: worker }, to: "make one with" } },
    )
  }
  const { record, path, folder } = found
  const broken = (why: string, remedy?: Remedy) =>
    new AppError("workspace.unproven", `the worktree of ${worker} at ${path} ${why}`, {}, { remedy })
  if (record === null || record.pending !== null)
    throw broken("was never finished", { operation: "doctor", fields: { fix: true }, to: "mend it with" })
  if (folder !== "there") throw broken(`is ${folder === "gone" ? "gone" : "no longer what was made there"}`)
  if (found.isLinked)
    throw broken("is of an earlier version", {
      operation: "worktree create",
      fields: { workerId: worker },
      to: "have it pinned and made anew with",
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
      `${branch} and ${onto.name} both changed ${conflicts.join(", ")}; nothing was changed: commit a merge by hand in the worktree (git merge ${short(onto.commit)})`,
      { files: conflicts, onto: onto.commit, head },
    )
  }
  if (merge.exitCode !== 0)
    throw new AppError("workspace.conflict", `${branch} and ${onto.name} cannot be merged: ${firstLine(merge.stderr)}`)
  const message = `Merge ${onto.name} into ${branch}`
  const commit = ["commit-tree", tree, "-p", head, "-p", onto.commit, "-m", message]
  const isKnown = (await git.run(["var", "GIT_COMMITTER_IDENT"])).exitCode === 0
  return { result: "merged", commit: await git.read(commit, isKnown ? {} : { env: IDENTITY }) } as const
}

/**
 * First the files, which git refuses where they would overwrite something uncommitted; then the branch. Both by a copy of
 * the worker's own index, so that what it had put there stays; ours is told what to compare with from now on.
 */
async function advance(
  ground: Ground,
  found: Found & { record: NonNullable<Found["record"]> },
  { branch, from, to }: { readonly branch: string; readonly from: string; readonly to: string },
): Promise<void> {
  const { view, gitDir, record, path } = found
  const git = gitIn(ground, found)
  const index = `${view}/${OWN_INDEX}-sync-${process.pid}`
  writeRecord(view, { ...record, pending: "sync" })
  try {
    copyIndex(existsSync(`${gitDir}/index`) ? `${gitDir}/index` : `${view}/index`, index)
    const own = { env: { GIT_INDEX_FILE: index } }
    const { exitCode, stderr } = await git.run(["read-tree", "-m", "-u", "--no-recurse-submodules", from, to], own)
    if (exitCode !== 0)
      throw new AppError(
        "workspace.changed",
        `${path} has changes that are not committed, and bringing it up to date would overwrite them (${firstLine(stderr)}); commit them first`,
        { path },
      )
    await git.read(["read-tree", "-i", "-m", to])
    await follow(ground, found, { branch, to })
    publish(found, { branch, commit: to, index })
  } finally {
    for (const file of [index, `${index}.lock`]) rmSync(file, { force: true })
    writeRecord(view, record)
  }
}

/** The user's repository keeps what the worker goes on from. */
async function follow(ground: Ground, found: Found, { branch, to }: { branch: string; to: string }): Promise<void> {
  const ref = `refs/heads/${branch}`
  const tip = (await readRefs(ground.git, ground.commonDir, ref)).get(ref)
  const lines = branchLines(ground, found, { branch, tip, head: to })
  if (lines.length > 0) await ground.git.read(["update-ref", "--stdin"], { input: `${lines.join("\n")}\n` })
}
