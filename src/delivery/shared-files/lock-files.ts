import { parseJson, plainValue } from "./json-text.ts"
import { parseToml } from "./toml-text.ts"

export interface LockTool {
  readonly name: string
  /** The name of the lock file. */
  readonly lock: string
  /** Its manifests, by name. */
  readonly manifests: RegExp
  /** Files that the program must see, by name. */
  readonly needs: RegExp
  /** Tried in order until one succeeds, the first without network. */
  readonly commands: readonly (readonly string[])[]
}

const NODE =
  /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|\.npmrc|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.pnpmfile\.cjs|yarn\.lock|\.yarnrc(?:\.yml)?|bun\.lock|bunfig\.toml)$/
const NPM = ["npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
const PYTHON =
  /^(?:pyproject\.toml|uv\.lock|uv\.toml|poetry\.lock|Pipfile|Pipfile\.lock|setup\.(?:py|cfg)|README(?:\.\w+)?|LICENSE(?:\.\w+)?|\.python-version)$/

function withNetwork(command: readonly string[], offline: string): readonly (readonly string[])[] {
  return [[...command, offline], command]
}

export const LOCK_TOOLS: readonly LockTool[] = [
  node("npm", "package-lock.json", withNetwork(NPM, "--offline")),
  node("npm", "npm-shrinkwrap.json", withNetwork(NPM, "--offline")),
  node("pnpm", "pnpm-lock.yaml", withNetwork(["pnpm", "install", "--lockfile-only", "--ignore-scripts"], "--offline")),
  node("yarn", "yarn.lock", [["yarn", "install", "--mode=update-lockfile"]]),
  node("bun", "bun.lock", [["bun", "install", "--lockfile-only", "--ignore-scripts"]]),
  {
    name: "cargo",
    lock: "Cargo.lock",
    manifests: /^Cargo\.toml$/,
    needs: /^(?:Cargo\.(?:toml|lock)|[\w-]+\.rs|rust-toolchain(?:\.toml)?|config\.toml)$/,
    commands: withNetwork(["cargo", "update", "--workspace", "--quiet"], "--offline"),
  },
  {
    name: "go",
    lock: "go.sum",
    manifests: /^go\.mod$/,
    needs: /^(?:go\.(?:mod|sum|work)|[^/]+\.go)$/,
    commands: [["go", "mod", "tidy"]],
  },
  {
    name: "uv",
    lock: "uv.lock",
    manifests: /^pyproject\.toml$/,
    needs: PYTHON,
    commands: withNetwork(["uv", "lock", "--quiet"], "--offline"),
  },
  {
    name: "poetry",
    lock: "poetry.lock",
    manifests: /^pyproject\.toml$/,
    needs: PYTHON,
    commands: [
      ["poetry", "lock", "--no-update", "--no-interaction"],
      ["poetry", "lock", "--no-interaction"],
    ],
  },
  {
    name: "bundler",
    lock: "Gemfile.lock",
    manifests: /^(?:Gemfile|[\w.-]+\.gemspec)$/,
    needs: /^(?:Gemfile(?:\.lock)?|[\w.-]+\.gemspec|version\.rb|\.ruby-version|\.tool-versions)$/,
    commands: withNetwork(["bundle", "lock"], "--local"),
  },
  {
    name: "composer",
    lock: "composer.lock",
    manifests: /^composer\.json$/,
    needs: /^composer\.(?:json|lock)$/,
    commands: [["composer", "update", "--lock", "--no-install", "--no-scripts", "--no-plugins", "--no-interaction"]],
  },
]

function node(name: string, lock: string, commands: LockTool["commands"]): LockTool {
  return { name, lock, manifests: /^(?:package\.json|pnpm-workspace\.yaml)$/, needs: NODE, commands }
}

export function isLockFile(path: string): boolean {
  return LOCK_TOOLS.some(({ lock }) => lock === nameOf(path))
}

export function isManifest(path: string): boolean {
  return LOCK_TOOLS.some(({ manifests }) => manifests.test(nameOf(path)))
}

/** A manifest's lock file is in its folder, or in one above. */
export function placesOfLocks(manifest: string): { readonly path: string; readonly tool: LockTool }[] {
  const folders = manifest.split("/").slice(0, -1)
  const above = Array.from({ length: folders.length + 1 }, (_, up) => folders.slice(0, folders.length - up).join("/"))
  const tools = LOCK_TOOLS.filter(({ manifests }) => manifests.test(nameOf(manifest)))
  return above.flatMap((folder) =>
    tools.map((tool) => ({ path: folder === "" ? tool.lock : `${folder}/${tool.lock}`, tool })),
  )
}

/** The part of a manifest that its lock file depends on. */
export function whatIsLocked(path: string, text: string | undefined): string {
  if (text === undefined) return ""
  const name = nameOf(path)
  if (name.endsWith(".json")) return lockedOfJson(text)
  return name.endsWith(".toml") ? lockedOfToml(text) : text
}

const LOCKED_FIELDS =
  /^(?:\w*[dD]ependencies|dependenciesMeta|workspaces|overrides|resolutions|catalogs?|require|require-dev|repositories)$/

function lockedOfJson(text: string): string {
  const node = parseJson(text)
  const value = node === undefined ? text : plainValue(node)
  if (typeof value !== "object" || value === null) return text
  return JSON.stringify(
    Object.entries(value)
      .filter(([key]) => LOCKED_FIELDS.test(key))
      .sort(),
  )
}

function lockedOfToml(text: string): string {
  const tables = parseToml(text.replaceAll("\r\n", "\n")) ?? []
  const entries = tables.flatMap(({ name, parts }) =>
    parts.flatMap((part) => {
      if (!("key" in part)) return []
      const isLocked = /dependenc|requires|features|sources?|patch|workspace/.test(`${name}.${part.key}`)
      return isLocked ? [`${name}.${part.key}=${part.value}`] : []
    }),
  )
  return entries.sort().join("\n")
}

function nameOf(path: string): string {
  return path.split("/").at(-1) ?? ""
}
