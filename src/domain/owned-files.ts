import { resolvePath } from "../lib/paths.ts"

/**
 * The files that may be written, as globs from the workspace: `*` within a folder, `**` over folders, `{a,b}`, `[ab]`,
 * `?`. One that ends in `/` means all below it, and one behind `!` takes away again. The same for all who ask.
 */
export interface OwnedFiles {
  readonly workspace: string
  readonly globs: readonly string[]
}

/** Where an absolute path, which may hold `..`, leads when all links on the way are followed. */
export type FollowLinks = (path: string) => string

/** Why these files may not be written; undefined when they may. */
export function findForeign(
  { workspace, globs }: OwnedFiles,
  files: readonly string[],
  followLinks: FollowLinks,
): string | undefined {
  const root = followLinks(workspace)
  const isInside = (place: string) => isOwned(globs, pathFrom(root, followLinks(place)))
  const foreign = files.find((file) => !placesOf(file, workspace).every(isInside))
  return foreign === undefined ? undefined : `${foreign} is not among the owned files: ${globs.join(", ")}`
}

/**
 * `link/../x` is beside the link for who works the path out first, and beside what it leads to for who lets the system
 * do it. `~` is the home for some. All of them have to be owned.
 */
function placesOf(file: string, workspace: string): string[] {
  const absolute = file.startsWith("/") ? file : `${workspace}/${file}`
  return [absolute, resolvePath(absolute), ...(file.startsWith("~") ? ["/"] : [])]
}

/** Empty for the folder itself and for what is outside: nobody can own that. */
function pathFrom(root: string, place: string): string {
  const inside = root === "/" ? root : `${root}/`
  return place.startsWith(inside) ? place.slice(inside.length) : ""
}

function isOwned(globs: readonly string[], path: string): boolean {
  if (path === "") return false
  const [taken, given] = [globs.filter((glob) => glob.startsWith("!")), globs.filter((glob) => !glob.startsWith("!"))]
  return given.some((glob) => fits(glob, path)) && !taken.some((glob) => fits(glob.slice(1), path))
}

/** A name may itself hold what means something in a glob: `pages/[id].ts`. */
function fits(glob: string, path: string): boolean {
  const plain = glob.replace(/^\.\//, "")
  return plain === path || new Bun.Glob(plain.endsWith("/") ? `${plain}**` : plain).match(path)
}
