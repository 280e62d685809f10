import { createHash } from "node:crypto"
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs"
import { isNodeUnit, isPythonUnit, type SetupUnit } from "../setup-unit.ts"

const DEPTH_OF_PACKAGES = 3
const NOT_SEARCHED = new Set(["node_modules", ".git", ".venv", "venv", "target", "dist", "build"])

/** The folders of a unit that are there, from the unit's own folder: those of the packages of a workspace too. */
export function findPlaces(unit: SetupUnit, root: string): string[] {
  const top = unit.folder === "" ? root : `${root}/${unit.folder}`
  const own = unit.places.filter((place) => isFolder(`${top}/${place}`))
  return isNodeUnit(unit) ? [...own, ...nestedModules(top, "", DEPTH_OF_PACKAGES)] : own
}

function nestedModules(top: string, inside: string, depth: number): string[] {
  if (depth === 0) return []
  return foldersIn(`${top}/${inside}`).flatMap((name) => {
    if (NOT_SEARCHED.has(name) || name.startsWith(".")) return []
    const folder = `${inside}${name}`
    // A folder with a lock file of its own is another project.
    const own = isFolder(`${top}/${folder}/node_modules`) && !hasOwnLock(`${top}/${folder}`)
    return [...(own ? [`${folder}/node_modules`] : []), ...nestedModules(top, `${folder}/`, depth - 1)]
  })
}

const LOCKS = ["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "npm-shrinkwrap.json"]
const hasOwnLock = (folder: string) => LOCKS.some((name) => existsSync(`${folder}/${name}`))

/** Whether everything that the lock file asks for is really installed: somebody may have pulled and not installed. */
export function isInstalled(unit: SetupUnit, root: string): boolean {
  const top = unit.folder === "" ? root : `${root}/${unit.folder}`
  const [place] = unit.places
  if (place === undefined || !isFolder(`${top}/${place}`)) return false
  if (isPythonUnit(unit)) return existsSync(`${top}/${place}/pyvenv.cfg`) && existsSync(`${top}/${place}/bin/python`)
  if (unit.ecosystem === "composer") return existsSync(`${top}/${place}/composer/installed.json`)
  if (!isNodeUnit(unit)) return true
  if (unit.ecosystem === "npm" && unit.isLocked) return hasLocked(readJson(`${top}/${unit.basis}`), top)
  if (unit.ecosystem === "yarn" && existsSync(`${top}/node_modules/.yarn-integrity`))
    return hasResolved(`${top}/node_modules/.yarn-integrity`, `${top}/${unit.basis}`)
  return hasDirect(top)
}

type Locked = Record<
  string,
  { version?: string; link?: boolean; optional?: boolean; devOptional?: boolean; peer?: boolean }
>

function hasLocked(lock: Record<string, unknown> | undefined, top: string): boolean {
  const wanted = lock?.packages as Locked | undefined
  if (wanted === undefined) return hasDirect(top)
  const hidden = readJson(`${top}/node_modules/.package-lock.json`)?.packages as Locked | undefined
  return Object.entries(wanted).every(([path, { version, link, optional, devOptional, peer }]) => {
    if (!path.includes("node_modules/")) return true
    const isThere = lstatSync(`${top}/${path}`, { throwIfNoEntry: false }) !== undefined
    // Of another platform, perhaps.
    if (!isThere) return optional === true || devOptional === true || peer === true
    return link === true || hidden === undefined || hidden[path]?.version === version
  })
}

function hasResolved(integrity: string, lock: string): boolean {
  const entries = (readJson(integrity)?.lockfileEntries ?? {}) as Record<string, string>
  const text = readText(lock)
  return Object.values(entries).every((resolved) => text.includes(resolved))
}

function hasDirect(top: string): boolean {
  const manifest = readJson(`${top}/package.json`) ?? {}
  const wanted = { ...(manifest.dependencies as object), ...(manifest.devDependencies as object) }
  return Object.keys(wanted).every((name) => existsSync(`${top}/node_modules/${name}/package.json`))
}

/** Package managers write down what they installed; where none does, the names at the top have to do. */
const NOTES = [".package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml", "pyvenv.cfg"]

/** Another one as soon as something was installed or removed. Not seen: changes inside of a package. */
export function stateOf(folders: readonly string[]): string {
  const hash = createHash("sha256")
  for (const folder of folders) {
    hash.update(`${folder}\0${packagesIn(folder)}\0`)
    for (const note of NOTES) hash.update(readText(`${folder}/${note}`))
    for (const name of foldersIn(`${folder}/lib`).filter((each) => each.startsWith("python")))
      hash.update(`${packagesIn(`${folder}/lib/${name}/site-packages`)}\0`)
  }
  return hash.digest("hex").slice(0, 32)
}

/** Programs keep caches beside packages, in folders whose name begins with a dot. */
function packagesIn(folder: string): string {
  const names = foldersIn(folder).filter((name) => !name.startsWith(".") && name !== "__pycache__")
  return names.sort().join("\0")
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
  } catch {
    return [] // not there
  }
}

function readJson(file: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
