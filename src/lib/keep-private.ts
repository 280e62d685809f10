/** The permissions of other users. */
const OTHERS = 0o077
const STICKY = 0o1000

/** Removes the permissions of other users on a file or folder of ours. */
export function keepPrivate(path: string): void {
  // Loaded on use: it takes 1 ms of every start.
  const { chmodSync, statSync } = process.getBuiltinModule("node:fs")
  try {
    const { mode, uid } = statSync(path)
    // A shared folder, such as the one for temporary files.
    if ((mode & OTHERS) === 0 || (mode & STICKY) !== 0 || uid !== process.getuid?.()) return
    chmodSync(path, mode & 0o700)
  } catch {
    // Deleted, or on a disk without permissions.
  }
}
