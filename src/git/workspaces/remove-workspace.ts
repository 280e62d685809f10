import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { basename, dirname } from "../../lib/paths.ts"
import type { Attempt, Pin } from "../port.ts"
import { entriesOf } from "../read-refs.ts"
import { clearWorktreeLocks, waitForOrphans } from "../stale-locks.ts"
import { pinWorktree } from "./pin-worktree.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, isFinished, writeRecord } from "./workspace-record.ts"

/** Pins what a worktree holds, then removes it with its branch, whatever state it is in. What was pinned. */
export async function removeFound(
  context: WorkspaceContext,
  found: FoundWorkspace,
  { branch, place }: { readonly branch: string; readonly place?: Attempt },
): Promise<readonly Pin[]> {
  if (!isFinished(found)) await waitForOrphans(context, found)
  await clearWorktreeLocks(context, found)
  const { record } = found
  // Before its branch goes: whoever is killed then leaves a worktree that is known to be on its way out.
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

/** What is still at work in there may commit between our look and our pins: then we look again. */
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
 * Only once everything in it is kept elsewhere. Its folders are first moved to a place for what is to be deleted: who is
 * killed leaves something whole, or something that may be deleted. The view goes last, since it says what there is.
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
  // Git keeps what it knows of a linked worktree in the user's repository, on another file system perhaps.
  if (isLinked) discard(gitDir, `${context.commonDir}/teamwork-trash/${basename(gitDir)}-${now}`)
  else
    for (const [each, name] of [
      [gitDir, "git"],
      [view, "view"],
    ] as const)
      discard(each, `${trash}.${name}`)
  removeIfEmpty(dirname(gitDir))
  removeIfEmpty(dirname(view))
}

/** What was being deleted when its process was killed. Deletes it, unless only asked for. */
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
    // Some programs write-protect the folders they make.
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

/** Not what git made there: nobody knows whose it is, so it is moved out of the way and not deleted. */
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
    // Somebody else's things are in there, or it is gone already.
  }
}
