import { AppError } from "../../domain/errors.ts"

/** Whether somebody else holds the lock we asked for, so that asking again makes sense. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY") || codeOf(error) === "SQLITE_PROTOCOL"
}

/** Gives SQLite's words for the state of a disk or file a code and a way out; anything else comes back as it was. */
export function translate(error: unknown, path: string): unknown {
  if (error instanceof AppError) return error
  const code = codeOf(error)
  const because = { cause: error }
  if (code.startsWith("SQLITE_NOTADB") || code.startsWith("SQLITE_CORRUPT")) {
    const what = code.startsWith("SQLITE_NOTADB") ? "is not a database" : "is damaged"
    return new AppError(
      "store.not_a_database",
      `${path} ${what}; move it away, or name another store with --store`,
      { path },
      because,
    )
  }
  if (
    code === "SQLITE_FULL" ||
    code === "ENOSPC" ||
    (code.startsWith("SQLITE_IOERR") && code !== "SQLITE_IOERR_ACCESS")
  ) {
    const what = code.startsWith("SQLITE_IOERR")
      ? `cannot be read or written (${code})`
      : "has no room: the disk is full"
    return new AppError(
      "store.full",
      `${path} ${what}; nothing was changed; free some space and try again`,
      { path },
      because,
    )
  }
  if (
    code.startsWith("SQLITE_READONLY") ||
    code === "SQLITE_CANTOPEN" ||
    code.startsWith("SQLITE_AUTH") ||
    code === "EACCES" ||
    code === "EROFS" ||
    code === "EPERM"
  ) {
    return new AppError(
      "store.read_only",
      `${path} cannot be opened for writing; check its permissions, or set TEAMWORK_HOME or --store to a place you may write`,
      { path },
      because,
    )
  }
  if (code === "ENOTDIR" || code === "EEXIST" || code === "ENAMETOOLONG" || code === "EISDIR") {
    return new AppError(
      "store.unavailable",
      `${path} cannot be made (${code}); set TEAMWORK_HOME or --store to another place`,
      { path },
      because,
    )
  }
  return error
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""
}
