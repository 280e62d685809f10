import { type FoundCommand, foundCommand, type GateCommand, type GateKind } from "./gate-command.ts"
import {
  detectCargo,
  detectDeno,
  detectDotnet,
  detectGo,
  detectJava,
  detectPhp,
  detectRuby,
} from "./language-commands.ts"
import { detectNode } from "./node-commands.ts"
import type { TreeFiles } from "./port.ts"
import { detectPython } from "./python-commands.ts"
import { detectTargets } from "./target-commands.ts"

export type Detected = Partial<Record<GateKind, readonly FoundCommand[]>>

/** One folder of the tree. */
export interface FolderFiles {
  has(...names: string[]): boolean
  find(pattern: RegExp): string | undefined
  /** Empty if the file does not exist. */
  read(name: string): Promise<string>
  /** Searches up to two levels down. */
  search(pattern: RegExp, inFolders?: RegExp): Promise<readonly string[]>
}

const NOT_SEARCHED = /^(?:\.|node_modules\/|vendor\/|dist\/|build\/|target\/)/
const MAX_FOLDERS = 30
const ORDER = ["build", "test", "lint"] as const

/**
 * Build, lint and test commands that the files suggest. Searches one level down only if the top has none, as for
 * `web/` and `server/` side by side.
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
  detectNode,
  detectDeno,
  detectCargo,
  detectGo,
  detectPython,
  detectJava,
  detectDotnet,
  detectRuby,
  detectPhp,
]

async function detectIn(tree: TreeFiles, folder: string, names: readonly string[]): Promise<GateCommand[]> {
  const files = openFolder(tree, folder, names)
  const found: GateCommand[] = []
  const add = (detected: Detected, isWanted: (kind: GateKind) => boolean) => {
    for (const kind of ORDER)
      if (isWanted(kind)) found.push(...(detected[kind] ?? []).map((command) => foundCommand(kind, command, folder)))
  }
  for (const detect of DETECTORS) add(await detect(files), () => true)
  // A makefile usually calls what was found already.
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
      const searchIn = async (path: string, levels: number): Promise<string[]> => {
        const inside = path === "" ? names : await tree.list(inTree(path.slice(0, -1)))
        const found = inside.filter((name) => pattern.test(name)).map((name) => `${path}${name}`)
        if (levels === 0) return found
        const folders = inside.filter((name) => name.endsWith("/") && !NOT_SEARCHED.test(name))
        const wanted = path === "" ? folders.filter((name) => inFolders.test(name)).sort() : folders
        for (const name of wanted.slice(0, MAX_FOLDERS)) found.push(...(await searchIn(`${path}${name}`, levels - 1)))
        return found
      }
      return searchIn("", 2)
    },
  }
}
