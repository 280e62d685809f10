import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { codeOf } from "../../lib/error-code.ts"

/** A link is `other`: links are not followed. */
export type Found =
  | { readonly kind: "missing" }
  | { readonly kind: "file"; readonly bytes: Buffer }
  | { readonly kind: "other" }

export function look(path: string): Found {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return { kind: "missing" }
  if (!stat.isFile()) return { kind: "other" }
  try {
    return { kind: "file", bytes: readFileSync(path) }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { kind: "missing" } // just removed
    throw error
  }
}

const TEMPORARY = ".teamwork-export.tmp-"
let temporaries = 0

/**
 * Readers see the old or the new file, never a part. Not synced to disk, because it can be written again at any
 * time. The temporary file is in `root`, on the same disk.
 */
export function replaceFile(root: string, path: string, content: string | Uint8Array): void {
  const temporary = temporaryIn(root)
  try {
    writeFileSync(temporary, content, { flag: "wx", mode: 0o600 })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Named after its process, so that it can be removed when that is dead. */
export function temporaryIn(root: string): string {
  return join(root, `${TEMPORARY}${process.pid}-${++temporaries}`)
}

export function removeLeftovers(root: string): void {
  for (const name of readdirSync(root)) {
    if (!name.startsWith(TEMPORARY)) continue
    const pid = Number.parseInt(name.slice(TEMPORARY.length), 10)
    if (!isAlive(pid)) rmSync(join(root, name), { force: true })
  }
}

/** Our own process does not count: it writes one file at a time. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
}

export function makeFolders(root: string, path: string): void {
  if (!checkFolders(root, path)) mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o700 })
}

/** Throws on a link, through which we would write outside of `root`. */
export function checkFolders(root: string, path: string): boolean {
  let folder = root
  for (const part of path.split("/").slice(0, -1)) {
    folder = join(folder, part)
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    if (stat === undefined) return false
    if (stat.isSymbolicLink()) throw exportFailed(folder, LINK)
    if (!stat.isDirectory()) throw exportFailed(folder, "it is a file where a folder is needed")
  }
  return true
}

export function readAt(fd: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, length))
  let filled = 0
  while (filled < bytes.length) {
    const count = readSync(fd, bytes, filled, bytes.length - filled, from + filled)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}

/** `from` null: append to a file opened for appending. */
export function writeAt(fd: number, from: number | null, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, from === null ? null : from + done)
  }
}

const LINK = "it is a link, and nothing is written through links"

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of its path is a file, not a folder",
  EEXIST: "it is a file, not a folder",
  EISDIR: "it is a folder, not a file",
  ENAMETOOLONG: "the name is too long",
  ELOOP: LINK,
  ENOENT: "it was removed in the meantime",
}

/** Turns errors of the system into `export.failed`. */
export function onDisk<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = codeOf(error)
    if (error instanceof AppError || code === undefined) throw error
    const named = (error as { path?: unknown }).path
    throw exportFailed(
      typeof named === "string" && !named.includes(TEMPORARY) ? named : path,
      REASONS[code] ?? code,
      error,
    )
  }
}

export function exportFailed(path: string, reason: string, cause?: unknown): AppError {
  return new AppError("export.failed", `cannot write ${path}: ${reason}`, { path, reason }, { cause })
}
