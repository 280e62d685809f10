/** Paths are relative, with `/` between the parts. */
export interface Folder {
  /** Sorted, at every depth, without links and special files. */
  readonly paths: readonly string[]
  read(path: string): Uint8Array
}

export interface OutFile {
  readonly path: string
  readonly content: string | Uint8Array
}
