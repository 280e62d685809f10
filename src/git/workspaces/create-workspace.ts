import { lstatSync, mkdirSync, readdirSync } from "node:fs"
import type { SetupRecord } from "../../checkouts/port.ts"
import { AppError } from "../../kernel/errors.ts"
import type { Attempt, CreatedWorkspace, PinKind, WorkspaceRequest } from "../port.ts"
import { readRefs } from "../read-refs.ts"
import { type Resolved, resolveBase, workerBranch } from "../resolve.ts"
import { waitForOrphans } from "../stale-locks.ts"
import { copyFiles } from "./copy-files.ts"
import { earlierHeads } from "./earlier-heads.ts"
import { firstLine, type Ground, readWorktreePath } from "./ground.ts"
import { earlierKind } from "./pin-refs.ts"
import { writePins } from "./pins.ts"
import { proveWorktree } from "./prove.ts"
import { deleteWorktree, removeFound } from "./remove-workspace.ts"
import { runSetup } from "./run-setup.ts"
import { tidyAfterSetup } from "./tidy-after-setup.ts"
import {
  type Found,
  findCheckout,
  findWorktree,
  gitIn,
  isFinished,
  type Past,
  writeRecord,
} from "./workspace-record.ts"

export async function createWorktree(ground: Ground, request: WorkspaceRequest): Promise<CreatedWorkspace> {
  const { worker } = request
  const branch = workerBranch(ground.team, worker)
  const base = await resolveBase(ground, request.base)
  const found = findWorktree(ground, worker)
  if (found !== undefined && isUsable(found)) return useExisting(ground, found, { ...request, branch, base })
  if (found !== undefined) await removeFound(ground, found, { branch })
  return makeFresh(ground, { worker, branch, base, attempt: request.attempt ?? null })
}

export function isUsable(found: Found): boolean {
  return isFinished(found) && found.folder === "there"
}

interface Existing extends Omit<WorkspaceRequest, "base"> {
  readonly branch: string
  readonly base: Resolved
}

async function useExisting(ground: Ground, found: Found, { worker, branch, base, attempt }: Existing) {
  try {
    const head = await proveWorktree(ground, found, { branch, base: base.commit })
    const record = { ...found.record, base: head, attempt: attempt ?? found.record?.attempt ?? null, pending: null }
    writeRecord(found.adminDir, record)
    const { path } = found
    return { worker, path, branch, base: head, head, attempt: record.attempt, isNew: false, copied: [], setupLog: null }
  } catch (error) {
    if (!(error instanceof AppError && error.code === "workspace.unproven")) throw error
    throw new AppError(
      "workspace.exists",
      (say) => error.tell(say),
      { ...error.details },
      {
        remedy: [
          { operation: "swarm sync", fields: { workerId: worker }, to: "bring it up to date with" },
          {
            operation: "worktree remove",
            fields: { workerId: worker },
            to: "have what it holds pinned and start over with",
          },
        ],
      },
    )
  }
}

export interface FreshRequest {
  readonly worker: string
  readonly branch: string
  readonly base: Resolved
  readonly attempt: Attempt | null
  readonly past?: Past
  /** What is installed there from the attempt before. */
  readonly earlier?: SetupRecord
}

export async function makeFresh(ground: Ground, request: FreshRequest): Promise<CreatedWorkspace> {
  const { branch, base } = request
  const found = await add(ground, request)
  try {
    // As many threads as there are processors, where the files are many.
    await gitIn(ground, found).read(["-c", "checkout.workers=0", "read-tree", "-m", "-u", base.commit])
    return { ...(await finish(ground, found, request)), isNew: true }
  } catch (error) {
    // Nobody has worked in it yet: there is nothing to keep.
    deleteWorktree(ground, found)
    await ground.git.run(["update-ref", "-d", `refs/heads/${branch}`, base.commit])
    throw error
  }
}

/** A git whose caller was killed may have come first: then it is let finish, and what it made is removed. */
async function add(ground: Ground, request: FreshRequest, isLastTry = false): Promise<Found> {
  const { worker, branch } = request
  const path = `${ground.folder}/${worker}`
  try {
    refuseForeignFiles(path)
    await pinBranch(ground, worker, branch)
    mkdirSync(ground.folder, { recursive: true })
    await addWorktree(ground, path, request)
    const found = findWorktree(ground, worker)
    if (found === undefined) throw new Error(`git made no worktree at ${path}`)
    return found
  } catch (error) {
    if (isLastTry) throw error
    await waitForOrphans(ground, { path, worker })
    const late = findWorktree(ground, worker)
    if (late === undefined) throw error
    await removeFound(ground, late, { branch })
    return add(ground, request, true)
  }
}

/** What a fresh and a moved worktree have in common: copied files, the set-up, the proof, and the record at the very end. */
export async function finish(ground: Ground, found: Found, request: FreshRequest) {
  const { worker, branch, base, attempt, past, earlier } = request
  const { path, adminDir } = found
  const copied = await copyFiles(ground, gitIn(ground, found), path)
  const log = `${ground.folder}/.logs/${worker}.txt`
  const { record: setup, log: setupLog, notes, hasRun } = await runSetup(ground, { path, log, earlier })
  if (setup !== undefined && hasRun) await tidyAfterSetup(ground, gitIn(ground, found), path)
  const head = await proveWorktree(ground, found, { branch, base: base.commit, isFresh: true })
  writeRecord(adminDir, { base: head, attempt, pending: null, past, setup })
  return {
    worker,
    path,
    branch,
    base: head,
    head,
    attempt,
    copied,
    setupLog,
    ...(notes.length === 0 ? {} : { setupNotes: notes }),
  }
}

function refuseForeignFiles(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || (stat.isDirectory() && readdirSync(path).length === 0)) return
  throw new AppError("workspace.foreign_files", `${path} holds files that are not teamwork's; move them away first`, {
    path,
  })
}

/** A branch of this name may be left from before: what it holds stays. */
async function pinBranch(ground: Ground, worker: string, branch: string): Promise<void> {
  const ref = `refs/heads/${branch}`
  const head = (await readRefs(ground.git, ground.commonDir, ref)).get(ref)
  if (head === undefined) return
  refuseTakenBranch(ground, branch)
  const earlier = await earlierHeads(ground, ground.git, { adminDir: ground.folder, branch, head, tip: head })
  const wanted = new Map<PinKind, string>([["head", head]])
  for (const commit of earlier.commits) wanted.set(earlierKind(commit), commit)
  await writePins(ground, { place: { worker }, wanted })
}

function refuseTakenBranch(ground: Ground, branch: string): void {
  const taken = findCheckout(ground, branch)
  if (taken === undefined) return
  const place = taken === ground.commonDir ? (ground.mainRoot ?? taken) : readWorktreePath(taken)
  throw branchTaken(branch, `is checked out at ${place}; switch to another branch there`)
}

async function addWorktree({ git }: Ground, path: string, { branch, base }: FreshRequest): Promise<void> {
  // The log of where it was is what keeps a rewritten commit until it is pinned; a user may have turned it off.
  const args = ["-c", "core.logAllRefUpdates=true", "worktree", "add", "--quiet", "--no-checkout", "--no-track"]
  const { exitCode, stderr } = await git.run([...args, "-B", branch, "--", path, base.commit])
  if (exitCode === 0) return
  const inTheWay = /'refs\/heads\/(teamwork(?:\/[^/']+)?)' exists/.exec(stderr)?.[1]
  if (inTheWay !== undefined)
    throw branchTaken(
      branch,
      `cannot be made beside a branch called ${inTheWay}; rename that: git branch -m ${inTheWay} NEW`,
    )
  throw new AppError("git.failed", `git could not make a worktree at ${path}: ${firstLine(stderr)}`)
}

function branchTaken(branch: string, why: string): AppError {
  return new AppError("workspace.branch_taken", `branch ${branch} ${why}`, { branch })
}
