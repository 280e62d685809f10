import { closeSync, constants, fstatSync, openSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { TeamName } from "../../domain/team.ts"
import { codeOf, look, readAt, replaceFile, writeAt } from "./disk.ts"

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
  /** Whether so many lines came that it is time to compact. */
  isLong(): boolean
}

export interface Entry {
  /** Of what we wrote there, the newest last. With two mirrors at once any of them may be what is there. */
  readonly hashes: readonly string[]
  /** That the file was there at least once: a crash may come between the first line and its file. */
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
  const found = readHeader(file)
  if (found === undefined || headerLine(found) !== header) create(file, header)
  return followManifest(file, header)
}

/** For a look only: nothing is written. */
export function readManifest(file: string): Iterable<[path: string, entry: Entry]> {
  const entries = new Map<string, Entry>()
  for (const line of parseLines(readIfThere(file) ?? "")) apply(entries, line)
  return entries
}

function followManifest(file: string, header: string): Manifest {
  const entries = new Map<string, Entry>()
  /** Lines we recorded since the last compaction: any other is of somebody who works here as well. */
  const own = new Set<string>()
  let hasCompany = false
  /** What of the file `entries` has taken in. */
  let seen = { inode: -1, bytes: 0 }
  let lines = 0

  /** Returns the lines that came from others. */
  function takeIn(fd: number): string[] {
    const { ino, size } = fstatSync(fd)
    if (ino !== seen.inode || size < seen.bytes) seen = { inode: ino, bytes: 0 }
    const text = readAt(fd, seen.bytes, size - seen.bytes).toString("utf8")
    const whole = text.slice(0, text.lastIndexOf("\n") + 1)
    seen.bytes += Buffer.byteLength(whole)
    for (const line of parseLines(whole)) apply(entries, line)
    const others = whole.split("\n").filter((line) => line !== "" && !own.has(line))
    if (others.length > 0) hasCompany = true
    return others
  }
  withFile(file, takeIn)
  hasCompany = false

  return {
    find: (path) => entries.get(path),
    entries: () => entries,
    record(added) {
      if (added.length === 0) return
      const texts = added.map((line) => JSON.stringify(line))
      for (const text of texts) own.add(text)
      appendTo(file, toText(texts))
      for (const line of added) apply(entries, line)
      lines += texts.length
    },
    refresh: () => void withFile(file, takeIn),
    compact() {
      withFile(file, (old) => {
        takeIn(old)
        const text = toText([header, ...compactLines(entries, hasCompany)])
        if (text === readAt(old, 0, fstatSync(old).size).toString("utf8")) return
        replaceFile(dirname(file), file, text)
        // Whoever added something just before we put ours in its place has done so to the old one.
        const late = takeIn(old)
        if (late.length > 0) appendTo(file, toText(late))
        seen = { inode: statSync(file).ino, bytes: Buffer.byteLength(text) }
      })
      own.clear()
      hasCompany = false
      lines = 0
    },
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
    const entry = entries.get(path)
    if (entry === undefined || entry.isRemoved) {
      entries.delete(path)
      continue
    }
    const isCertain = entry.isCertain || !hasCompany
    entries.set(path, { ...entry, isCertain })
    const kept = hasCompany ? entry.hashes : entry.hashes.slice(-1)
    for (const hash of kept) lines.push(JSON.stringify({ path, hash, ...(isCertain ? {} : { new: true }) }))
  }
  return lines
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("")
}

function withFile<T>(file: string, work: (fd: number) => T): T {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return work(fd)
  } finally {
    closeSync(fd)
  }
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

/** Of two who begin at once one makes it, and both go on with that one. */
function create(file: string, header: string): void {
  rmSync(file, { recursive: true, force: true })
  try {
    writeFileSync(file, `${header}\n`, { flag: "wx" })
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
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
    entries.set(line.path, { hashes: known, isCertain: before?.isCertain ?? true, isRemoved: true })
    return
  }
  const hashes = [...known.filter((hash) => hash !== line.hash), line.hash].slice(-HASHES_KEPT)
  entries.set(line.path, { hashes, isCertain: line.new !== true, isRemoved: false })
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
