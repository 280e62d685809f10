import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import type { Git } from "../git.ts"
import type { SyncedWorkspace } from "../port.ts"
import { readRefs, readText } from "../read-refs.ts"
import { type Resolved, resolveBase, workerBranch } from "../resolve.ts"
import { clearWorktreeLocks } from "../stale-locks.ts"
import { firstLine, type Ground } from "./ground.ts"
import { IDENTITY } from "./leftovers.ts"
import { short } from "./prove.ts"
import { type Found, findWorktree, gitIn, writeRecord } from "./workspace-record.ts"

/** Computed without a checkout; the worktree gets the files that differ only once it is clear that all fits. */
export async function syncWorktree(
  ground: Ground,
  { worker, onto: named }: { readonly worker: string; readonly onto?: string },
): Promise<SyncedWorkspace> {
  const branch = workerBranch(ground.team, worker)
  const onto = await resolveBase(ground, named)
  const found = getUsable(ground, worker, branch)
  const ref = `refs/heads/${branch}`
  const head = (await readRefs(ground.git, ground.commonDir, ref)).get(ref)
  if (head === undefined) throw new AppError("workspace.unproven", `branch ${branch} has no commit`)
  await clearWorktreeLocks(ground, found)
  const git = gitIn(ground, found)
  const { result, commit } = await combine(git, head, onto, branch)
  if (result !== "up-to-date") await advance(git, found, { ref, from: head, to: commit })
  const { base, attempt } = found.record
  return { worker, path: found.path, branch, base, head: commit, attempt, result, onto: onto.name }
}

function getUsable(ground: Ground, worker: string, branch: string): Found & { record: NonNullable<Found["record"]> } {
  const found = findWorktree(ground, worker)
  if (found === undefined) {
    throw new AppError(
      "workspace.not_found",
      `${worker} has no worktree`,
      { worker },
      { remedy: { operation: "worktree create", fields: { workerId: worker }, to: "make one with" } },
    )
  }
  const { record, path, adminDir, folder } = found
  const broken = (why: string, remedy?: Remedy) =>
    new AppError("workspace.unproven", `the worktree of ${worker} at ${path} ${why}`, {}, { remedy })
  if (record === null || record.pending !== null)
    throw broken("was never finished", { operation: "doctor", fields: { fix: true }, to: "mend it with" })
  if (folder !== "there") throw broken(`is ${folder === "gone" ? "gone" : "no longer what git made there"}`)
  if (readText(`${adminDir}/HEAD`).trim() !== `ref: refs/heads/${branch}`)
    throw broken(`is not on ${branch}; switch to it there: git switch ${branch}`)
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

/** First the files, which git refuses where they would overwrite something uncommitted; then the branch. */
async function advance(
  git: Git,
  { adminDir, record, path }: Found & { record: NonNullable<Found["record"]> },
  { ref, from, to }: { readonly ref: string; readonly from: string; readonly to: string },
): Promise<void> {
  writeRecord(adminDir, { ...record, pending: "sync" })
  const { exitCode, stderr } = await git.run(["read-tree", "-m", "-u", from, to])
  if (exitCode === 0) await git.read(["update-ref", "-m", "teamwork: sync", ref, to, from])
  writeRecord(adminDir, record)
  if (exitCode === 0) return
  throw new AppError(
    "workspace.changed",
    `${path} has changes that are not committed, and bringing it up to date would overwrite them (${firstLine(stderr)}); commit them first`,
    { path },
  )
}
