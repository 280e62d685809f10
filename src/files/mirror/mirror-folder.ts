import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import { codeOf } from "../../lib/error-code.ts"
import type { OutFile } from "../own/folder.ts"
import {
  checkFolders,
  exportFailed,
  type Found,
  look,
  makeFolders,
  onDisk,
  readAt,
  removeLeftovers,
  replaceFile,
  writeAt,
} from "./disk.ts"
import { type Line, MANIFEST, type Manifest, openManifest, readHeader, readManifest, VERSION } from "./manifest.ts"

export interface MirrorReport {
  readonly written: number
  readonly removed: number
  readonly unchanged: number
  /** Changed or deleted by hand. The changed ones are in `edited/`. */
  readonly edited: readonly string[]
}

/**
 * At any moment each file is the old or the new one. A file that was changed by hand is kept aside before it is
 * overwritten; nothing is ever read back. Several mirrors may write the same team at once.
 */
export interface MirrorFolder {
  readonly path: string
  /** False when the folder was deleted: open and write it again. */
  isThere(): boolean
  /** Writes the files that differ from those on disk. */
  put(files: Iterable<OutFile>): Promise<void>
  /** For a file that only grows. */
  putLog(file: { readonly path: string; readonly content: string }): Promise<void>
  /** False when the log was changed since: put it whole. */
  append(path: string, text: string): boolean
  remove(paths: Iterable<string>): void
  /** Ends a complete write: removes our files that are not kept, compacts the manifest. */
  finish(kept: ReadonlySet<string>): void
  close(): void
  /** Since the last call. */
  takeReport(): MirrorReport
}

export interface FolderOptions {
  readonly name: TeamName
  /** Moves foreign files in the way to `replaced/` instead of refusing to write. */
  readonly force?: boolean
  readonly isShared?: boolean
}

const EDITED = "edited"
const REPLACED = "replaced"
const PUT_AT_ONCE = 100

/** Throws before it writes anything when foreign files are in the way. */
export function openMirrorFolder(path: string, files: readonly OutFile[], options: FolderOptions): MirrorFolder {
  return onDisk(path, () => {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const manifestFile = join(path, manifestName(options))
    checkForeignFiles(path, files, options)
    const work: Work = {
      root: path,
      manifestFile,
      manifest: openManifest(manifestFile, options.name),
      isShared: options.isShared === true,
      logs: new Map(),
      done: emptyCounts(),
    }
    return folderOf(work)
  })
}

/** Writes nothing. */
export function inspectMirrorFolder(path: string): { edited: string[]; missing: string[] } {
  const edited: string[] = []
  const missing: string[] = []
  for (const [name, entry] of readManifest(join(path, MANIFEST))) {
    if (entry.isRemoved) continue
    const found = look(join(path, name))
    if (found.kind === "missing") {
      if (entry.isCertain) missing.push(name)
    } else if (found.kind === "other" || !entry.hashes.includes(hashOf(found.bytes))) edited.push(name)
  }
  return { edited: edited.sort(), missing: missing.sort() }
}

interface Work {
  readonly root: string
  readonly manifestFile: string
  readonly manifest: Manifest
  readonly isShared: boolean
  readonly logs: Map<string, { size: number; readonly hasher: Bun.CryptoHasher }>
  done: { written: number; removed: number; unchanged: number; readonly edited: Set<string> }
}

function emptyCounts(): Work["done"] {
  return { written: 0, removed: 0, unchanged: 0, edited: new Set() }
}

function folderOf(work: Work): MirrorFolder {
  const { root } = work
  return {
    path: root,
    isThere: () => existsSync(work.manifestFile),
    put: (files) => put(work, files),
    async putLog(file) {
      await put(work, [file])
      const hasher = newHasher().update(file.content)
      work.logs.set(file.path, { size: Buffer.byteLength(file.content), hasher })
    },
    append: (path, text) => onDisk(join(root, path), () => append(work, path, Buffer.from(text))),
    remove: (paths) => onDisk(root, () => remove(work, paths)),
    finish: (kept) =>
      onDisk(root, () => {
        const paths = Array.from(work.manifest.entries(), ([path]) => path)
        remove(
          work,
          paths.filter((path) => !kept.has(path)),
        )
        removeLeftovers(root)
        work.manifest.compact()
      }),
    close() {
      onDisk(root, () => work.manifest.compact())
      work.manifest.close()
    },
    takeReport() {
      const { edited, ...counts } = work.done
      work.done = emptyCounts()
      return { ...counts, edited: [...edited].sort() }
    },
  }
}

/** In batches, so that a large team does not block this process. */
async function put(work: Work, files: Iterable<OutFile>): Promise<void> {
  let batch: OutFile[] = []
  for (const file of files) {
    batch.push(file)
    if (batch.length < PUT_AT_ONCE) continue
    onDisk(work.root, () => putBatch(work, batch))
    batch = []
    await new Promise((resolve) => setImmediate(resolve))
  }
  onDisk(work.root, () => putBatch(work, batch))
  if (work.manifest.isLong()) onDisk(work.root, () => work.manifest.compact())
}

function putBatch(work: Work, files: readonly OutFile[]): void {
  const lines: Line[] = []
  const changes: { path: string; bytes: Buffer; found: Found; isEdited: boolean }[] = []
  for (const { path, content } of files) {
    assertInside(work.root, path)
    const bytes = Buffer.from(content as string)
    const hash = hashOf(bytes)
    const found = look(join(work.root, path))
    const isSame = found.kind === "file" && found.bytes.equals(bytes)
    const isEdited = !isSame && judge(work, path, found, bytes) === "edited"
    const entry = work.manifest.find(path)
    if (!isSame || entry?.hashes.at(-1) !== hash || entry.isRemoved) {
      lines.push({ path, hash, ...(found.kind === "missing" ? { new: true } : {}) })
    }
    if (isSame) work.done.unchanged += 1
    else changes.push({ path, bytes, found, isEdited })
    work.logs.delete(path)
  }
  work.manifest.record(lines)
  for (const { path, bytes, found, isEdited } of changes) {
    if (isEdited) work.done.edited.add(path)
    if (isEdited && found.kind !== "missing") keepAside(work.root, path, EDITED)
    place(work.root, path, bytes)
    work.done.written += 1
  }
}

function place(root: string, path: string, bytes: Buffer): void {
  makeFolders(root, path)
  try {
    replaceFile(root, join(root, path), bytes)
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || checkFolders(root, path)) throw error
    // Another mirror removed the empty folder.
    makeFolders(root, path)
    replaceFile(root, join(root, path), bytes)
  }
}

/** Writes at a fixed offset: when another mirror writes the same text there, the second write changes nothing. */
function append(work: Work, path: string, text: Buffer): boolean {
  const log = work.logs.get(path)
  if (log === undefined) return false
  checkFolders(work.root, path)
  const fd = openLog(join(work.root, path))
  if (fd === undefined) return false
  try {
    const { size } = fstatSync(fd)
    const there = size < log.size ? undefined : readAt(fd, log.size, Math.min(size - log.size, text.length))
    if (there?.equals(text.subarray(0, there.length)) !== true) {
      work.logs.delete(path)
      return false
    }
    log.hasher.update(text)
    work.manifest.record([{ path, hash: shorten(log.hasher.copy().digest("hex")) }])
    writeAt(fd, log.size, text)
    log.size += text.length
  } finally {
    closeSync(fd)
  }
  work.done.written += 1
  return true
}

function openLog(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NOFOLLOW)
  } catch (error) {
    if (["ENOENT", "ELOOP", "EISDIR"].includes(codeOf(error) ?? "")) return undefined
    throw error
  }
}

function remove(work: Work, paths: Iterable<string>): void {
  for (const path of paths) {
    const found = look(join(work.root, path))
    const whose = judge(work, path, found, Buffer.alloc(0))
    if (work.manifest.find(path)?.isRemoved !== true) work.manifest.record([{ path, removed: true }])
    work.logs.delete(path)
    if (whose === "edited") work.done.edited.add(path)
    if (found.kind === "missing" || whose === "of another team") continue
    checkFolders(work.root, path)
    if (whose === "edited") keepAside(work.root, path, EDITED)
    else rmSync(join(work.root, path), { force: true })
    work.done.removed += 1
    removeEmptyFolders(work.root, path)
  }
}

/** Decides who wrote the content before it is overwritten. */
function judge(work: Work, path: string, found: Found, next: Buffer): "ours" | "edited" | "of another team" {
  const isMissed = () => {
    const entry = work.manifest.find(path)
    return entry?.isCertain === true && !entry.isRemoved
  }
  if (found.kind === "missing") {
    if (isMissed()) work.manifest.refresh() // another mirror may have removed it
    return isMissed() ? "edited" : "ours"
  }
  if (found.kind === "other") return "edited"
  // A log that a crash cut off, or an empty file: nothing gets lost.
  if (found.bytes.equals(next.subarray(0, found.bytes.length))) return "ours"
  const hash = hashOf(found.bytes)
  const isKnown = () => work.manifest.find(path)?.hashes.includes(hash) === true
  if (isKnown()) return "ours"
  work.manifest.refresh() // another mirror may have written it
  if (isKnown()) return "ours"
  return work.isShared && isOfAnotherTeam(work.root, path, hash) ? "of another team" : "edited"
}

/** In a shared folder each team has a manifest. */
function isOfAnotherTeam(root: string, path: string, hash: string): boolean {
  return readdirSync(root)
    .filter((name) => name.startsWith(".teamwork-export.") && name.endsWith(".jsonl"))
    .some((name) => new Map(readManifest(join(root, name))).get(path)?.hashes.includes(hash) === true)
}

function manifestName({ name, isShared }: FolderOptions): string {
  // No id contains a plus.
  return isShared === true ? `.teamwork-export.${name.project}+${name.team}.jsonl` : MANIFEST
}

/** Throws when a foreign file is in the way. With `force`, moves it aside. */
function checkForeignFiles(root: string, files: readonly OutFile[], options: FolderOptions): void {
  const manifestFile = join(root, manifestName(options))
  const header = readHeader(manifestFile)
  if (header !== undefined && header.version > VERSION) {
    throw exportFailed(root, `a newer teamwork wrote it (format ${header.version}); update, or choose another folder`)
  }
  const isOurs = header === undefined || describeTeam(header) === describeTeam(options.name)
  const entries = new Map(readManifest(manifestFile))
  const foreign: string[] = isOurs
    ? []
    : [...entries.keys()].filter((path) => look(join(root, path)).kind !== "missing")
  const folders = new Set<string>()
  for (const { path, content } of files) {
    assertInside(root, path)
    if (!folders.has(dirname(path))) checkFolders(root, path)
    folders.add(dirname(path))
    if (entries.has(path)) continue
    const found = look(join(root, path))
    if (found.kind === "missing") continue
    const next = Buffer.from(content as string)
    const isForeign = found.kind === "other" || !found.bytes.equals(next.subarray(0, found.bytes.length))
    const hash = found.kind === "file" ? hashOf(found.bytes) : ""
    if (isForeign && !(options.isShared === true && isOfAnotherTeam(root, path, hash))) foreign.push(path)
  }
  if (foreign.length === 0) return
  if (options.force !== true) throw inTheWay(root, foreign, isOurs ? undefined : header)
  for (const path of foreign) keepAside(root, path, REPLACED)
}

function inTheWay(root: string, foreign: readonly string[], owner: TeamName | undefined): AppError {
  const shown = foreign.slice(0, 3).join(", ")
  const more = foreign.length > 3 ? ` and ${foreign.length - 3} more` : ""
  const what = owner === undefined ? "that teamwork did not write" : `of an export of ${describeTeam(owner)}`
  return new AppError(
    "export.foreign_files",
    (say) =>
      `${root} has files ${what}: ${shown}${more}; choose another folder with ${say.field("to")}, or use ${say.field("force")}, which keeps them in ${join(root, REPLACED)} and goes on`,
    { folder: root, files: foreign },
    { remedy: { operation: "import", fields: { path: root }, to: "or import them first with" } },
  )
}

/** Moves a file to `edited/` or `replaced/`, unless the same content is already there. */
function keepAside(root: string, path: string, where: typeof EDITED | typeof REPLACED): void {
  const from = join(root, path)
  const found = look(from)
  for (let number = 1; found.kind !== "missing"; number++) {
    const place = `${where}/${path}${number === 1 ? "" : `.${number}`}`
    makeFolders(root, place)
    const there = look(join(root, place))
    const isKept = there.kind === "file" && found.kind === "file" && there.bytes.equals(found.bytes)
    if (there.kind !== "missing" && !isKept) continue
    if (isKept) rmSync(from, { force: true })
    else moveIfThere(from, join(root, place))
    return
  }
}

/** Another mirror may have just moved it. */
function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
}

function removeEmptyFolders(root: string, path: string): void {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    try {
      rmdirSync(join(root, folder))
    } catch {
      return // not empty
    }
  }
}

/** The renderer never makes such paths, but a mistake here would overwrite files outside of the folder. */
function assertInside(root: string, path: string): void {
  const [first = "", ...rest] = path.split("/")
  const isReserved = first === EDITED || first === REPLACED || first.startsWith(".teamwork-export")
  const isPlain = [first, ...rest].every((part) => !/^\.{0,2}$|\0/.test(part))
  if (isReserved || !isPlain) throw exportFailed(join(root, path), "nothing may be written there")
}

function hashOf(bytes: Buffer): string {
  return shorten(newHasher().update(bytes).digest("hex"))
}

/** Incremental, for logs: `Bun.hash` would read the whole log again for each line. */
function newHasher(): Bun.CryptoHasher {
  return new Bun.CryptoHasher("sha256")
}

function shorten(hash: string): string {
  return hash.slice(0, 32)
}
