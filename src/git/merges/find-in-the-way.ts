import { type Dirent, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Change } from "../port.ts"

/**
 * Untracked files that applying the changes would destroy: git overwrites ignored files without asking. Tracked
 * files that the changes remove are not in the way: a file may become a folder, a folder a file or a link.
 */
export function findInTheWay(folder: string, changes: readonly Change[]): string[] {
  const leaving = new Set(changes.flatMap(({ oldPath, oldMode }) => (oldMode === null ? [] : [oldPath])))
  const found = changes.flatMap((change) => {
    if (change.newMode === null || isSameKind(change)) return []
    const parent = findParent(folder, change.path)
    if (parent !== undefined) return leaving.has(parent) ? [] : [parent]
    const stat = lstatSync(join(folder, change.path), { throwIfNoEntry: false })
    if (stat === undefined) return []
    if (!stat.isDirectory()) return leaving.has(change.path) ? [] : [change.path]
    // Git does not touch a folder that becomes a submodule.
    if (change.newMode === "160000") return []
    return listOthers(folder, change.path, leaving)
  })
  return [...new Set(found)]
}

/** Then git compares the file before it writes. */
function isSameKind({ status, oldMode, newMode }: Change): boolean {
  return status === "modified" && (oldMode === "160000") === (newMode === "160000")
}

function findParent(folder: string, path: string): string | undefined {
  const parts = path.split("/")
  for (let count = 1; count < parts.length; count++) {
    const parent = parts.slice(0, count).join("/")
    const stat = lstatSync(join(folder, parent), { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    if (!stat.isDirectory()) return parent
  }
  return undefined
}

function listOthers(folder: string, path: string, leaving: ReadonlySet<string>): string[] {
  const entries: Dirent[] = readdirSync(join(folder, path), { withFileTypes: true })
  return entries.flatMap((entry) => {
    const inside = `${path}/${entry.name}`
    if (entry.isDirectory()) return listOthers(folder, inside, leaving)
    return leaving.has(inside) ? [] : [inside]
  })
}
