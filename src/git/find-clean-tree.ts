import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs"
import { readBytes } from "../lib/read-files.ts"
import { cachedTree, listTracked, type TrackedFile } from "./read-index.ts"

/** Beyond this git is faster. */
const MOST_FILES = 2000
const FILE = 0o100644
const PROGRAM = 0o100755
const LINK = 0o120000

/**
 * The tree of a worktree with exactly the unchanged files of its index, by git's own criteria. Undefined if git has
 * to compare. A task compares its files six times; a git process for each would cost 13 ms more CPU (38 ms in all),
 * which brings the wall time of the benchmark `engine` to its limit.
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
    return undefined // a file is missing or not readable
  }
}

interface Place {
  readonly path: string
  readonly writtenAt: bigint
}

/** A file as new as the index may have changed with the same times and size, so compare its content. */
function isUnchanged(index: Buffer, { path, mode, at, stage }: TrackedFile, place: Place): boolean {
  if (stage !== 0 || (mode !== FILE && mode !== PROGRAM && mode !== LINK)) return false
  const file = `${place.path}/${path}`
  const stat = lstatSync(file, { bigint: true })
  const isKind = mode === LINK ? stat.isSymbolicLink() : stat.isFile() && isExecutable(stat.mode) === (mode === PROGRAM)
  if (!isKind) return false
  if (stat.mtimeNs >= place.writtenAt)
    return mode !== LINK && stat.size <= MOST_BYTES && hashOf(file) === index.toString("hex", at + 40, at + 60)
  const second = 1_000_000_000n
  const [ctime, mtime] = [stat.ctimeNs, stat.mtimeNs]
  const seen = [ctime / second, ctime % second, mtime / second, mtime % second, stat.dev, stat.ino]
  const owner = [stat.uid, stat.gid, stat.size]
  const isEqual = (values: readonly bigint[], from: number) =>
    values.every((value, number) => Number(BigInt.asUintN(32, value)) === index.readUInt32BE(from + 4 * number))
  return isEqual(seen, at) && isEqual(owner, at + 28)
}

const MOST_BYTES = 1_000_000n

/** The blob id of the raw content. If a filter changes the content, the ids differ and git has to compare. */
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
