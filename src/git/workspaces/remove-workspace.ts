import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { basename, dirname } from "../../lib/paths.ts"
import { entriesOf } from "../../lib/read-files.ts"
import type { Attempt, Pin } from "../port.ts"
import { clearWorktreeLocks, waitForOrphans } from "../stale-locks.ts"
import { pinWorktree } from "./pin-worktree.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, isFinished, writeRecord } from "./workspace-record.ts"

/** Pins the work in any condition, then removes worktree and branch. */
export async function removeFound(
  context: WorkspaceContext,
  found: FoundWorkspace,
  { branch, place }: { readonly branch: string; readonly place?: Attempt },
): Promise<readonly Pin[]> {
  if (!isFinished(found)) await waitForOrphans(context, found)
  await clearWorktreeLocks(context, found)
  const { record } = found
  // Marks it as half removed in case this process is killed after deleting the branch.
  if (record !== null) writeRecord(found.view, { ...record, pending: "remove" })
  try {
    const pins = await pinAndDrop(context, found, { branch, place })
    deleteWorktree(context, found)
    return pins
  } catch (error) {
    if (record !== null && existsSync(found.view)) writeRecord(found.view, record)
    throw error
  }
}

/** A running process may commit between reading and pinning: then read again. */
async function pinAndDrop(
  context: WorkspaceContext,
  found: FoundWorkspace,
  options: { readonly branch: string; readonly place?: Attempt },
) {
  for (let left = TRIES; ; left--) {
    try {
      return (await pinWorktree(context, found, { ...options, dropsBranch: true })).pins
    } catch (error) {
      if (left === 1 || !(error instanceof AppError) || error.details.isRace !== true) throw error
    }
  }
}

const TRIES = 3

/**
 * Only after everything is pinned. Moves folders to the trash first, so that a killed process leaves either a
 * complete folder or one that may be deleted. The view goes last, because it identifies the workspace.
 */
export function deleteWorktree(
  context: WorkspaceContext,
  { path, gitDir, view, folder, worker, isLinked }: FoundWorkspace,
): void {
  const now = context.clock.now()
  const trash = `${trashOf(context)}/${worker}-${now}`
  if (folder === "there") discard(path, trash)
  else if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    setAside(path, `${context.folder}/.set-aside/${worker}-${now}`)
  // In the user's repository, perhaps on another file system.
  if (isLinked) discard(gitDir, `${context.commonDir}/teamwork-trash/${basename(gitDir)}-${now}`)
  else {
    discard(gitDir, `${trash}.git`)
    discard(view, `${trash}.view`)
  }
  removeIfEmpty(dirname(gitDir))
  removeIfEmpty(dirname(view))
}

/** Returns what killed processes left in the trash, and deletes it. */
export function emptyTrash(context: WorkspaceContext, isDry: boolean): string[] {
  const trash = [trashOf(context), `${context.commonDir}/teamwork-trash`].filter((folder) => existsSync(folder))
  const left = trash.flatMap((folder) => entriesOf(folder).map((entry) => `${folder}/${entry.name}`))
  if (!isDry) {
    for (const folder of left) deleteFolder(folder)
    for (const folder of trash) removeIfEmpty(folder)
  }
  return left
}

function trashOf({ folder }: WorkspaceContext): string {
  return `${folder}/.trash`
}

function discard(folder: string, place: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return
  mkdirSync(dirname(place), { recursive: true })
  renameSync(folder, place)
  deleteFolder(place)
  removeIfEmpty(dirname(place))
}

function deleteFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Some programs make read-only folders.
    makeDeletable(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeDeletable(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (stat === undefined) return
  chmodSync(folder, (stat.mode & 0o777) | 0o700)
  for (const entry of entriesOf(folder)) if (entry.isDirectory()) makeDeletable(`${folder}/${entry.name}`)
}

/** Moves away a folder that we did not make, instead of deleting it. */
function setAside(path: string, place: string): void {
  if (lstatSync(path).isDirectory() && entriesOf(path).length === 0) rmdirSync(path)
  else {
    mkdirSync(dirname(place), { recursive: true })
    renameSync(path, place)
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It is not empty, or already gone.
  }
}
