import { resolvePath } from "../lib/paths.ts"
import { judgePath, type Ownership } from "./judge-path.ts"

/** Who may write which files below a folder, which is the repository's root for whoever works there. */
export interface OwnedFiles {
  readonly workspace: string
  readonly ownership: Ownership
}

/** Where an absolute path, which may hold `..`, leads when all links on the way are followed. */
export type FollowLinks = (path: string) => string

/** Why these files may not be written; undefined when they may. */
export function findForeign(
  { workspace, ownership }: OwnedFiles,
  files: readonly string[],
  followLinks: FollowLinks,
): string | undefined {
  const root = followLinks(workspace)
  for (const file of files) {
    for (const place of placesOf(file, workspace)) {
      const { allowed, path, message } = judgePath(pathFrom(root, followLinks(place)), ownership)
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
  return [absolute, resolvePath(absolute), ...(file.startsWith("~") ? ["/"] : [])]
}

/** As it is when it lies outside, or is the folder itself: nobody may write that. */
function pathFrom(root: string, place: string): string {
  const inside = root === "/" ? root : `${root}/`
  return place.startsWith(inside) ? place.slice(inside.length) : place
}
