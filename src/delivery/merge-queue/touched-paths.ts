import type { Merges } from "../../git/port.ts"

/** What a piece of work changed. */
export interface Touched {
  readonly paths: ReadonlySet<string>
  /** Those that the paths lie in. */
  readonly folders: ReadonlySet<string>
}

/** `leaveOut`: paths that do not count, as they are put together by a rule. */
export async function readTouched(
  merges: Pick<Merges, "changes">,
  { base, head }: { readonly base: string; readonly head: string },
  leaveOut: (path: string) => boolean = () => false,
): Promise<Touched> {
  const all = (await merges.changes(base, head)).flatMap((change) => [change.path, change.oldPath])
  const paths = new Set(all.filter((path) => !leaveOut(path)))
  const folders = [...paths].flatMap((path) => {
    const parts = path.split("/")
    return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"))
  })
  return { paths, folders: new Set(folders) }
}

/** The same path, or a file of one where the other has a folder. */
export function mayConflict(one: Touched, other: Touched): boolean {
  const isApart = one.paths.isDisjointFrom(other.paths) && one.paths.isDisjointFrom(other.folders)
  return !(isApart && one.folders.isDisjointFrom(other.paths))
}
