/** A folder as readers of formats see it. Paths are relative, with `/` between the parts. */
export interface Folder {
  /** Every file in it and below, sorted, without links and special files. */
  readonly paths: readonly string[]
  /** Throws when the file cannot be read. */
  read(path: string): Uint8Array
}

/** A file to write. */
export interface OutFile {
  readonly path: string
  readonly content: string | Uint8Array
}
