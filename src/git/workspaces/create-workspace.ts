import { lstatSync, mkdirSync, readdirSync } from "node:fs"
import type { SetupRecord } from "../../checkouts/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { entriesOf } from "../../lib/read-files.ts"
import type { Attempt, CreatedWorkspace, WorkspaceRequest } from "../port.ts"
import { readRefs } from "../read-refs.ts"
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
          { operation: "worktree remove", fields: { workerId: worker }, to: "pin its work and remove it with" },
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
  readonly earlier?: SetupRecord
}

export async function makeFresh(context: WorkspaceContext, request: FreshRequest): Promise<CreatedWorkspace> {
  const { branch, base } = request
  const found = await begin(context, request)
  try {
    await checkOutFiles(gitIn(context, found), base.commit)
    return { ...(await finish(context, found, request)), isNew: true }
  } catch (error) {
    // New, so there is no work to keep.
    deleteWorktree(context, found)
    await context.git.run(["update-ref", "-d", `refs/heads/${branch}`, base.commit])
    throw error
  }
}

/** Pins the base first, through the worker's branch. */
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

/** Last steps for fresh and moved worktrees. Writes the record at the end. */
export async function finish(context: WorkspaceContext, found: FoundWorkspace, request: FreshRequest) {
  const { worker, branch, base, attempt, earlier } = request
  const { path, view } = found
  const git = gitIn(context, found)
  const copies = await copyFiles(context, git, path)
  await exclude(context, found, copies.excluded)
  // Set-up programs may call git.
  await makeRepository(context, found, { branch, commit: base.commit, excludes: copies.excluded })
  shareIndex(found)
  const log = `${context.folder}/.logs/${worker}.txt`
  const { record: setup, log: setupLog, notes: ofSetup, hasRun } = await runSetup(context, { path, log, earlier })
  if (setup !== undefined && hasRun) await tidyAfterSetup(context, found)
  const head = await verifyWorkspace(context, found, { branch, base: base.commit, isFresh: true })
  writeRecord(view, { base: head, attempt, pending: null, setup })
  const notes = [...ofSetup, ...notesOf(context)]
  const made = { worker, path, branch, base: head, head, attempt, copied: copies.files, setupLog }
  return notes.length === 0 ? made : { ...made, setupNotes: notes }
}

/** In a partial clone git fetches missing objects on demand, but a worker has no remote for that. */
function notesOf({ commonDir, settings }: WorkspaceContext): string[] {
  const isPartial = entriesOf(`${commonDir}/objects/pack`).some((entry) => entry.name.endsWith(".promisor"))
  if (!isPartial || settings.remotes.length > 0) return []
  return [
    "this is a partial clone, so workers cannot read old versions of files that were not fetched; to let them fetch those: teamwork config set workspace.remote origin",
  ]
}

function refuseForeignFiles(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || (stat.isDirectory() && readdirSync(path).length === 0)) return
  throw new AppError("workspace.foreign_files", `${path} has files that teamwork did not make; move them away first`, {
    path,
  })
}

/**
 * The branch in the user's repository makes `git gc` keep the base. Pins the work of an earlier branch of this
 * name.
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
      `cannot be created beside a branch called ${inTheWay}; rename that: git branch -m ${inTheWay} NEW`,
    )
  throw new AppError("git.failed", `git could not create the branch ${branch}: ${firstLine(stderr)}`)
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
