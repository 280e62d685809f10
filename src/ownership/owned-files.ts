import type { TaskId } from "../kernel/ids.ts"
import { resolvePath } from "../lib/paths.ts"
import { findWrite, type ToolCall } from "./find-write.ts"
import { judgePath, type Ownership } from "./judge-path.ts"

/** The folder is the repository's root for the agent that works there. */
export interface OwnedFiles {
  readonly workspace: string
  /** Null: the agent may write anything below the folder. */
  readonly ownership: Ownership | null
}

export interface WriteRules extends OwnedFiles {
  readonly claim?: ClaimPlace
}

export interface ClaimPlace {
  readonly project: string
  readonly team: string
  readonly run?: number
  readonly task: TaskId
  readonly owner: string
  readonly token: number
  /** Address. */
  readonly store: string
}

/** Resolves links of a path that may contain `..`, relative to the root or to the resolved `from`. */
export type FollowLinks = (path: string, from?: string) => string

/** Returns the reason for refusing a tool call. Does not judge shell commands: the commit checks what they wrote. */
export function judgeWrite(call: ToolCall, owned: OwnedFiles, followLinks: FollowLinks): string | undefined {
  const write = findWrite(call)
  if (write === undefined) return undefined
  return "problem" in write ? write.problem : findWriteProblem(owned, write.files, followLinks)
}

/** Returns the reason for refusing. */
export function findWriteProblem(
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
 * All meanings of a path for programs; each must be writable. `link/../x` is beside the link for a program that
 * normalises first, and beside the link's target for the system. Some programs expand `~`.
 */
function readingsOf(file: string, workspace: string): string[] {
  const absolute = file.startsWith("/") ? file : `${workspace}/${file}`
  const plain = resolvePath(absolute)
  return [...(plain === absolute ? [] : [absolute]), plain, ...(file.startsWith("~") ? ["/"] : [])]
}

const UNOWNED: Ownership = { task: null, others: [], granted: [], shared: [] }

/** Paths outside are still absolute here. Git's files are never writable. */
function isInside(path: string): boolean {
  return !path.startsWith("/") && !/(?:^|\/)\.?git/i.test(path)
}

/** The root and places outside stay absolute and are refused. */
function pathFrom(root: string, place: string): string {
  const inside = root === "/" ? root : `${root}/`
  return place.startsWith(inside) ? place.slice(inside.length) : place
}
