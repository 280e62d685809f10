import { AppError, type ErrorCode, type Told } from "../../kernel/errors.ts"
import { codeOf } from "../../lib/error-code.ts"

/** Another connection holds the lock, so that it makes sense to try again. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|PROTOCOL)/.test(codeOf(error) ?? "")
}

/** By the code of SQLite or the system: our code, what is wrong, and what to do about it. The first match counts. */
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

/** Turns an error of SQLite or the system into ours; returns any other error unchanged. */
export function translate(error: unknown, path: string): unknown {
  if (error instanceof AppError) return error
  const found = codeOf(error) ?? ""
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
    // Not readable: the original error says more.
    return false
  }
}
