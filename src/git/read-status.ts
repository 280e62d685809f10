import { existsSync } from "node:fs"
import { AppError } from "../kernel/errors.ts"
import { readBytes } from "../lib/read-files.ts"
import { getTree } from "./ancestry.ts"
import { copyIndex, temporaryIndex } from "./copy-index.ts"
import { findCleanTree } from "./find-clean-tree.ts"
import type { Git } from "./git.ts"
import { cachedTree, listTracked } from "./read-index.ts"

export interface Status {
  /** New files included. */
  readonly changes: readonly Change[]
  readonly closed: readonly string[]
}

export interface Change {
  readonly path: string
  readonly kind: "changed" | "untracked"
  readonly isRepository: boolean
}

const CLEAN: Status = { changes: [], closed: [] }

let looks = 0

/**
 * Compares the files of a checkout with a commit through our git folder. Does not change the index, and runs
 * nothing in nested repositories.
 */
export async function readStatus(
  git: Git,
  gitDir: string,
  commit: string,
  { isForeign = false }: { /** The index is not ours and may hide files. */ readonly isForeign?: boolean } = {},
): Promise<Status> {
  if (!isForeign && (await isCleanAt(git, { path: git.folder, gitDir, commit }))) return CLEAN
  const index = `${gitDir}/teamwork-look-${process.pid}-${++looks}`
  using own = temporaryIndex(index)
  if (!isForeign && existsSync(`${gitDir}/index`)) copyIndex(`${gitDir}/index`, index)
  if (treeOfIndex(index) !== (await getTree(git, commit)))
    await git.read(["read-tree", ...(existsSync(index) ? ["-i", "-m"] : []), commit], own)
  const flags = ["-t", "--modified", "--deleted", "--others", "--exclude-standard", "--deduplicate", "-z"]
  const { exitCode, stdout, stderr } = await git.run(["ls-files", ...flags], own)
  if (exitCode !== 0) throw new AppError("git.failed", `git ls-files failed: ${stderr.split("\n", 1)[0]}`)
  return { changes: readChanges(stdout), closed: readClosed(stderr) }
}

/** False also if only git can decide. */
export async function isCleanAt(
  git: Git,
  { path, gitDir, commit }: { readonly path: string; readonly gitDir: string; readonly commit: string },
): Promise<boolean> {
  const tree = findCleanTree(path, gitDir)
  return tree !== undefined && tree === (await (await git.objects()).commit(commit))?.tree
}

/** Undefined if git did not cache it in the index. */
export function treeOfIndex(file: string): string | undefined {
  const index = readBytes(file)
  const tracked = listTracked(index)
  return index === undefined || tracked === undefined ? undefined : cachedTree(index, tracked)
}

/** `? new`, `C changed` or `R removed`. An untracked repository ends with a slash. */
function readChanges(output: string): Change[] {
  const changes = new Map<string, Change>()
  for (const entry of output.split("\0")) {
    const isNew = entry.startsWith("? ")
    const path = entry.slice(2)
    if (path === "") continue
    const kind = isNew ? "untracked" : "changed"
    changes.set(path, { path: path.replace(/\/$/, ""), kind, isRepository: isNew && path.endsWith("/") })
  }
  // In the order of `git status`: new files last.
  return [...changes.values()].sort(
    (one, other) => Number(one.kind === "untracked") - Number(other.kind === "untracked"),
  )
}

function readClosed(stderr: string): string[] {
  return [...stderr.matchAll(/^warning: could not open directory '(.+?)\/?': /gm)].map(([, path = ""]) => path)
}
