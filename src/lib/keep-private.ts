/** What others may not do with a file or folder of the user's. */
const OTHERS = 0o077
const STICKY = 0o1000

/** Takes the rights of other users on a file or folder away, where there are any. What is not ours stays as it is. */
export function keepPrivate(path: string): void {
  // Most calls find nothing to do, so loading it with everything else would cost them for nothing.
  const { chmodSync, statSync } = process.getBuiltinModule("node:fs")
  try {
    const { mode, uid } = statSync(path)
    // A folder for everybody, such as that for temporary files, is nobody's own.
    if ((mode & OTHERS) === 0 || (mode & STICKY) !== 0 || uid !== process.getuid?.()) return
    chmodSync(path, mode & 0o700)
  } catch {
    // Gone, or on a disk without rights: then there is nothing to take away.
  }
}
