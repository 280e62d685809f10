import type { Conflict, Merged } from "../../../src/git/port.ts"
import { AppError } from "../../../src/kernel/errors.ts"
import { compareFiles, type Files, type Objects } from "./objects.ts"

/** What two commits made of the files since they parted, as git's merge puts it together: file by file. */
export function mergeCommits(objects: Objects, ours: string, theirs: string): Merged {
  if (objects.mergeBases(ours, theirs).length === 0)
    throw new AppError("git.failed", `git merge-tree of ${ours} and ${theirs} failed: unrelated histories`)
  const base = baseFiles(objects, ours, theirs)
  const [mine, other] = [objects.files(ours), objects.files(theirs)]
  const result = new Map(mine)
  const conflicts: Conflict[] = []
  for (const { path, before, after } of compareFiles(base, other)) {
    const here = mine.get(path)
    if (here === after) continue
    if (here === before) {
      if (after === undefined) result.delete(path)
      else result.set(path, after)
      continue
    }
    conflicts.push(conflictIn(path, { before, here, after, ours, theirs }))
  }
  const tree = objects.addTree(result)
  return conflicts.length > 0 ? { isClean: false, conflicts, tree } : { isClean: true, tree }
}

/** Of several best ancestors git makes one by merging them; where that conflicts, what both had before counts. */
function baseFiles(objects: Objects, ours: string, theirs: string): Files {
  const [first, ...others] = objects.mergeBases(ours, theirs)
  if (first === undefined) return new Map()
  let files = objects.files(first)
  for (const other of others) {
    const before = baseFiles(objects, first, other)
    const merged = new Map(files)
    for (const change of compareFiles(before, objects.files(other))) {
      if (files.get(change.path) !== change.before) continue
      if (change.after === undefined) merged.delete(change.path)
      else merged.set(change.path, change.after)
    }
    files = merged
  }
  return files
}

interface Sides {
  readonly before: string | undefined
  readonly here: string | undefined
  readonly after: string | undefined
  readonly ours: string
  readonly theirs: string
}

function conflictIn(path: string, { before, here, after, ours, theirs }: Sides): Conflict {
  if (here === undefined || after === undefined) {
    const [without, having] = here === undefined ? [ours, theirs] : [theirs, ours]
    const message = `CONFLICT (modify/delete): ${path} deleted in ${without} and modified in ${having}.  Version ${having} of ${path} left in tree.`
    return { path, kind: "modify/delete", message, hunks: [] }
  }
  const kind = before === undefined ? "add/add" : "content"
  const [one, other] = [here, after].map((content) => content.replace(/\n$/, "")) as [string, string]
  const message = `CONFLICT (${kind}): Merge conflict in ${path}`
  return { path, kind, message, hunks: [{ line: 1, ours: one, theirs: other }] }
}
