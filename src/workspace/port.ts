/** How git keeps an entry of a tree: a file, an executable file, a symbolic link, a commit of another repository. */
export type FileMode = "100644" | "100755" | "120000" | "160000"

/** One path that differs between two states of the files. */
export interface Change {
  /** Where it is now; for a deleted one, where it was. */
  readonly path: string
  /** Another than `path` only if it was renamed. */
  readonly oldPath: string
  readonly status: "added" | "modified" | "deleted" | "renamed"
  /** Null where it does not exist. */
  readonly oldMode: FileMode | null
  readonly newMode: FileMode | null
  /** Names of the contents; zeros where there are none. */
  readonly oldId: string
  readonly newId: string
  readonly isBinary: boolean
  readonly addedLines: number
  readonly deletedLines: number
  /** What a symbolic link points to, as it is written in it. */
  readonly linksTo?: string
}
