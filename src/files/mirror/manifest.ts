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
import * as v from "valibot"
import type { TeamName } from "../../kernel/team.ts"
import { codeOf } from "../../lib/error-code.ts"
import { isAlive, look, readAt, replaceFile, temporaryIn, writeAt } from "./disk.ts"

/**
 * Remembers which contents we wrote, to notice edits by hand. It is a log: a header, then a line before each change
 * of a file. Several mirrors may write to it at once. `compact` reduces it to one line per file, sorted by path.
 */
export interface Manifest {
  find(path: string): Entry | undefined
  entries(): Iterable<[path: string, entry: Entry]>
  /** Call it before the files change. */
  record(lines: readonly Line[]): void
  refresh(): void
  /** Call it only after every recorded change was made. */
  compact(): void
  close(): void
  isLong(): boolean
}

export interface Entry {
  /** Of our contents, newest last. With two mirrors at once the file may have any of them. */
  readonly hashes: readonly string[]
  /**
   * It existed at the end of a complete write, and was only changed since. Any other file may be missing, because a
   * crash or another mirror came between its line and the write.
   */
  readonly isCertain: boolean
  /** After a crash the file may still exist. */
  readonly isRemoved: boolean
}

const Line = v.union([
  v.object({ path: v.string(), removed: v.literal(true) }),
  v.object({ path: v.string(), hash: v.string(), new: v.optional(v.literal(true)) }),
])
export type Line = Readonly<v.InferOutput<typeof Line>>

const Header = v.object({
  format: v.literal("teamwork-export"),
  version: v.number(),
  project: v.string(),
  team: v.string(),
})
type Header = v.InferOutput<typeof Header>

export const MANIFEST = ".teamwork-export.jsonl"
export const VERSION = 1
/** One writer needs two: old and new content. */
const HASHES_KEPT = 8
const LONG_LINES = 20_000

export function readHeader(file: string): Header | undefined {
  const text = readIfThere(file)
  return text === undefined ? undefined : parseHeader(text)
}

/** Replaces a manifest of another format or team. */
export function openManifest(file: string, name: TeamName): Manifest {
  const header = headerLine(name)
  const found = look(file)
  const isOurs = found.kind === "file" && found.bytes.toString("utf8").startsWith(`${header}\n`)
  if (found.kind !== "missing" && !isOurs) rmSync(file, { recursive: true, force: true })
  if (!isOurs) create(file, header)
  return followManifest(file, header)
}

export function readManifest(file: string): Iterable<[path: string, entry: Entry]> {
  const entries = new Map<string, Entry>()
  const text = readIfThere(file) ?? ""
  for (const line of parseHeader(text) === undefined ? [] : parseLines(text)) apply(entries, line)
  return entries
}

function followManifest(file: string, header: string): Manifest {
  const entries = new Map<string, Entry>()
  /**
   * The part of the file that `entries` has. It stays open, because the inode number of a removed file may be
   * reused.
   */
  let seen = { fd: openToRead(file), bytes: 0 }
  /** Our own additions since. More than that comes from another mirror. */
  let ownBytes = 0
  /** Stays true: another mirror may write a recorded change much later. */
  let isShared = false
  let lines = 0

  function readNew(): string {
    const size = fstatSync(seen.fd).size
    const text = readAt(seen.fd, seen.bytes, size - seen.bytes).toString("utf8")
    const whole = text.slice(0, text.lastIndexOf("\n") + 1)
    const bytes = Buffer.byteLength(whole)
    if (bytes > ownBytes) isShared = true
    seen.bytes += bytes
    ownBytes = 0
    for (const line of parseLines(whole)) apply(entries, line)
    return whole
  }
  function switchTo(fd: number, bytes: number): void {
    closeSync(seen.fd)
    seen = { fd, bytes }
  }
  function refresh(): void {
    readNew()
    const fd = openToRead(file)
    if (fstatSync(fd).ino === fstatSync(seen.fd).ino) {
      closeSync(fd)
      return
    }
    // Another mirror compacted it: files that it does not name were removed.
    for (const [path, entry] of entries) entries.set(path, { ...entry, isRemoved: true })
    isShared = true
    switchTo(fd, 0)
    readNew()
  }
  const before = readNew()
  isShared = false
  // Lines after the compact ones: another mirror runs or was killed, so a missing file may have any reason.
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
      withLock(`${file}.compacting`, () => {
        refresh()
        const text = toText([header, ...compactLines(entries, isShared)])
        forget(entries, isShared)
        if (text === readAt(seen.fd, 0, fstatSync(seen.fd).size).toString("utf8")) return
        replaceFile(dirname(file), file, text)
        // Another mirror may have appended to the old file just before.
        const late = readNew()
        if (late !== "") appendTo(file, late)
        switchTo(openToRead(file), Buffer.byteLength(text))
      })
    },
    close: () => closeSync(seen.fd),
    isLong: () => lines > LONG_LINES,
  }
}

/**
 * One line for each file, with its newest hash. While other mirrors write, all hashes stay: theirs are not edits by
 * hand.
 */
function compactLines(entries: Map<string, Entry>, isShared: boolean): string[] {
  const lines: string[] = []
  for (const path of [...entries.keys()].sort()) {
    const { hashes = [], isCertain = false, isRemoved = true } = entries.get(path) ?? {}
    const kept = isRemoved ? [] : isShared ? hashes : hashes.slice(-1)
    const mark = isCertain || !isShared ? {} : { new: true }
    for (const hash of kept) lines.push(JSON.stringify({ path, hash, ...mark }))
  }
  return lines
}

function forget(entries: Map<string, Entry>, isShared: boolean): void {
  for (const [path, entry] of entries) {
    if (entry.isRemoved) entries.delete(path)
    else if (!isShared) entries.set(path, { ...entry, isCertain: true })
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
  return JSON.stringify({ format: "teamwork-export", version: VERSION, project, team } satisfies Header)
}

function parseHeader(text: string): Header | undefined {
  return parseAs(Header, text.slice(0, text.indexOf("\n")))
}

function parseAs<Schema extends v.GenericSchema>(schema: Schema, text: string): v.InferOutput<Schema> | undefined {
  if (!text.startsWith("{")) return undefined
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text)
  return read.success ? read.output : undefined
}

/** Of two processes that start at once, one creates the file with its header, and both use it. */
function create(file: string, header: string): void {
  const own = temporaryIn(dirname(file))
  writeFileSync(own, `${header}\n`, { mode: 0o600 })
  try {
    linkSync(own, file)
  } catch (error) {
    // Without hard links, two processes may replace each other's file.
    if (codeOf(error) !== "EEXIST") renameSync(own, file)
  } finally {
    rmSync(own, { force: true })
  }
}

/** Skips damaged lines. A crash may cut one off, and the next record follows on the same line. */
function* parseLines(text: string): Iterable<Line> {
  for (const line of text.split("\n")) {
    const read = parseAs(Line, line) ?? parseAs(Line, line.slice(Math.max(0, line.lastIndexOf('{"path":'))))
    if (read !== undefined) yield read
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
 * Runs `work` unless another process does: when two replace the same manifest, the second would lose additions to
 * the first. The lock is a link that names its process, so the lock of a dead process is ignored.
 */
function withLock(lock: string, work: () => void): void {
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
    return Number.NaN // just released
  }
}

/** Repeats when another mirror replaced the file meanwhile. */
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
