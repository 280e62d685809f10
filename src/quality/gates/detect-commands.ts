import { type GateCommand, type GateKind, plainCommand } from "./gate-command.ts"
import { detectNode } from "./node-commands.ts"
import type { TreeFiles } from "./port.ts"

/** Commands of one folder, as arguments. */
export type Detected = Partial<Record<GateKind, readonly (readonly string[])[]>>

/** What a detector sees of one folder of the tree. */
export interface FolderFiles {
  has(...names: string[]): boolean
  /** A name that fits. */
  find(pattern: RegExp): string | undefined
  /** Empty for what is not there. */
  read(name: string): Promise<string>
}

const NOT_SEARCHED = /^(?:\.|node_modules\/|vendor\/|dist\/|build\/|target\/)/
const MAX_FOLDERS = 30

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
  detectNode,
  detectCargo,
  detectGo,
  detectPython,
  detectJava,
]

async function detectIn(tree: TreeFiles, folder: string, names: readonly string[]): Promise<GateCommand[]> {
  const files: FolderFiles = {
    has: (...wanted) => wanted.some((name) => names.includes(name)),
    find: (pattern) => names.find((name) => pattern.test(name)),
    read: async (name) => (names.includes(name) ? tree.read(folder === "" ? name : `${folder}/${name}`) : ""),
  }
  const found: GateCommand[] = []
  const add = (detected: Detected, isWanted: (kind: GateKind) => boolean) => {
    for (const [kind, commands] of Object.entries(detected) as [GateKind, readonly (readonly string[])[]][])
      if (isWanted(kind)) found.push(...commands.map((command) => plainCommand(kind, command, folder)))
  }
  for (const detect of DETECTORS) add(await detect(files), () => true)
  // A makefile usually calls what was found already, so it only fills gaps.
  const known = new Set<string>(found.map((each) => each.kind))
  add(await detectMake(files), (kind) => !known.has(kind))
  return found
}

async function detectCargo(files: FolderFiles): Promise<Detected> {
  if (!files.has("Cargo.toml")) return {}
  return {
    build: [["cargo", "build"]],
    test: [["cargo", "test"]],
    lint: [["cargo", "clippy"]],
  }
}

async function detectGo(files: FolderFiles): Promise<Detected> {
  if (!files.has("go.mod")) return {}
  return {
    build: [["go", "build", "./..."]],
    test: [["go", "test", "./..."]],
    lint: [["go", "vet", "./..."]],
  }
}

async function detectPython(files: FolderFiles): Promise<Detected> {
  const project = await files.read("pyproject.toml")
  const settings = ["setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt", "dev-requirements.txt"]
  const texts = [project, ...(await Promise.all(settings.map((name) => files.read(name))))]
  const usesPytest = files.has("pytest.ini", "conftest.py") || texts.some((text) => /\bpytest\b/.test(text))
  const usesRuff = files.has("ruff.toml", ".ruff.toml") || /^\[tool\.ruff\b/m.test(project)
  const through = files.has("uv.lock") ? ["uv", "run"] : files.has("poetry.lock") ? ["poetry", "run"] : []
  return {
    ...(usesPytest ? { test: [[...through, "pytest"]] } : {}),
    ...(usesRuff ? { lint: [[...through, "ruff", "check", "."]] } : {}),
  }
}

/** A wrapper in the repository knows the right version. Through `sh`, since its executable bit is often lost. */
async function detectJava(files: FolderFiles): Promise<Detected> {
  if (files.has("pom.xml")) {
    const maven = [...(files.has("mvnw") ? ["sh", "./mvnw"] : ["mvn"]), "--batch-mode"]
    return { build: [[...maven, "-DskipTests", "package"]], test: [[...maven, "test"]] }
  }
  if (files.find(/^build\.gradle(\.kts)?$/) === undefined) return {}
  const gradle = files.has("gradlew") ? ["sh", "./gradlew"] : ["gradle"]
  return { build: [[...gradle, "assemble"]], test: [[...gradle, "test"]] }
}

async function detectMake(files: FolderFiles): Promise<Detected> {
  const name = ["GNUmakefile", "makefile", "Makefile"].find((each) => files.has(each))
  if (name === undefined) return {}
  const text = await files.read(name)
  // `test: deps` and `test :: deps`, but not the assignment `test := x`.
  const has = (target: string) =>
    new RegExp(`^(?:[\\w.-]+[ \\t]+)*${target}(?:[ \\t]+[\\w.-]+)*[ \\t]*:(?!:*=)`, "m").test(text)
  const commands = (targets: readonly string[]) => {
    const target = targets.find(has)
    return target === undefined ? [] : [["make", target]]
  }
  return { build: commands(["build", "all"]), test: commands(["test", "check"]), lint: commands(["lint"]) }
}
