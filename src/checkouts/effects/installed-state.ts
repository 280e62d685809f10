import { createHash } from "node:crypto"
import { existsSync, lstatSync } from "node:fs"
import * as v from "valibot"
import { entriesOf, readText } from "../../lib/read-files.ts"
import { NODE_LOCK_FILES } from "../node-unit.ts"
import { isNodeUnit, isPythonUnit, type SetupUnit, unitFolder } from "../setup-unit.ts"

const DEPTH_OF_PACKAGES = 3
const NOT_SEARCHED = new Set(["node_modules", ".git", ".venv", "venv", "target", "dist", "build"])

/** Existing folders, relative to the unit's; also those of a workspace's packages. */
export function findPlaces(unit: SetupUnit, root: string): string[] {
  const top = unitFolder(root, unit)
  const own = unit.places.filter((place) => isFolder(`${top}/${place}`))
  return isNodeUnit(unit) ? [...own, ...nestedModules(top, "", DEPTH_OF_PACKAGES)] : own
}

function nestedModules(top: string, inside: string, depth: number): string[] {
  if (depth === 0) return []
  return foldersIn(`${top}/${inside}`).flatMap((name) => {
    if (NOT_SEARCHED.has(name) || name.startsWith(".")) return []
    const folder = `${inside}${name}`
    const hasModules = isFolder(`${top}/${folder}/node_modules`)
    // A folder with its own lock file is another project.
    const isProject = Object.keys(NODE_LOCK_FILES).some((file) => existsSync(`${top}/${folder}/${file}`))
    const own = hasModules && !isProject ? [`${folder}/node_modules`] : []
    return [...own, ...nestedModules(top, `${folder}/`, depth - 1)]
  })
}

/** Checks the whole lock file: the user may have pulled without installing. */
export function isInstalled(unit: SetupUnit, root: string): boolean {
  const top = unitFolder(root, unit)
  const [place] = unit.places
  if (place === undefined || !isFolder(`${top}/${place}`)) return false
  if (isPythonUnit(unit)) return existsSync(`${top}/${place}/pyvenv.cfg`) && existsSync(`${top}/${place}/bin/python`)
  if (unit.ecosystem === "composer") return existsSync(`${top}/${place}/composer/installed.json`)
  if (!isNodeUnit(unit)) return true
  const integrity = `${top}/node_modules/.yarn-integrity`
  if (unit.ecosystem === "npm" && unit.isLocked) return hasLocked(`${top}/${unit.basis}`, top)
  if (unit.ecosystem === "yarn" && existsSync(integrity)) return hasResolved(integrity, `${top}/${unit.basis}`)
  return hasDirect(top)
}

const Flag = v.fallback(v.optional(v.boolean(), false), false)
const NpmLock = v.object({
  packages: v.record(
    v.string(),
    v.object({ version: v.optional(v.string()), link: Flag, optional: Flag, devOptional: Flag, peer: Flag }),
  ),
})

function hasLocked(lock: string, top: string): boolean {
  const wanted = readJson(lock, NpmLock)?.packages
  if (wanted === undefined) return hasDirect(top)
  const hidden = readJson(`${top}/node_modules/.package-lock.json`, NpmLock)?.packages
  return Object.entries(wanted).every(([path, { version, link, optional, devOptional, peer }]) => {
    if (!path.includes("node_modules/")) return true
    const exists = lstatSync(`${top}/${path}`, { throwIfNoEntry: false }) !== undefined
    // May be for another platform.
    if (!exists) return optional || devOptional || peer
    return link || hidden === undefined || hidden[path]?.version === version
  })
}

const YarnIntegrity = v.object({ lockfileEntries: v.record(v.string(), v.string()) })

function hasResolved(integrity: string, lock: string): boolean {
  const text = readText(lock)
  const entries = readJson(integrity, YarnIntegrity)?.lockfileEntries ?? {}
  return Object.values(entries).every((resolved) => text.includes(resolved))
}

const Dependencies = v.fallback(v.optional(v.record(v.string(), v.unknown()), {}), {})
const Manifest = v.object({ dependencies: Dependencies, devDependencies: Dependencies })

function hasDirect(top: string): boolean {
  const manifest = readJson(`${top}/package.json`, Manifest)
  return Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies }).every((name) =>
    existsSync(`${top}/node_modules/${name}/package.json`),
  )
}

/** Where package managers record what they installed. */
const RECORDS = [".package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml", "pyvenv.cfg"]

/** Changes when a package is installed or removed, not when its content changes. */
export function stateOf(folders: readonly string[]): string {
  const hash = createHash("sha256")
  for (const folder of folders) {
    hash.update(`${folder}\0${packagesIn(folder)}\0`)
    for (const record of RECORDS) hash.update(readText(`${folder}/${record}`))
    for (const name of foldersIn(`${folder}/lib`).filter((each) => each.startsWith("python")))
      hash.update(`${packagesIn(`${folder}/lib/${name}/site-packages`)}\0`)
  }
  return hash.digest("hex").slice(0, 32)
}

/** Skips caches, whose names have a leading dot. */
function packagesIn(folder: string): string {
  const names = foldersIn(folder).filter((name) => !name.startsWith(".") && name !== "__pycache__")
  return names.sort().join("\0")
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function foldersIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
}

function readJson<Schema extends v.GenericSchema>(file: string, schema: Schema): v.InferOutput<Schema> | undefined {
  const { output, success } = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), readText(file))
  return success ? output : undefined
}
