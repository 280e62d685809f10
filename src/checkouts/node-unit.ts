import type { Ecosystem, FolderView, OwnScript, SetupUnit, Way } from "./setup-unit.ts"

interface Manager {
  readonly ecosystem: Ecosystem
  readonly ways: readonly Way[]
  readonly script: (name: string) => readonly string[]
}

/** In the order in which gates choose one. */
const LOCK_FILES: readonly (readonly [string, string])[] = [
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
]

/** Besides the lock file, what decides how dependencies are installed. */
const INPUTS = [
  ...["package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", ".pnpmfile.cjs", "bunfig.toml"],
  "patches/",
]

/**
 * Hooks of git are the user's: programs that would write them into the repository are told not to. Links into the store
 * of a package manager are not wanted either: an agent could write through them into what other projects use.
 */
const QUIET = {
  HUSKY: "0",
  HUSKY_SKIP_INSTALL: "1",
  LEFTHOOK: "0",
  SKIP_INSTALL_SIMPLE_GIT_HOOKS: "1",
  YARN_NM_MODE: "classic",
  YARN_ENABLE_TELEMETRY: "0",
  CI: "true",
} as const

const HOOK_INSTALLER = /\b(?:husky|lefthook|simple-git-hooks|yorkie|pre-commit)\b/

/** The dependencies of a package.json, and with them of all packages of its workspace. */
export async function planNode(view: FolderView): Promise<SetupUnit | undefined> {
  const manifest = readManifest(await view.read("package.json"))
  if (manifest === undefined) return undefined
  const [lockFile, name] = LOCK_FILES.find(([file]) => view.has(file)) ?? [undefined, undefined]
  const lock = lockFile === undefined ? "" : await view.read(lockFile)
  if (lockFile === undefined && !manifest.hasDependencies) return undefined
  if (name === "npm" && isEmptyLock(lock)) return undefined
  const manager = await managerOf(view, { name, lock, manifest })
  const scripts = [...manifest.scripts].filter(([script]) => ["postinstall", "prepare"].includes(script))
  const ownScripts = scripts
    .filter(([, line]) => !HOOK_INSTALLER.test(line))
    .map(([script, line]): OwnScript => ({ name: script, line, command: manager.script(script) }))
  return {
    ecosystem: manager.ecosystem,
    folder: view.folder,
    basis: lockFile ?? "package.json",
    isLocked: lockFile !== undefined,
    inputs: [...(lockFile === undefined ? [] : [lockFile]), ...INPUTS],
    tool: manager.ways[0]?.[0]?.[0] ?? manager.ecosystem,
    runtime: manager.ecosystem === "bun" ? "bun" : "node",
    ways: manager.ways,
    env: QUIET,
    places: ["node_modules"],
    ownScripts,
  }
}

interface Manifest {
  readonly hasDependencies: boolean
  readonly packageManager: string
  readonly scripts: ReadonlyMap<string, string>
}

function readManifest(text: string): Manifest | undefined {
  try {
    const value = JSON.parse(text)
    const fields = ["dependencies", "devDependencies", "optionalDependencies", "workspaces"]
    return {
      hasDependencies: fields.some((field) => Object.keys(value[field] ?? {}).length > 0),
      packageManager: String(value.packageManager ?? "").split("@")[0] ?? "",
      scripts: new Map(
        Object.entries(value.scripts ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
      ),
    }
  } catch {
    return undefined
  }
}

/** Of a project without dependencies, there is nothing to install. */
function isEmptyLock(lock: string): boolean {
  try {
    const { packages, dependencies } = JSON.parse(lock)
    return Object.keys(packages ?? {}).every((path) => path === "") && Object.keys(dependencies ?? {}).length === 0
  } catch {
    return false
  }
}

interface Choice {
  readonly name: string | undefined
  readonly lock: string
  readonly manifest: Manifest
}

async function managerOf(view: FolderView, { name, lock, manifest }: Choice): Promise<Manager> {
  const isLocked = name !== undefined
  switch (name ?? manifest.packageManager) {
    case "bun":
      return bun(isLocked)
    case "pnpm":
      return pnpm(isLocked)
    case "yarn":
      return /^# yarn lockfile v1$/m.test(lock) || !isLocked ? classicYarn(isLocked) : await modernYarn(view)
    default:
      return npm(isLocked)
  }
}

function npm(isLocked: boolean): Manager {
  const flags = ["--include=dev", "--no-audit", "--no-fund", "--fetch-retries=1", "--prefer-offline"]
  const words = isLocked ? ["npm", "ci"] : ["npm", "install", "--no-save", "--no-package-lock"]
  return { ecosystem: "npm", ways: [[[...words, ...flags]]], script: (name) => ["npm", "run", "--silent", name] }
}

function pnpm(isLocked: boolean): Manager {
  const lock = isLocked ? ["--frozen-lockfile"] : ["--no-lockfile"]
  const words = [
    "pnpm",
    "install",
    ...lock,
    "--prefer-offline",
    "--prod=false",
    "--package-import-method=clone-or-copy",
  ]
  return { ecosystem: "pnpm", ways: [[words]], script: (name) => ["pnpm", "run", name] }
}

function classicYarn(isLocked: boolean): Manager {
  const lock = isLocked ? "--frozen-lockfile" : "--no-lockfile"
  const words = ["yarn", "install", lock, "--prefer-offline", "--non-interactive", "--production=false"]
  return { ecosystem: "yarn", ways: [[words]], script: (name) => ["yarn", "run", name] }
}

/** Repositories often bring their own version of it. */
async function modernYarn(view: FolderView): Promise<Manager> {
  const path = /^yarnPath:\s*["']?([\w./-]+)["']?\s*$/m.exec(await view.read(".yarnrc.yml"))?.[1]
  const program = path === undefined || path.startsWith("/") || path.includes("..") ? ["yarn"] : ["node", path]
  return {
    ecosystem: "yarn",
    ways: [[[...program, "install", "--immutable"]]],
    script: (name) => [...program, "run", name],
  }
}

function bun(isLocked: boolean): Manager {
  const lock = isLocked ? ["--frozen-lockfile"] : ["--no-save"]
  const words = ["bun", "install", ...lock, "--backend=copyfile"]
  return { ecosystem: "bun", ways: [[words]], script: (name) => ["bun", "run", name] }
}
