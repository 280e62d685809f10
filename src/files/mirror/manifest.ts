import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import type { TeamName } from "../../kernel/team.ts"
import { codeOf } from "../../lib/error-code.ts"
import { isAlive, look, readAt, replaceFile, temporaryIn, writeAt } from "./disk.ts"

/**
 * Remembers which contents we wrote, so that an edit by hand is noticed. A log: a header, then a line before each change
 * of a file. Several mirrors may write to it at once. `compact` makes it one line per file, in the order of the paths.
 */
export interface Manifest {
  find(path: string): Entry | undefined
  entries(): Iterable<[path: string, entry: Entry]>
  /** To be called before the files themselves change. */
  record(lines: readonly Line[]): void
  /** Takes in what others recorded meanwhile. */
  refresh(): void
  /** Only while everything that was recorded has been done. */
  compact(): void
  /** No more calls after this one. */
  close(): void
  /** Whether so many lines came that it is time to compact. */
  isLong(): boolean
}

export interface Entry {
  /** Of what we wrote there, the newest last. With two mirrors at once any of them may be what is there. */
  readonly hashes: readonly string[]
  /**
   * That it was there at the end of a writing of everything, and has only been changed since. Of any other file we cannot
   * tell why it is missing: a crash may come between a line and its file, and so may another mirror.
   */
  readonly isCertain: boolean
  /** A crash may leave the file. */
  readonly isRemoved: boolean
}

export type Line =
  | { readonly path: string; readonly hash: string; readonly new?: true }
  | { readonly path: string; readonly removed: true }

export interface Header extends TeamName {
  readonly format: typeof FORMAT
  readonly version: number
}

export const MANIFEST = ".teamwork-export.jsonl"
const FORMAT = "teamwork-export"
export const VERSION = 1
/** Two would do for one writer: what was there, and what was about to be. */
const HASHES_KEPT = 8
const LONG_LINES = 20_000

/** The header of a manifest; undefined when there is none that we can read. */
export function readHeader(file: string): Header | undefined {
  const text = readIfThere(file)
  return text === undefined ? undefined : parseHeader(text)
}

/** Opens the manifest, or makes one. What it remembers of another format or team counts for nothing. */
export function openManifest(file: string, name: TeamName): Manifest {
  const header = headerLine(name)
  const found = look(file)
  const isOurs = found.kind === "file" && found.bytes.toString("utf8").startsWith(`${header}\n`)
  if (found.kind !== "missing" && !isOurs) rmSync(file, { recursive: true, force: true })
  if (!isOurs) create(file, header)
  return followManifest(file, header)
}

/** For a look only: nothing is written. */
export function readManifest(file: string): Iterable<[path: string, entry: Entry]> {
  const entries = new Map<string, Entry>()
  const text = readIfThere(file) ?? ""
  for (const line of parseHeader(text) === undefined ? [] : parseLines(text)) apply(entries, line)
  return entries
}

function followManifest(file: string, header: string): Manifest {
  const entries = new Map<string, Entry>()
  /** How much of which file `entries` has taken in. It stays open: the number of one that is gone may be given again. */
  let seen = { fd: openToRead(file), bytes: 0 }
  /** What we added since: anything more is of somebody who works here as well. */
  let ownBytes = 0
  /** For the rest of our time: what another one recorded may be done much later. */
  let hasCompany = false
  let lines = 0

  /** Returns what is new in the file that we know. */
  function takeIn(): string {
    const size = fstatSync(seen.fd).size
    const text = readAt(seen.fd, seen.bytes, size - seen.bytes).toString("utf8")
    const whole = text.slice(0, text.lastIndexOf("\n") + 1)
    const bytes = Buffer.byteLength(whole)
    if (bytes > ownBytes) hasCompany = true
    seen.bytes += bytes
    ownBytes = 0
    for (const line of parseLines(whole)) apply(entries, line)
    return whole
  }
  function goOnWith(fd: number, bytes: number): void {
    closeSync(seen.fd)
    seen = { fd, bytes }
  }
  function refresh(): void {
    takeIn()
    const fd = openToRead(file)
    if (fstatSync(fd).ino === fstatSync(seen.fd).ino) {
      closeSync(fd)
      return
    }
    // Another mirror made it short: what is not in it was removed.
    for (const [path, entry] of entries) entries.set(path, { ...entry, isRemoved: true })
    hasCompany = true
    goOnWith(fd, 0)
    takeIn()
  }
  const before = takeIn()
  hasCompany = false
  // Lines behind the compact ones: a mirror runs, or was ended halfway. Why a file is missing then is hard to tell.
  const isCompact = before === toText([header, ...compactLines(entries, false)])
  if (!isCompact) for (const [path, entry] of entries) entries.set(path, { ...entry, isCertain: false })

  return {
    find: (path) => entries.get(path),
    entries: () => entries,
    record(added) {
      if (added.length === 0) return
      const text = toText(added.map((line) => JSON.stringify(line)))
      appendTo(file, text)
      for (const line of added) apply(entries, line)
      ownBytes += Buffer.byteLength(text)
      lines += added.length
    },
    refresh,
    compact() {
      lines = 0
      whenAlone(`${file}.compacting`, () => {
        refresh()
        const text = toText([header, ...compactLines(entries, hasCompany)])
        forget(entries, hasCompany)
        if (text === readAt(seen.fd, 0, fstatSync(seen.fd).size).toString("utf8")) return
        replaceFile(dirname(file), file, text)
        // Whoever added something just before we put ours in its place has done so to the old one.
        const late = takeIn()
        if (late !== "") appendTo(file, late)
        goOnWith(openToRead(file), Buffer.byteLength(text))
      })
    },
    close: () => closeSync(seen.fd),
    isLong: () => lines > LONG_LINES,
  }
}

/**
 * One line for each file, with the newest content, which is there now. While others work here as well any of the newer
 * contents may be there: they stay known, or theirs would look like edits by hand.
 */
function compactLines(entries: Map<string, Entry>, hasCompany: boolean): string[] {
  const lines: string[] = []
  for (const path of [...entries.keys()].sort()) {
    const { hashes = [], isCertain = false, isRemoved = true } = entries.get(path) ?? {}
    const kept = isRemoved ? [] : hasCompany ? hashes : hashes.slice(-1)
    const mark = isCertain || !hasCompany ? {} : { new: true }
    for (const hash of kept) lines.push(JSON.stringify({ path, hash, ...mark }))
  }
  return lines
}

/** What the compact lines do not say. */
function forget(entries: Map<string, Entry>, hasCompany: boolean): void {
  for (const [path, entry] of entries) {
    if (entry.isRemoved) entries.delete(path)
    else if (!hasCompany) entries.set(path, { ...entry, isCertain: true })
  }
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("")
}

function openToRead(file: string): number {
  return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
}

function readIfThere(file: string): string | undefined {
  const found = look(file)
  return found.kind === "file" ? found.bytes.toString("utf8") : undefined
}

function headerLine({ project, team }: TeamName): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, project, team } satisfies Header)
}

function parseHeader(text: string): Header | undefined {
  const header = parseObject(text.slice(0, text.indexOf("\n")))
  if (
    header?.format !== FORMAT ||
    typeof header.version !== "number" ||
    typeof header.project !== "string" ||
    typeof header.team !== "string"
  )
    return undefined
  return header as unknown as Header
}

/** Of two who begin at once one makes it, header and all, and both go on with that one. */
function create(file: string, header: string): void {
  const own = temporaryIn(dirname(file))
  writeFileSync(own, `${header}\n`, { mode: 0o600 })
  try {
    linkSync(own, file)
  } catch (error) {
    // Some disks have no links; there two who begin at once may meet.
    if (codeOf(error) !== "EEXIST") renameSync(own, file)
  } finally {
    rmSync(own, { force: true })
  }
}

/** Lines that cannot be read are passed over: a crash may cut one off, and the next one is then behind it in its line. */
function* parseLines(text: string): Iterable<Line> {
  for (const line of text.split("\n")) {
    const object = parseObject(line) ?? parseObject(line.slice(Math.max(0, line.lastIndexOf('{"path":'))))
    if (typeof object?.path !== "string") continue
    if (object.removed === true) yield { path: object.path, removed: true }
    else if (typeof object.hash === "string") {
      yield { path: object.path, hash: object.hash, ...(object.new === true ? { new: true } : {}) }
    }
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith("{")) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function apply(entries: Map<string, Entry>, line: Line): void {
  const before = entries.get(line.path)
  const known = before?.hashes ?? []
  if ("removed" in line) {
    entries.set(line.path, { hashes: known, isCertain: false, isRemoved: true })
    return
  }
  const hashes = [...known.filter((hash) => hash !== line.hash), line.hash].slice(-HASHES_KEPT)
  const isCertain = line.new !== true && before?.isCertain !== false
  entries.set(line.path, { hashes, isCertain, isRemoved: false })
}

/**
 * Runs `work` unless another process is at it: of two that put a new manifest in the place of the same old one, the
 * second would lose what was added to that of the first. The lock is a link that names its process, so one that a crash
 * left counts for nothing.
 */
function whenAlone(lock: string, work: () => void): void {
  for (;;) {
    try {
      symlinkSync(String(process.pid), lock)
      break
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error
      if (isAlive(holderOf(lock))) return
      rmSync(lock, { force: true })
    }
  }
  try {
    work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function holderOf(lock: string): number {
  try {
    return Number(readlinkSync(lock))
  } catch {
    return Number.NaN // let go of a moment ago
  }
}

/** Added at the end of the file that is there afterwards: another mirror may put a compact one in its place meanwhile. */
function appendTo(file: string, text: string): void {
  for (;;) {
    const fd = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW)
    try {
      writeAt(fd, null, Buffer.from(text))
      if (fstatSync(fd).ino === statSync(file, { throwIfNoEntry: false })?.ino) return
    } finally {
      closeSync(fd)
    }
  }
}
