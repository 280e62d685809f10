import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs"
import { cachedTree, listTracked, type TrackedFile } from "./read-index.ts"
import { readBytes } from "./read-refs.ts"

/** With more files than these git is faster. */
const MOST_FILES = 2000
const FILE = 0o100644
const PROGRAM = 0o100755
const LINK = 0o120000

/**
 * The tree that a worktree holds, where that can be told without git: every file is as git saw it last, by the same signs
 * that git itself goes by, and there is nothing else in it. Undefined when git has to look.
 */
export function findCleanTree(path: string, adminDir: string): string | undefined {
  const index = readBytes(`${adminDir}/index`)
  const tracked = listTracked(index)
  if (index === undefined || tracked === undefined || tracked.length > MOST_FILES) return undefined
  const tree = cachedTree(index, tracked)
  if (tree === undefined) return undefined
  try {
    const writtenAt = statSync(`${adminDir}/index`, { bigint: true }).mtimeNs
    const isSame = tracked.every((file) => isUnchanged(index, file, { path, writtenAt }))
    return isSame && holdsNothingElse(path, tracked) ? tree : undefined
  } catch {
    // Gone, or not to be looked into.
    return undefined
  }
}

interface Place {
  readonly path: string
  readonly writtenAt: bigint
}

/** A file that was written when the index was, or later, may have changed without a sign: then its content tells. */
function isUnchanged(index: Buffer, { path, mode, at, stage }: TrackedFile, place: Place): boolean {
  if (stage !== 0 || (mode !== FILE && mode !== PROGRAM && mode !== LINK)) return false
  const file = `${place.path}/${path}`
  const stat = lstatSync(file, { bigint: true })
  const isKind = mode === LINK ? stat.isSymbolicLink() : stat.isFile() && isExecutable(stat.mode) === (mode === PROGRAM)
  if (!isKind) return false
  if (stat.mtimeNs >= place.writtenAt)
    return mode !== LINK && stat.size <= MOST_BYTES && hashOf(file) === index.toString("hex", at + 40, at + 60)
  const second = 1_000_000_000n
  const seen = [
    ...[stat.ctimeNs / second, stat.ctimeNs % second, stat.mtimeNs / second, stat.mtimeNs % second],
    ...[stat.dev, stat.ino],
  ]
  const owner = [stat.uid, stat.gid, stat.size]
  const isEqual = (values: readonly bigint[], from: number) =>
    values.every((value, number) => Number(BigInt.asUintN(32, value)) === index.readUInt32BE(from + 4 * number))
  // Between them stands the mode.
  return isEqual(seen, at) && isEqual(owner, at + 28)
}

/** Larger ones are for git. */
const MOST_BYTES = 1_000_000n

/**
 * The id that the content has as it is. A filter may give it another one; but then the file as it was checked out has other
 * bytes than git keeps, and git is asked.
 */
function hashOf(file: string): string {
  const content = readFileSync(file)
  return new Bun.CryptoHasher("sha1").update(`blob ${content.length}\0`).update(content).digest("hex")
}

function isExecutable(mode: bigint): boolean {
  return (mode & 0o100n) !== 0n
}

function holdsNothingElse(root: string, tracked: readonly TrackedFile[]): boolean {
  const files = new Set(tracked.map((file) => file.path))
  const folders = new Set<string>()
  for (const { path } of tracked)
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) folders.add(path.slice(0, at))
  const isAll = (inside: string): boolean =>
    readdirSync(`${root}/${inside}`, { withFileTypes: true }).every((entry) => {
      const path = `${inside}${entry.name}`
      if (path === ".git" || files.has(path)) return true
      return entry.isDirectory() && folders.has(path) && isAll(`${path}/`)
    })
  return isAll("")
}
