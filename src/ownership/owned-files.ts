import type { TaskId } from "../kernel/ids.ts"
import { resolvePath } from "../lib/paths.ts"
import { judgePath, type Ownership } from "./judge-path.ts"

/** Who may write which files below a folder, which is the repository's root for whoever works there. */
export interface OwnedFiles {
  readonly workspace: string
  /** Null where anything below the folder may be written. */
  readonly ownership: Ownership | null
}

/** What holds an agent to its files while it runs. */
export interface WriteRules extends OwnedFiles {
  readonly claim?: ClaimPlace
}

/** A claim, and where it is kept. */
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

/** Where a path, which may hold `..`, leads when all links on the way are followed; from the root, or from such a place. */
export type FollowLinks = (path: string, from?: string) => string

/** Why these files may not be written; undefined when they may. */
export function findForeign(
  { workspace, ownership }: OwnedFiles,
  files: readonly string[],
  followLinks: FollowLinks,
): string | undefined {
  const root = followLinks(workspace)
  const follow = (place: string) =>
    place.startsWith(`${workspace}/`) ? followLinks(place.slice(workspace.length), root) : followLinks(place)
  for (const file of files) {
    for (const place of placesOf(file, workspace)) {
      const inside = pathFrom(root, follow(place))
      if (ownership === null && isInside(inside)) continue
      const { allowed, path, message } = judgePath(inside, ownership ?? NOBODYS)
      if (!allowed) return path === file ? message : `${file}: ${message}`
    }
  }
  return undefined
}

/**
 * `link/../x` is beside the link for who works the path out first, and beside what it leads to for who lets the system
 * do it. `~` is the home for some. All of them have to be owned.
 */
function placesOf(file: string, workspace: string): string[] {
  const absolute = file.startsWith("/") ? file : `${workspace}/${file}`
  const plain = resolvePath(absolute)
  return [...(plain === absolute ? [] : [absolute]), plain, ...(file.startsWith("~") ? ["/"] : [])]
}

const NOBODYS: Ownership = { task: null, others: [], granted: [], shared: [] }

/** What lies outside stays absolute. Git's own files are nobody's. */
function isInside(path: string): boolean {
  return !path.startsWith("/") && !/(?:^|\/)\.?git/i.test(path)
}

/** As it is when it lies outside, or is the folder itself: nobody may write that. */
function pathFrom(root: string, place: string): string {
  const inside = root === "/" ? root : `${root}/`
  return place.startsWith(inside) ? place.slice(inside.length) : place
}
