import type { TaskId } from "../kernel/ids.ts"
import { resolvePath } from "../lib/paths.ts"
import { findWrite, type ToolCall } from "./find-write.ts"
import { judgePath, type Ownership } from "./judge-path.ts"

/** Which files below a folder may be written. The folder is the repository's root for the agent that works there. */
export interface OwnedFiles {
  readonly workspace: string
  /** Null: anything below the folder may be written. */
  readonly ownership: Ownership | null
}

/** What an agent may write while it runs. */
export interface WriteRules extends OwnedFiles {
  readonly claim?: ClaimPlace
}

/** A claim and the store that holds it. */
export interface ClaimPlace {
  readonly project: string
  readonly team: string
  /** Of the team. */
  readonly run?: number
  readonly task: TaskId
  readonly owner: string
  readonly token: number
  /** The address of the store. */
  readonly store: string
}

/** Resolves all links of a path, which may contain `..`; relative to the root, or to `from`, which is already resolved. */
export type FollowLinks = (path: string, from?: string) => string

/**
 * Why an agent may not call a tool that writes; undefined if it may. A shell command is not judged here: what it wrote is
 * checked at the commit.
 */
export function judgeWrite(call: ToolCall, owned: OwnedFiles, followLinks: FollowLinks): string | undefined {
  const write = findWrite(call)
  if (write === undefined) return undefined
  return "problem" in write ? write.problem : findForeign(owned, write.files, followLinks)
}

/** Why these files may not be written; undefined if they may. */
export function findForeign(
  { workspace, ownership }: OwnedFiles,
  files: readonly string[],
  followLinks: FollowLinks,
): string | undefined {
  const root = followLinks(workspace)
  const follow = (place: string) =>
    place.startsWith(`${workspace}/`) ? followLinks(place.slice(workspace.length), root) : followLinks(place)
  for (const file of files) {
    for (const place of readingsOf(file, workspace)) {
      const inside = pathFrom(root, follow(place))
      if (ownership === null && isInside(inside)) continue
      const { allowed, path, message } = judgePath(inside, ownership ?? UNOWNED)
      if (!allowed) return path === file ? message : `${file}: ${message}`
    }
  }
  return undefined
}

/**
 * All places that programs may take a path for; each must be writable. `link/../x` is beside the link for a program that
 * normalises the path first, and beside the link's target for the system. Some programs expand `~`.
 */
function readingsOf(file: string, workspace: string): string[] {
  const absolute = file.startsWith("/") ? file : `${workspace}/${file}`
  const plain = resolvePath(absolute)
  return [...(plain === absolute ? [] : [absolute]), plain, ...(file.startsWith("~") ? ["/"] : [])]
}

const UNOWNED: Ownership = { task: null, others: [], granted: [], shared: [] }

/** Paths outside are still absolute here. Files of git are never writable. */
function isInside(path: string): boolean {
  return !path.startsWith("/") && !/(?:^|\/)\.?git/i.test(path)
}

/** A place outside of the root, and the root itself, stay absolute and are refused. */
function pathFrom(root: string, place: string): string {
  const inside = root === "/" ? root : `${root}/`
  return place.startsWith(inside) ? place.slice(inside.length) : place
}
