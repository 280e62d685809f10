import { AppError, type ErrorCode } from "../../kernel/errors.ts"

/** Whether somebody else holds the lock we asked for, so that asking again makes sense. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|PROTOCOL)/.test(codeOf(error))
}

/** What SQLite and the system say of a file or disk, and what to do about it; the first that fits. */
const CAUSES: readonly { readonly says: RegExp; readonly code: ErrorCode; readonly text: string }[] = [
  {
    says: /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
    code: "store.busy",
    text: "is locked by another process; try again",
  },
  {
    says: /^SQLITE_NOTADB/,
    code: "store.not_a_database",
    text: "is not a database; move it away, or name another store with --store",
  },
  {
    says: /^SQLITE_CORRUPT/,
    code: "store.not_a_database",
    text: "is damaged; move it away, or name another store with --store",
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
    text: "cannot be opened for writing; check its permissions, or set TEAMWORK_HOME or --store to a place you may write",
  },
  {
    says: /^(ENOENT|ENOTDIR|EEXIST|ENAMETOOLONG|EISDIR)/,
    code: "store.unavailable",
    text: "cannot be made; set TEAMWORK_HOME or --store to another place",
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
      `${path} is a folder; name a file, as in --store sqlite:${path}/teamwork.db`,
      {
        path,
      },
    )
  }
  return new AppError(cause.code, `${path} ${cause.text}`, { path, cause: found }, { cause: error })
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
