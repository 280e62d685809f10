import { mkdirSync, readFileSync, realpathSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { codeOf } from "../../lib/error-code.ts"
import { type Content, putInto, takeFrom } from "./edit-file.ts"
import { filesOf, type HostFile, INIT_HOSTS, type InitHost } from "./host-files.ts"

export interface FileChange {
  readonly path: string
  readonly before: Content
  /** Null when the file is deleted. */
  readonly after: Content
}

export interface InitRequest {
  readonly root: string
  readonly hosts: readonly InitHost[]
  readonly isRemoval: boolean
}

/** Every change, each file once. Writes nothing; throws when a file cannot be edited. */
export function planInit({ root, hosts, isRemoval }: InitRequest): FileChange[] {
  const asked = new Map(hosts.flatMap(filesOf).map((file) => [file.path, file]))
  // Hosts share files, and those that stay still need theirs.
  if (isRemoval) for (const host of stayingHosts(root, hosts)) for (const { path } of filesOf(host)) asked.delete(path)
  return [...asked.values()].flatMap((file) => {
    const before = readContent(root, file.path)
    const after = isRemoval ? takeFrom(file, before) : putInto(file, before)
    return after === before ? [] : [{ path: file.path, before, after }]
  })
}

/** Writes all or nothing: restores the files when a later write fails. */
export function applyInit(root: string, changes: readonly FileChange[]): void {
  for (const { path, before } of changes)
    if (!isSame(readContent(root, path), before)) throw refused(path, "it was changed meanwhile")
  const done: FileChange[] = []
  try {
    for (const change of changes) {
      done.push(change)
      put(root, change.path, change.after)
    }
  } catch (error) {
    for (const { path, before } of done.reverse()) restore(root, path, before)
    throw refused(done[0]?.path ?? "", error instanceof Error ? error.message : String(error))
  }
}

function stayingHosts(root: string, leaving: readonly InitHost[]): InitHost[] {
  return INIT_HOSTS.filter((host) => !leaving.includes(host) && isSetUp(root, host))
}

/** Only the settings show it: hosts share the instructions for agents. */
function isSetUp(root: string, host: InitHost): boolean {
  const [settings] = filesOf(host)
  if (settings === undefined) return false
  const before = readContent(root, settings.path)
  try {
    return takeFrom(settings, before) !== before
  } catch {
    return false // what cannot be read cannot have been set up by us
  }
}

function readContent(root: string, path: HostFile["path"]): Content {
  assertInside(root, path)
  try {
    return readFileSync(join(root, path))
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return null
    throw refused(path, error instanceof Error ? error.message : String(error))
  }
}

/** A link may lead out of the repository, to settings of the whole machine. */
function assertInside(root: string, path: string): void {
  for (let place = join(root, path); place.length > root.length; place = dirname(place)) {
    try {
      const way = relative(realpathSync(root), realpathSync(place))
      if (way === ".." || way.startsWith(`..${sep}`)) throw refused(path, "it leads out of the repository")
      return
    } catch (error) {
      if (error instanceof AppError) throw error
    }
  }
}

function put(root: string, path: string, content: Content): void {
  const file = join(root, path)
  if (content !== null) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return
  }
  rmSync(file, { force: true })
  for (let folder = dirname(file); folder.length > root.length && removeEmpty(folder); folder = dirname(folder));
}

/** Best effort; the caller reports the first failure. */
function restore(root: string, path: string, before: Content): void {
  try {
    put(root, path, before)
  } catch {
    // This file could not be written, so it is unchanged.
  }
}

function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return false // it holds something else
  }
}

function isSame(a: Content, b: Content): boolean {
  return a === null || b === null ? a === b : a.equals(b)
}

function refused(path: string, why: string): AppError {
  return new AppError("init.refused", `${path}: ${why.replaceAll(/\s+/g, " ")}; nothing was written`, { file: path })
}
