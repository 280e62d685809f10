import { AppError, type ErrorCode, type Told } from "../../kernel/errors.ts"

/** Whether somebody else holds the lock we asked for, so that asking again makes sense. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|PROTOCOL)/.test(codeOf(error))
}

/** What SQLite and the system say of a file or disk, and what to do about it; the first that fits. */
const CAUSES: readonly { readonly says: RegExp; readonly code: ErrorCode; readonly text: Told }[] = [
  {
    says: /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
    code: "store.busy",
    text: "is locked by another process; try again",
  },
  {
    says: /^SQLITE_NOTADB/,
    code: "store.not_a_database",
    text: (say) => `is not a database; move it away, or name another store with ${say.field("store")}`,
  },
  {
    says: /^SQLITE_CORRUPT/,
    code: "store.not_a_database",
    text: (say) => `is damaged; move it away, or name another store with ${say.field("store")}`,
  },
  {
    says: /^(SQLITE_FULL|ENOSPC)/,
    code: "store.full",
    text: "has no room: the disk is full; nothing was changed; free some space and try again",
  },
  {
    says: /^SQLITE_IOERR/,
    code: "store.full",
    text: "cannot be read or written; nothing was changed; check the disk and its free space",
  },
  {
    says: /^(SQLITE_(READONLY|CANTOPEN|AUTH|PERM)|EACCES|EROFS|EPERM)/,
    code: "store.read_only",
    text: (say) =>
      `cannot be opened for writing; check its permissions, or set TEAMWORK_HOME or ${say.field("store")} to a place you may write`,
  },
  {
    says: /^(ENOENT|ENOTDIR|EEXIST|ENAMETOOLONG|EISDIR)/,
    code: "store.unavailable",
    text: (say) => `cannot be made; set TEAMWORK_HOME or ${say.field("store")} to another place`,
  },
]

/** Gives such an error a code and a way out; anything else comes back as it was. */
export function translate(error: unknown, path: string): unknown {
  if (error instanceof AppError) return error
  const found = codeOf(error)
  const cause = CAUSES.find((each) => each.says.test(found))
  if (cause === undefined) return error
  if (isFolder(path)) {
    return new AppError(
      "store.unavailable",
      (say) => `${path} is a folder; name a file, as in ${say.field("store")} sqlite:${path}/teamwork.db`,
      { path },
    )
  }
  const { code, text } = cause
  const told: Told = (say) => `${path} ${typeof text === "string" ? text : text(say)}`
  return new AppError(code, told, { path, cause: found }, { cause: error })
}

function isFolder(path: string): boolean {
  const { statSync } = process.getBuiltinModule("node:fs")
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    // What we may not look at has a reason of its own.
    return false
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""
}
