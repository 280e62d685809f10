import { AppError } from "../kernel/errors.ts"
import { codeOf } from "../lib/error-code.ts"

/** A repository that we may not write is not a bug of ours. Undefined for any other error. */
export function explainDenied(error: unknown): AppError | undefined {
  const code = codeOf(error)
  if (code !== "EACCES" && code !== "EROFS" && code !== "EPERM") return undefined
  const path = error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : ""
  const folder = /^(.*\/\.git)(?:\/|$)/.exec(path)?.[1]
  if (folder === undefined) return undefined
  const message = `${path} cannot be written, so no team can work on this repository; make ${folder} writable, or work in a clone of it`
  return new AppError("repository.read_only", message, { folder }, { cause: error })
}
