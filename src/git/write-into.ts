import { AppError } from "../kernel/errors.ts"
import { codeOf } from "../lib/error-code.ts"
import { dirname } from "../lib/paths.ts"

/** Throws `repository.read_only` if `work` cannot write into the git folder. */
export function writeInto<T>(gitDir: string, file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = codeOf(error)
    // EEXIST: a file is in place of its folder.
    if (code === "EISDIR" || code === "ENOTDIR" || code === "EEXIST")
      throw new AppError(
        "repository.read_only",
        `${file} cannot be written, because something else is in its place; move ${dirname(file)} away and try again`,
        { folder: gitDir },
        { cause: error },
      )
    if (code !== "EACCES" && code !== "EROFS" && code !== "EPERM") throw error
    throw readOnly(gitDir, error)
  }
}

export function readOnly(folder: string, cause?: unknown): AppError {
  return new AppError(
    "repository.read_only",
    `${folder} cannot be written, so no team can work on this repository; make it writable, or work in a clone of it`,
    { folder },
    { cause },
  )
}

/** As opposed to a refusal by a server. */
export function isWriteRefused(stderr: string): boolean {
  return (
    /Permission denied|Read-only file system|insufficient permission/i.test(stderr) &&
    !/publickey|remote|unable to access/i.test(stderr)
  )
}
