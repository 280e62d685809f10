import { existsSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as v from "valibot"
import { entriesOf, readText } from "../../lib/read-files.ts"
import type { Environment } from "../port.ts"

/** By prefix, read once in each process. */
const known = new Map<string, readonly string[]>()

/**
 * Folders for PYTHONPATH of editable installs (`pip install -e`): from the virtual environment, from environments
 * on the PATH, and from the user's.
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
  return namesIn(join(prefix, "lib"))
    .filter((name) => /^python3/.test(name))
    .flatMap((name) => ["site-packages", "dist-packages"].map((each) => join(prefix, "lib", name, each)))
}

function readPackageFolder(folder: string): string[] {
  const names = namesIn(folder)
  const found = names.flatMap((name) => {
    if (name.endsWith(".pth")) return readPath(folder, readText(join(folder, name)))
    return name.endsWith(".egg-link") ? readText(join(folder, name)).split("\n", 1) : []
  })
  const real = found.map((each) => each.trim()).filter((each) => each.startsWith("/"))
  const projects = names.filter((name) => name.endsWith(".dist-info")).flatMap((name) => projectOf(join(folder, name)))
  return [...real, ...projects.filter((project) => !real.some((each) => isIn(each, project))).flatMap(sourcesOf)]
}

/** A line of a `.pth` file is a folder, or an import of a module beside it that finds packages. */
function readPath(folder: string, text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const module = /^import\s+(\w+)/.exec(line)?.[1]
    if (module !== undefined) return readFinder(readText(join(folder, `${module}.py`)))
    return line.startsWith("#") || line.trim() === "" ? [] : [line.startsWith("/") ? line : join(folder, line)]
  })
}

const MAPPED = /(?:(['"])([\w.]+)\1\s*:\s*)?(['"])(\/[^'"\n]+)\3/g

/** The module maps packages to their folders; PYTHONPATH needs their parent. */
function readFinder(text: string): string[] {
  return [...text.matchAll(MAPPED)].map(([, , name, , path = ""]) => {
    const below = name === undefined ? undefined : `/${name.replaceAll(".", "/")}`
    if (below !== undefined && path.endsWith(below)) return path.slice(0, -below.length)
    return name !== undefined || existsSync(join(path, "__init__.py")) ? dirname(path) : path
  })
}

const DirectUrl = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ url: v.pipe(v.string(), v.url()), dir_info: v.object({ editable: v.literal(true) }) }),
)

function projectOf(info: string): string[] {
  const { output, success } = v.safeParse(DirectUrl, readText(join(info, "direct_url.json")))
  return success && output.url.startsWith("file:") ? [fileURLToPath(output.url)] : []
}

function sourcesOf(project: string): string[] {
  return existsSync(join(project, "src")) ? [join(project, "src")] : [project]
}

/** Follows links if the folder exists. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

export function namesIn(folder: string): string[] {
  return entriesOf(folder).map(({ name }) => name)
}
