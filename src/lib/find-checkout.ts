import { readFileSync, statSync } from "node:fs"
import { viewBeside } from "./checkout-folders.ts"
import { dirname, resolvePath } from "./paths.ts"

/** Files as git checked them out. */
export interface Checkout {
  readonly root: string
  /** Git's own folder, which all checkouts of one repository share. */
  readonly commonDir: string
}

/** The checkout around a path, which need not exist. Does not start git. */
export function findCheckout(place: string): Checkout | undefined {
  for (let root = resolvePath(place); ; root = dirname(root)) {
    const git = root === "/" ? "/.git" : `${root}/.git`
    const kind = kindOf(git)
    if (kind === "folder") return { root, commonDir: git }
    if (kind === "file") return { root, commonDir: followFile(git) }
    if (root === "/") return undefined
  }
}

function kindOf(path: string): "folder" | "file" | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? undefined : stats.isDirectory() ? "folder" : "file"
  } catch {
    // A part of the path is a file, or not readable.
    return undefined
  }
}

/** A linked worktree has a file that points to its part of the common folder. */
function followFile(file: string): string {
  const target = /^gitdir:[ \t]*(.+?)[\r\n]*$/.exec(read(file))?.[1]
  if (target === undefined) return file
  const gitDir = resolvePath(target, dirname(file))
  const view = viewBeside(gitDir)
  const common = (view === undefined ? "" : commonDirIn(view)) || commonDirIn(gitDir)
  return common === "" ? gitDir : resolvePath(common, gitDir)
}

function commonDirIn(gitDir: string): string {
  return read(`${gitDir}/commondir`).replace(/[\r\n]+$/, "")
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
