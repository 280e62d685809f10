import { AppError } from "../kernel/errors.ts"
import { codeOf } from "../lib/error-code.ts"
import { dirname } from "../lib/paths.ts"

/** Does work that writes a file into git's folder; where that cannot be written, says so in words that help. */
export function writeInto<T>(gitDir: string, file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = codeOf(error)
    // EEXIST: a file lies where the folder of it should be.
    if (code === "EISDIR" || code === "ENOTDIR" || code === "EEXIST")
      throw new AppError(
        "repository.read_only",
        `${file} cannot be written, as something else lies in its place; move ${dirname(file)} away and try again`,
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

/** Whether git failed because it may not write there. What a server refuses is another matter. */
export function isWriteRefused(stderr: string): boolean {
  return (
    /Permission denied|Read-only file system|insufficient permission/i.test(stderr) &&
    !/publickey|remote|unable to access/i.test(stderr)
  )
}
