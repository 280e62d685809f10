import { chmodSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs"
import { AppError } from "../domain/errors.ts"
import { firstLine, type Ground } from "./ground.ts"
import { pinWorktree } from "./pin-worktree.ts"
import type { Attempt, Pin } from "./port.ts"
import { entriesOf } from "./read-refs.ts"
import { type Found, isFinished, writeRecord } from "./record.ts"
import { clearWorktreeLocks, waitForOrphans } from "./stale-locks.ts"

/** Pins what a worktree holds, then removes it with its branch, whatever state it is in. What was pinned. */
export async function removeFound(
  ground: Ground,
  found: Found,
  { branch, place }: { readonly branch: string; readonly place?: Attempt },
): Promise<readonly Pin[]> {
  if (found.locked !== null) {
    const why = found.locked === "" ? "" : ` (${found.locked})`
    throw new AppError(
      "workspace.locked",
      `the worktree ${found.path} is locked${why}; unlock it with: git worktree unlock '${found.path}'`,
      { path: found.path },
    )
  }
  if (!isFinished(found)) await waitForOrphans(ground, found)
  await clearWorktreeLocks(ground, found)
  const { pins } = await pinWorktree(ground, found, { branch, place, dropsBranch: true })
  if (found.record !== null) writeRecord(found.adminDir, { ...found.record, pending: "remove" })
  await deleteWorktree(ground, found)
  return pins
}

/** Only once everything in it is kept elsewhere. */
export async function deleteWorktree(ground: Ground, found: Found): Promise<void> {
  const { path, adminDir } = found
  if (found.folder === "other") {
    setAside(ground, found)
    rmSync(adminDir, { recursive: true, force: true })
    return
  }
  const remove = () => ground.git.run(["worktree", "remove", "--force", "--force", "--", path])
  const first = await remove()
  if (first.exitCode === 0) return
  makeDeletable(path)
  const { exitCode, stderr } = await remove()
  if (exitCode !== 0)
    throw new AppError(
      "git.failed",
      `the worktree at ${path} cannot be removed: ${firstLine(stderr)}; all it held is pinned`,
    )
}

/** Not what git made there: nobody knows whose it is, so it is moved out of the way and not deleted. */
function setAside({ folder, clock }: Ground, { path, worker }: Found): void {
  if (lstatSync(path).isDirectory() && entriesOf(path).length === 0) rmdirSync(path)
  else {
    const place = `${folder}/.set-aside`
    mkdirSync(place, { recursive: true })
    renameSync(path, `${place}/${worker}-${clock.now()}`)
  }
}

/** Some programs write-protect the folders they make. */
function makeDeletable(folder: string): void {
  try {
    chmodSync(folder, (lstatSync(folder).mode & 0o777) | 0o700)
  } catch {
    return // gone, or not ours: git says what is wrong
  }
  for (const entry of entriesOf(folder)) if (entry.isDirectory()) makeDeletable(`${folder}/${entry.name}`)
}
