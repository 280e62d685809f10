import { existsSync } from "node:fs"
import { readBytes } from "../lib/read-files.ts"
import type { Git } from "./git.ts"

const HEADER_BYTES = 12
/** Times, ids of file and owner, size. */
const STAT_BYTES = 40
const MODE_BYTES = 24
const ASSUME_UNCHANGED = 0x8000
const EXTENDED = 0x4000

/** An entry may have a flag that makes git ignore changes of its file. Also true for any format not read here. */
export function mayHideFiles(index: Buffer | undefined): boolean {
  return readIndex(index, () => undefined) === false
}

export interface TrackedFile {
  readonly path: string
  readonly mode: number
  /** Offset of the entry, which starts with the file's times, ids, owner and size. */
  readonly at: number
  /** 1 to 3 for the sides of a conflict, otherwise 0. */
  readonly stage: number
}

export type IndexedFile = Pick<TrackedFile, "path" | "mode">

export async function listFiles(git: Git, index: string): Promise<readonly IndexedFile[]> {
  const tracked = listTracked(readBytes(index))
  if (tracked !== undefined) return tracked
  if (!existsSync(index)) return []
  const entries = await git.list(["ls-files", "--stage", "-z"], { env: { GIT_INDEX_FILE: index } })
  return entries.map((entry) => {
    const [, mode = "", path = ""] = /^(\d+) [^\t]+\t(.+)$/s.exec(entry) ?? []
    return { path, mode: Number.parseInt(mode, 8) }
  })
}

/** Undefined if git has to read it. */
export function listTracked(index: Buffer | undefined): TrackedFile[] | undefined {
  const tracked: TrackedFile[] = []
  return readIndex(index, (file) => tracked.push(file())) ? tracked : undefined
}

/** False unless it is a version 2 index with SHA-1, in one file and without such flags. */
function readIndex(index: Buffer | undefined, see: (file: () => TrackedFile) => void): boolean {
  if (index === undefined || index.length < HEADER_BYTES || index.toString("latin1", 0, 4) !== "DIRC") return false
  // Version 3 has more flags, version 4 is compressed.
  if (index.readUInt32BE(4) !== 2) return false
  const entries = index.readUInt32BE(8)
  let at = HEADER_BYTES
  for (let count = 0; count < entries; count++) {
    const flagsAt = at + STAT_BYTES + SHA1_BYTES
    if (flagsAt + 2 > index.length) return false
    const flags = index.readUInt16BE(flagsAt)
    if ((flags & (ASSUME_UNCHANGED | EXTENDED)) !== 0) return false
    const nameEnd = index.indexOf(0, flagsAt + 2)
    if (nameEnd === -1) return false
    const start = at
    see(() => ({
      path: index.toString("utf8", flagsAt + 2, nameEnd),
      mode: index.readUInt32BE(start + MODE_BYTES),
      at: start,
      stage: (flags >> 12) & 3,
    }))
    // Padded with zeros to a multiple of eight.
    at += Math.floor((nameEnd - at + 8) / 8) * 8
  }
  return isPlainEnd(index, at)
}

/** Undefined if git did not cache it in the index. */
export function cachedTree(index: Buffer, tracked: readonly TrackedFile[]): string | undefined {
  const last = tracked.at(-1)
  if (last === undefined) return undefined
  const nameEnd = index.indexOf(0, last.at + STAT_BYTES + SHA1_BYTES + 2)
  let at = last.at + Math.floor((nameEnd - last.at + 8) / 8) * 8
  while (at + 8 + SHA1_BYTES <= index.length && index.toString("latin1", at, at + 4) !== "TREE")
    at += 8 + index.readUInt32BE(at + 4)
  if (at + 8 + SHA1_BYTES > index.length) return undefined
  // First entry, the root: empty name, number of entries, number of folders, id.
  const [, header = "", count] = /^(\0(-?\d+) \d+\n)/.exec(index.toString("latin1", at + 8, at + 40)) ?? []
  if (Number(count) !== tracked.length) return undefined
  const from = at + 8 + header.length
  return index.toString("hex", from, from + SHA1_BYTES)
}

const SHA1_BYTES = 20
/** Extensions that only make git faster. `link` puts the entries into another file. */
const HARMLESS = ["TREE", "REUC", "UNTR", "FSMN", "EOIE", "IEOT"]

/** Only known extensions and the SHA-1 hash follow the entries. */
function isPlainEnd(index: Buffer, from: number): boolean {
  let at = from
  while (at + 8 + SHA1_BYTES <= index.length) {
    if (!HARMLESS.includes(index.toString("latin1", at, at + 4))) return false
    at += 8 + index.readUInt32BE(at + 4)
  }
  return at + SHA1_BYTES === index.length
}
