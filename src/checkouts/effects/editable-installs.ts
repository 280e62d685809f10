import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Environment } from "../port.ts"

/** A folder of packages does not change while a process lives, so each is read once. */
const known = new Map<string, readonly string[]>()

/**
 * Folders that Python would import from because a package was installed as editable (`pip install -e`): in the virtual
 * environment, in those whose programs are on the PATH, or for the user. As they would stand in PYTHONPATH.
 */
export function listEditableFolders(env: Environment, programs: readonly string[]): readonly string[] {
  const prefixes = [
    ...(env.VIRTUAL_ENV === undefined ? [] : [env.VIRTUAL_ENV]),
    ...programs.filter((folder) => PYTHONS.some((name) => existsSync(join(folder, name)))).map((each) => dirname(each)),
    ...(env.HOME === undefined ? [] : [join(env.HOME, ".local")]),
  ]
  return [...new Set([...new Set(prefixes)].flatMap(foldersOf))]
}

const PYTHONS = ["python3", "python"]

function foldersOf(prefix: string): readonly string[] {
  const before = known.get(prefix)
  if (before !== undefined) return before
  const found = [...new Set(listPackageFolders(prefix).flatMap(readPackageFolder))]
  known.set(prefix, found)
  return found
}

/** `lib/python3.12/site-packages`; Debian calls its own `dist-packages`. */
function listPackageFolders(prefix: string): string[] {
  return list(join(prefix, "lib"))
    .filter((name) => /^python3/.test(name))
    .flatMap((name) => ["site-packages", "dist-packages"].map((each) => join(prefix, "lib", name, each)))
}

function readPackageFolder(folder: string): string[] {
  const names = list(folder)
  const found = names.flatMap((name) => {
    if (name.endsWith(".pth")) return readPath(folder, read(join(folder, name)))
    return name.endsWith(".egg-link") ? read(join(folder, name)).split("\n", 1) : []
  })
  const real = found.map((each) => each.trim()).filter((each) => each.startsWith("/"))
  const projects = names.filter((name) => name.endsWith(".dist-info")).flatMap((name) => projectOf(join(folder, name)))
  return [...real, ...projects.filter((project) => !real.some((each) => isIn(each, project))).flatMap(sourcesOf)]
}

/** A line of a `.pth` file is a folder, or Python that loads a finder from a module beside it. */
function readPath(folder: string, text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const module = /^import\s+(\w+)/.exec(line)?.[1]
    if (module !== undefined) return readFinder(read(join(folder, `${module}.py`)))
    return line.startsWith("#") || line.trim() === "" ? [] : [line.startsWith("/") ? line : join(folder, line)]
  })
}

const MAPPED = /(?:(['"])([\w.]+)\1\s*:\s*)?(['"])(\/[^'"\n]+)\3/g

/** A finder names the folder of each package; Python needs the folder above. */
function readFinder(text: string): string[] {
  return [...text.matchAll(MAPPED)].map(([, , name, , path = ""]) => {
    const below = name === undefined ? undefined : `/${name.replaceAll(".", "/")}`
    if (below !== undefined && path.endsWith(below)) return path.slice(0, -below.length)
    return name !== undefined || existsSync(join(path, "__init__.py")) ? dirname(path) : path
  })
}

/** The project that pip says it installed as editable. */
function projectOf(info: string): string[] {
  try {
    const { url, dir_info } = JSON.parse(read(join(info, "direct_url.json")) || "{}")
    return dir_info?.editable === true ? [fileURLToPath(url)] : []
  } catch {
    // Another tool wrote it in a way of its own; what matters stands in a `.pth` file as well.
    return []
  }
}

/** Where a project keeps its packages, when nothing else says so. */
function sourcesOf(project: string): string[] {
  return existsSync(join(project, "src")) ? [join(project, "src")] : [project]
}

/** With links followed, where it exists. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // An environment need not have it.
    return []
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // It vanished, or nobody may read it: then Python does not read it either.
    return ""
  }
}
