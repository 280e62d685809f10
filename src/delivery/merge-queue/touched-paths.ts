import type { Merges } from "../../git/port.ts"

export interface Touched {
  readonly paths: ReadonlySet<string>
  /** The folders of these paths. */
  readonly folders: ReadonlySet<string>
}

/** `leaveOut`: paths that are merged by a rule and do not count. */
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

/** They share a path, or one has a file where the other has a folder. */
export function mayConflict(one: Touched, other: Touched): boolean {
  const isApart = one.paths.isDisjointFrom(other.paths) && one.paths.isDisjointFrom(other.folders)
  return !(isApart && one.folders.isDisjointFrom(other.paths))
}
