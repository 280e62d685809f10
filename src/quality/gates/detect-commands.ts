import { detectDeno } from "./deno-commands.ts"
import { type FoundCommand, foundCommand, type GateCommand, type GateKind } from "./gate-command.ts"
import { detectDotnet, detectJava } from "./jvm-dotnet-commands.ts"
import { detectNode } from "./node-commands.ts"
import type { TreeFiles } from "./port.ts"
import { detectPython } from "./python-commands.ts"
import { detectPhp, detectRuby } from "./ruby-php-commands.ts"
import { detectTargets } from "./target-commands.ts"

/** Commands of one folder. */
export type Detected = Partial<Record<GateKind, readonly FoundCommand[]>>

/** What a detector sees of one folder of the tree. */
export interface FolderFiles {
  has(...names: string[]): boolean
  /** A name that fits. */
  find(pattern: RegExp): string | undefined
  /** Empty for what is not there. */
  read(name: string): Promise<string>
  /** Files below, as paths: those here and in folders one or two levels down whose name fits. */
  search(pattern: RegExp, inFolders?: RegExp): Promise<readonly string[]>
}

const NOT_SEARCHED = /^(?:\.|node_modules\/|vendor\/|dist\/|build\/|target\/)/
const MAX_FOLDERS = 30
const ORDER = ["build", "test", "lint"] as const

/**
 * The build, lint and test commands that the files of a tree suggest. Those at the top count; only a tree that has none
 * there is searched one level deeper, as for `web/` and `server/` side by side.
 */
export async function detectCommands(tree: TreeFiles): Promise<GateCommand[]> {
  const names = await tree.list("")
  const top = await detectIn(tree, "", names)
  if (top.length > 0) return top
  const folders = names.filter((name) => name.endsWith("/") && !NOT_SEARCHED.test(name)).sort()
  const found: GateCommand[] = []
  for (const name of folders.slice(0, MAX_FOLDERS)) {
    const folder = name.slice(0, -1)
    found.push(...(await detectIn(tree, folder, await tree.list(folder))))
  }
  return found
}

const DETECTORS: readonly ((files: FolderFiles) => Promise<Detected>)[] = [
  ...[detectNode, detectDeno, detectCargo, detectGo, detectPython, detectJava, detectDotnet, detectRuby, detectPhp],
]

async function detectIn(tree: TreeFiles, folder: string, names: readonly string[]): Promise<GateCommand[]> {
  const files = openFolder(tree, folder, names)
  const found: GateCommand[] = []
  const add = (detected: Detected, isWanted: (kind: GateKind) => boolean) => {
    for (const kind of ORDER)
      if (isWanted(kind)) found.push(...(detected[kind] ?? []).map((command) => foundCommand(kind, command, folder)))
  }
  for (const detect of DETECTORS) add(await detect(files), () => true)
  // A makefile usually calls what was found already, so it only fills gaps.
  const known = new Set<string>(found.map((each) => each.kind))
  add(await detectTargets(files), (kind) => !known.has(kind))
  return found
}

function openFolder(tree: TreeFiles, folder: string, names: readonly string[]): FolderFiles {
  const inTree = (path: string) => (folder === "" ? path : `${folder}/${path}`)
  const read = async (name: string) => {
    const at = name.lastIndexOf("/")
    const beside = at < 0 ? names : await tree.list(inTree(name.slice(0, at)))
    return beside.includes(name.slice(at + 1)) ? tree.read(inTree(name)) : ""
  }
  return {
    has: (...wanted) => wanted.some((name) => names.includes(name)),
    find: (pattern) => names.find((name) => pattern.test(name)),
    read,
    async search(pattern, inFolders = /^/) {
      const found = names.filter((name) => pattern.test(name))
      const folders = names.filter((name) => name.endsWith("/") && !NOT_SEARCHED.test(name) && inFolders.test(name))
      for (const first of folders.sort().slice(0, MAX_FOLDERS)) {
        const inside = await tree.list(inTree(first.slice(0, -1)))
        found.push(...inside.filter((name) => pattern.test(name)).map((name) => `${first}${name}`))
        for (const second of inside
          .filter((name) => name.endsWith("/") && !NOT_SEARCHED.test(name))
          .slice(0, MAX_FOLDERS)) {
          const deeper = await tree.list(inTree(`${first}${second}`.slice(0, -1)))
          found.push(...deeper.filter((name) => pattern.test(name)).map((name) => `${first}${second}${name}`))
        }
      }
      return found
    },
  }
}

async function detectCargo(files: FolderFiles): Promise<Detected> {
  if (!files.has("Cargo.toml")) return {}
  const from = "Cargo.toml"
  const clippy = ["cargo", "cargo-clippy"].map((name) => ({ name, folders: [] }))
  return {
    build: [{ command: ["cargo", "build"], from }],
    // Without it the targets behind the first that fails do not run, and a failure there could not be told from a new one.
    test: [{ command: ["cargo", "test", "--no-fail-fast"], from }],
    lint: [{ command: ["cargo", "clippy"], from, needs: clippy }],
  }
}

async function detectGo(files: FolderFiles): Promise<Detected> {
  if (!files.has("go.mod")) return {}
  const from = "go.mod"
  return {
    build: [{ command: ["go", "build", "./..."], from }],
    test: [{ command: ["go", "test", "./..."], from }],
    lint: [{ command: ["go", "vet", "./..."], from }],
  }
}
