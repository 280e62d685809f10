const HEADER_BYTES = 12
/** Times, ids of file and owner, and the size. */
const STAT_BYTES = 40
/** Where in an entry its kind and mode stand. */
const MODE_BYTES = 24
const ASSUME_UNCHANGED = 0x8000
const EXTENDED = 0x4000

/**
 * Whether an entry of git's index may be marked as one that git looks away from. Looked up in the file itself, since a
 * process would cost more than the look; whatever is not plain (another version, another hash, parts elsewhere) counts
 * as yes, and then git is asked.
 */
export function mayHideFiles(index: Buffer | undefined): boolean {
  return readIndex(index, () => undefined) === false
}

export interface TrackedFile {
  readonly path: string
  readonly mode: number
  /** Where its entry begins: times, ids of file and owner, and the size, as git saw them last. */
  readonly at: number
  /** Of the sides of a conflict, 1 to 3. */
  readonly stage: number
}

/** What git's index has; undefined where git has to be asked. */
export function listTracked(index: Buffer | undefined): TrackedFile[] | undefined {
  const tracked: TrackedFile[] = []
  return readIndex(index, (file) => tracked.push(file())) ? tracked : undefined
}

/** Goes through the entries; false when the index is not plain. */
function readIndex(index: Buffer | undefined, see: (file: () => TrackedFile) => void): boolean {
  if (index === undefined || index.length < HEADER_BYTES || index.toString("latin1", 0, 4) !== "DIRC") return false
  // Version 3 has the marks that version 2 cannot have, version 4 is compressed.
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
    // Padded with one to eight zeros to a multiple of eight.
    at += Math.floor((nameEnd - at + 8) / 8) * 8
  }
  return isPlainEnd(index, at)
}

/** The tree that all entries make, where git noted it and nothing changed since. */
export function cachedTree(index: Buffer, tracked: readonly TrackedFile[]): string | undefined {
  const last = tracked.at(-1)
  if (last === undefined) return undefined
  const nameEnd = index.indexOf(0, last.at + STAT_BYTES + SHA1_BYTES + 2)
  let at = last.at + Math.floor((nameEnd - last.at + 8) / 8) * 8
  while (at + 8 + SHA1_BYTES <= index.length && index.toString("latin1", at, at + 4) !== "TREE")
    at += 8 + index.readUInt32BE(at + 4)
  if (at + 8 + SHA1_BYTES > index.length) return undefined
  // The first of its entries is the whole: an empty name, how many entries, how many folders, and the id.
  const [, header = "", count] = /^(\0(-?\d+) \d+\n)/.exec(index.toString("latin1", at + 8, at + 40)) ?? []
  if (Number(count) !== tracked.length) return undefined
  const from = at + 8 + header.length
  return index.toString("hex", from, from + SHA1_BYTES)
}

const SHA1_BYTES = 20
/** Extensions that only speed git up. In a shared index (`link`) the entries are elsewhere. */
const HARMLESS = ["TREE", "REUC", "UNTR", "FSMN", "EOIE", "IEOT"]

/** The entries are followed by extensions and a hash of SHA-1, to the byte. */
function isPlainEnd(index: Buffer, from: number): boolean {
  let at = from
  while (at + 8 + SHA1_BYTES <= index.length) {
    if (!HARMLESS.includes(index.toString("latin1", at, at + 4))) return false
    at += 8 + index.readUInt32BE(at + 4)
  }
  return at + SHA1_BYTES === index.length
}
