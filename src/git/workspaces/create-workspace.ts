import { lstatSync, mkdirSync, readdirSync } from "node:fs"
import type { SetupRecord } from "../../checkouts/port.ts"
import { AppError } from "../../kernel/errors.ts"
import type { Attempt, CreatedWorkspace, WorkspaceRequest } from "../port.ts"
import { entriesOf, readRefs } from "../read-refs.ts"
import { type Resolved, resolveBase, workerBranch } from "../resolve.ts"
import { copyFiles, exclude } from "./copy-files.ts"
import { writePins } from "./pins.ts"
import { makeRepository, shareIndex } from "./private-repository.ts"
import { deleteWorktree, removeFound } from "./remove-workspace.ts"
import { runSetup } from "./run-setup.ts"
import { tidyAfterSetup } from "./tidy-after-setup.ts"
import { verifyWorkspace } from "./verify-workspace.ts"
import { checkOutFiles, makeView, placeIn, writeGitFile } from "./view.ts"
import { firstLine, readWorktreePath, type WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, findCheckout, findWorkspace, gitIn, isFinished, writeRecord } from "./workspace-record.ts"

export async function createWorktree(context: WorkspaceContext, request: WorkspaceRequest): Promise<CreatedWorkspace> {
  const { worker } = request
  const branch = workerBranch(context.team, worker)
  const base = await resolveBase(context, request.base)
  const found = findWorkspace(context, worker)
  if (found !== undefined && isUsable(found)) return useExisting(context, found, { ...request, branch, base })
  if (found !== undefined) await removeFound(context, found, { branch })
  return makeFresh(context, { worker, branch, base, attempt: request.attempt ?? null })
}

export function isUsable(found: FoundWorkspace): boolean {
  return isFinished(found) && found.folder === "there" && !found.isLinked
}

interface Existing extends Omit<WorkspaceRequest, "base"> {
  readonly branch: string
  readonly base: Resolved
}

async function useExisting(
  context: WorkspaceContext,
  found: FoundWorkspace,
  { worker, branch, base, attempt }: Existing,
) {
  try {
    const head = await verifyWorkspace(context, found, { branch, base: base.commit })
    const record = { ...found.record, base: head, attempt: attempt ?? found.record?.attempt ?? null, pending: null }
    writeRecord(found.view, record)
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
  /** What is installed there from the attempt before. */
  readonly earlier?: SetupRecord
}

export async function makeFresh(context: WorkspaceContext, request: FreshRequest): Promise<CreatedWorkspace> {
  const { branch, base } = request
  const found = await begin(context, request)
  try {
    await checkOutFiles(gitIn(context, found), base.commit)
    return { ...(await finish(context, found, request)), isNew: true }
  } catch (error) {
    // Nobody has worked in it yet: there is nothing to keep.
    deleteWorktree(context, found)
    await context.git.run(["update-ref", "-d", `refs/heads/${branch}`, base.commit])
    throw error
  }
}

/** The folders and our view. The base is pinned by the worker's branch before anything is made of it. */
async function begin(context: WorkspaceContext, request: FreshRequest): Promise<FoundWorkspace> {
  const { worker, base } = request
  const place = placeIn(context.folder, worker)
  refuseForeignFiles(place.path)
  await pinBranch(context, request)
  mkdirSync(place.path, { recursive: true })
  makeView(place, { commonDir: context.commonDir, commit: base.commit })
  writeGitFile(place)
  return { ...place, worker, record: null, folder: "there", isLinked: false }
}

/** What a fresh and a moved worktree have in common: copied files, the set-up, the proof, and the record at the very end. */
export async function finish(context: WorkspaceContext, found: FoundWorkspace, request: FreshRequest) {
  const { worker, branch, base, attempt, earlier } = request
  const { path, view } = found
  const git = gitIn(context, found)
  const copies = await copyFiles(context, git, path)
  await exclude(context, found, copies.excluded)
  // The programs of the set-up may call git.
  await makeRepository(context, found, { branch, commit: base.commit, excludes: copies.excluded })
  shareIndex(found)
  const log = `${context.folder}/.logs/${worker}.txt`
  const { record: setup, log: setupLog, notes: ofSetup, hasRun } = await runSetup(context, { path, log, earlier })
  if (setup !== undefined && hasRun) await tidyAfterSetup(context, found)
  const head = await verifyWorkspace(context, found, { branch, base: base.commit, isFresh: true })
  writeRecord(view, { base: head, attempt, pending: null, setup })
  const notes = [...ofSetup, ...notesOf(context)]
  return {
    worker,
    path,
    branch,
    base: head,
    head,
    attempt,
    copied: copies.files,
    setupLog,
    ...(notes.length === 0 ? {} : { setupNotes: notes }),
  }
}

/** Git fetches what a partial clone lacks when it is asked for, and a worker has no remote to fetch it from. */
function notesOf({ commonDir, settings }: WorkspaceContext): string[] {
  const isPartial = entriesOf(`${commonDir}/objects/pack`).some((entry) => entry.name.endsWith(".promisor"))
  if (!isPartial || settings.remotes.length > 0) return []
  return [
    "this is a partial clone, so workers cannot read old versions of files that are not here; to let them fetch those: teamwork config set workspace.remote origin",
  ]
}

function refuseForeignFiles(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || (stat.isDirectory() && readdirSync(path).length === 0)) return
  throw new AppError("workspace.foreign_files", `${path} holds files that are not teamwork's; move them away first`, {
    path,
  })
}

/**
 * The branch of the worker in the user's repository begins at the base, which keeps the user's own tidying from removing
 * it. A branch of this name may be left from before: what it holds stays.
 */
async function pinBranch(context: WorkspaceContext, { worker, branch, base }: FreshRequest): Promise<void> {
  const ref = `refs/heads/${branch}`
  const head = (await readRefs(context.git, context.commonDir, ref)).get(ref)
  refuseTakenBranch(context, branch)
  if (head === base.commit) return
  if (head !== undefined) await writePins(context, { place: { worker }, wanted: new Map([["head", head]]) })
  const line = head === undefined ? `create ${ref} ${base.commit}\n` : `update ${ref} ${base.commit} ${head}\n`
  const { exitCode, stderr } = await context.git.run(["update-ref", "--stdin"], { input: line })
  if (exitCode === 0) return
  const inTheWay = /'refs\/heads\/(teamwork(?:\/[^/']+)?)' exists/.exec(stderr)?.[1]
  if (inTheWay !== undefined)
    throw branchTaken(
      branch,
      `cannot be made beside a branch called ${inTheWay}; rename that: git branch -m ${inTheWay} NEW`,
    )
  throw new AppError("git.failed", `git could not make the branch ${branch}: ${firstLine(stderr)}`)
}

function refuseTakenBranch(context: WorkspaceContext, branch: string): void {
  const taken = findCheckout(context, branch)
  if (taken === undefined) return
  const place = taken === context.commonDir ? (context.mainRoot ?? taken) : readWorktreePath(taken)
  throw branchTaken(branch, `is checked out at ${place}; switch to another branch there`)
}

function branchTaken(branch: string, why: string): AppError {
  return new AppError("workspace.branch_taken", `branch ${branch} ${why}`, { branch })
}
