import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmdirSync,
  rmSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { readChanges } from "../changes.ts"
import { type Git, withVariables } from "../git.ts"
import type { IndexLock } from "../index-lock.ts"
import type { Change, FileMode } from "../port.ts"

export interface HalfMoved {
  readonly folder: string
  readonly from: string
  readonly to: string
  readonly scratch: string
  readonly index: IndexLock
}

/**
 * A git killed while changing a checkout has written some files and moved no branch. Each of these files is
 * unchanged, missing, or the start of the new one: those are restored. Any other content is newer and stays.
 */
export async function restoreCheckout(git: Git, move: HalfMoved): Promise<string[]> {
  const { folder, from, to, index } = move
  const here = withVariables(git.in(folder), index.env)
  const { stdout: head } = await here.run(["rev-parse", "--verify", "--quiet", "HEAD"])
  if (head.trim() !== from) return []
  const note = `restored ${folder}, whose files a killed git process was replacing`
  if ((await here.run(["diff-index", "--cached", "--quiet", to])).exitCode === 0) {
    // All files are written and only the branch did not move: git can undo that without touching other files.
    if ((await here.run(["read-tree", "-m", "-u", to, from])).exitCode === 0) {
      index.apply()
      return [note]
    }
    // A file changed since, so check each. The index had no other changes.
    await here.read(["read-tree", "-m", from])
    index.apply()
  }
  const entries = (await readChanges(here, from, to)).flatMap(splitRename)
  try {
    const { ours, missing } = await sortOut(here, move, entries)
    for (const path of ours) removeFile(folder, path)
    const before = new Set(entries.flatMap((entry) => (entry.before === null ? [] : [entry.path])))
    const wanted = [...ours, ...missing].filter((path) => before.has(path))
    const blocked = wanted.filter((path) => !makeRoom(folder, path))
    const free = wanted.filter((path) => !blocked.includes(path))
    // The index still has the old entries: git replaces it last.
    if (free.length > 0) await here.run(["checkout-index", "-z", "--stdin"], { input: `${free.join("\0")}\0` })
    await here.run(["update-index", "--refresh", "-q"])
    index.apply()
    const inTheWay = blocked.map(
      (path) =>
        `${JSON.stringify(path)} in ${folder} was being replaced, and new files there prevent restoring it; move them away and run: git -C ${folder} checkout HEAD -- ${path}`,
    )
    return ours.length + wanted.length === 0 ? [] : [note, ...inTheWay]
  } finally {
    rmSync(move.scratch, { recursive: true, force: true })
  }
}

interface Side {
  readonly mode: FileMode
  readonly id: string
}

interface Entry {
  readonly path: string
  readonly before: Side | null
  readonly after: Side | null
}

function splitRename({ path, oldPath, oldMode, newMode, oldId, newId }: Change): Entry[] {
  const before = oldMode === null ? null : { mode: oldMode, id: oldId }
  const after = newMode === null ? null : { mode: newMode, id: newId }
  if (path === oldPath) return [{ path, before, after }]
  return [
    { path: oldPath, before, after: null },
    { path, before: null, after },
  ]
}

async function sortOut(git: Git, { folder, to, scratch }: HalfMoved, entries: readonly Entry[]) {
  await git.run(["update-index", "-q", "--refresh"])
  const changed = new Set(await git.list(["diff-files", "-z", "--name-only", "--ignore-submodules=all"]))
  const indexed = await readIndex(git)
  const ours: string[] = []
  const missing: string[] = []
  const suspects: Entry[] = []
  for (const entry of entries) {
    const { path, before, after } = entry
    if (before !== null && indexed.get(path) !== `${before.mode} ${before.id}`) continue
    const stat = statInside(folder, path)
    if (stat === undefined) missing.push(path)
    else if (stat.isDirectory()) {
      if (after?.mode === "160000" && readdirSync(join(folder, path)).length === 0) ours.push(path)
      // The file became a folder, which can go once the new files in it are removed.
      else if (before !== null && before.mode !== "160000") missing.push(path)
    } else if (after !== null && (before === null || changed.has(path))) suspects.push(entry)
  }
  await writeNew(git, { to, scratch, paths: suspects.map(({ path }) => path) })
  for (const { path, after } of suspects) {
    const isNew = isBeginningOf(join(folder, path), join(scratch, "tree", path)) ?? (await hasId(git, path, after?.id))
    if (isNew) ours.push(path)
  }
  return { ours, missing }
}

async function readIndex(git: Git): Promise<Map<string, string>> {
  const lines = await git.list(["ls-files", "--stage", "--full-name", "-z"])
  return new Map(
    lines.flatMap((line) => {
      const [, mode, id, path] = /^(\d+) ([0-9a-f]+) 0\t([\s\S]*)$/.exec(line) ?? []
      return mode === undefined || path === undefined ? [] : [[path, `${mode} ${id}`] as const]
    }),
  )
}

/** As git checks them out, with line ends, filters and modes. Attributes come from the new commit. */
async function writeNew(
  git: Git,
  { to, scratch, paths }: { readonly to: string; readonly scratch: string; readonly paths: readonly string[] },
): Promise<void> {
  if (paths.length === 0) return
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(join(scratch, "tree"), { recursive: true })
  const { gitDir } = await git.places()
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: join(scratch, "tree"), GIT_INDEX_FILE: join(scratch, "index") }
  await git.read(["-c", "core.sparseCheckout=false", "read-tree", to], { env })
  // Skips files whose filter fails.
  await git.run(["checkout-index", "-z", "--stdin"], { env, input: `${paths.join("\0")}\0` })
}

const CHUNK = 1_000_000

/** Undefined if `whole` does not exist. */
function isBeginningOf(file: string, whole: string): boolean | undefined {
  const [stat, other] = [lstatSync(file), lstatSync(whole, { throwIfNoEntry: false })]
  if (other === undefined) return undefined
  if (stat.isSymbolicLink() || other.isSymbolicLink())
    return stat.isSymbolicLink() && other.isSymbolicLink() && readlinkSync(file) === readlinkSync(whole)
  if (!stat.isFile() || !other.isFile() || stat.size > other.size) return false
  const [one, two] = [openSync(file, "r"), openSync(whole, "r")]
  const [a, b] = [Buffer.alloc(CHUNK), Buffer.alloc(CHUNK)]
  try {
    for (let at = 0; at < stat.size; at += CHUNK) {
      const count = readSync(one, a, 0, Math.min(CHUNK, stat.size - at), at)
      if (readSync(two, b, 0, count, at) < count || !a.subarray(0, count).equals(b.subarray(0, count))) return false
    }
    return true
  } finally {
    closeSync(one)
    closeSync(two)
  }
}

/** For a file whose filter fails now: would git store it as this blob? */
async function hasId(git: Git, path: string, id: string | undefined): Promise<boolean> {
  const { exitCode, stdout } = await git.run(["hash-object", "--", path])
  return exitCode === 0 && stdout.trim() === id
}

function statInside(folder: string, path: string) {
  const parts = path.split("/")
  for (let count = 1; count < parts.length; count++) {
    const stat = lstatSync(join(folder, ...parts.slice(0, count)), { throwIfNoEntry: false })
    if (stat === undefined || !stat.isDirectory()) return undefined
  }
  return lstatSync(join(folder, path), { throwIfNoEntry: false })
}

/** Also removes empty parent folders, like git. */
function removeFile(folder: string, path: string): void {
  const stat = statInside(folder, path)
  if (stat?.isDirectory()) removeFolder(join(folder, path))
  else if (stat !== undefined) rmSync(join(folder, path), { force: true })
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent))
    if (!removeFolder(join(folder, parent))) return
}

/** Removes folders without files. False if something else is in the way. */
function makeRoom(folder: string, path: string): boolean {
  const parts = path.split("/")
  for (let count = 1; count < parts.length; count++) {
    const stat = lstatSync(join(folder, ...parts.slice(0, count)), { throwIfNoEntry: false })
    if (stat === undefined) return true
    if (!stat.isDirectory()) return false
  }
  const stat = lstatSync(join(folder, path), { throwIfNoEntry: false })
  return stat === undefined || (stat.isDirectory() && removeHollow(join(folder, path)))
}

function removeHollow(folder: string): boolean {
  const entries = readdirSync(folder, { withFileTypes: true })
  if (!entries.every((entry) => entry.isDirectory())) return false
  return entries.every((entry) => removeHollow(join(folder, entry.name))) && removeFolder(folder)
}

function removeFolder(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}
