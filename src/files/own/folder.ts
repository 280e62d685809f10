/** A folder of files, as far as those who read formats are concerned. Paths are relative, with `/` between the parts. */
export interface Folder {
  /** Every file in it and below, sorted; links and special files are left out. */
  readonly paths: readonly string[]
  /** Throws when the file cannot be read. */
  read(path: string): Uint8Array
}

/** A file as it is to be. */
export interface OutFile {
  readonly path: string
  readonly content: string | Uint8Array
}
