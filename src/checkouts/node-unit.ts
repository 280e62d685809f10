import * as v from "valibot"
import type { FolderView, SetupUnit } from "./setup-unit.ts"

/** In the order in which gates choose one. */
export const NODE_LOCK_FILES = {
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
} as const

type ManagerName = (typeof NODE_LOCK_FILES)[keyof typeof NODE_LOCK_FILES]

interface Manager {
  readonly locked: readonly string[]
  /** Must not write a lock file. */
  readonly unlocked: readonly string[]
  /** For both. */
  readonly flags: readonly string[]
  readonly runScript: readonly string[]
}

const MANAGERS: Readonly<Record<ManagerName, Manager>> = {
  npm: {
    locked: ["npm", "ci"],
    unlocked: ["npm", "install", "--no-save", "--no-package-lock"],
    flags: ["--include=dev", "--no-audit", "--no-fund", "--fetch-retries=1", "--prefer-offline"],
    runScript: ["npm", "run", "--silent"],
  },
  pnpm: {
    locked: ["pnpm", "install", "--frozen-lockfile"],
    unlocked: ["pnpm", "install", "--no-lockfile"],
    flags: ["--prefer-offline", "--prod=false", "--package-import-method=clone-or-copy"],
    runScript: ["pnpm", "run"],
  },
  yarn: {
    locked: ["yarn", "install", "--frozen-lockfile"],
    unlocked: ["yarn", "install", "--no-lockfile"],
    flags: ["--prefer-offline", "--non-interactive", "--production=false"],
    runScript: ["yarn", "run"],
  },
  bun: {
    locked: ["bun", "install", "--frozen-lockfile"],
    unlocked: ["bun", "install", "--no-save"],
    flags: ["--backend=copyfile"],
    runScript: ["bun", "run"],
  },
}

/** Files besides the lock file that affect the installation. */
const INPUTS = [
  "package.json",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  "pnpm-workspace.yaml",
  ".pnpmfile.cjs",
  "bunfig.toml",
  "patches/",
]

/**
 * Tools must not write git hooks, which belong to the user, nor link into a package manager's store: through such a
 * link an agent could write into other projects.
 */
const ENVIRONMENT = {
  HUSKY: "0",
  HUSKY_SKIP_INSTALL: "1",
  LEFTHOOK: "0",
  SKIP_INSTALL_SIMPLE_GIT_HOOKS: "1",
  YARN_NM_MODE: "classic",
  YARN_ENABLE_TELEMETRY: "0",
  CI: "true",
} as const

const HOOK_INSTALLER = /\b(?:husky|lefthook|simple-git-hooks|yorkie|pre-commit)\b/

const Table = v.fallback(v.optional(v.record(v.string(), v.unknown()), {}), {})
const Manifest = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    dependencies: Table,
    devDependencies: Table,
    optionalDependencies: Table,
    /** A list, or an object with one. */
    workspaces: v.optional(v.unknown()),
    packageManager: v.fallback(v.optional(v.string(), ""), ""),
    scripts: Table,
  }),
)
const NpmLock = v.pipe(v.string(), v.parseJson(), v.object({ packages: Table, dependencies: Table }))

/** Includes all packages of the workspace. */
export async function planNode(view: FolderView): Promise<SetupUnit | undefined> {
  const { output: manifest, success } = v.safeParse(Manifest, await view.read("package.json"))
  if (!success) return undefined
  const [lockFile, locked] = Object.entries(NODE_LOCK_FILES).find(([file]) => view.has(file)) ?? []
  const { dependencies, devDependencies, optionalDependencies, workspaces } = manifest
  const required = [dependencies, devDependencies, optionalDependencies, workspaces ?? {}]
  if (lockFile === undefined && required.every((each) => Object.keys(each as object).length === 0)) return undefined
  const lock = lockFile === undefined ? "" : await view.read(lockFile)
  if (locked === "npm" && isEmptyLock(lock)) return undefined
  const wanted = manifest.packageManager.split("@")[0] ?? ""
  const name = locked ?? (wanted in MANAGERS ? (wanted as ManagerName) : "npm")
  const isModern = locked === "yarn" && !/^# yarn lockfile v1$/m.test(lock)
  const manager = isModern ? modernYarn(await view.read(".yarnrc.yml")) : MANAGERS[name]
  const install = [...(lockFile === undefined ? manager.unlocked : manager.locked), ...manager.flags]
  const ownScripts = Object.entries(manifest.scripts).flatMap(([script, line]) => {
    const isOwn = ["postinstall", "prepare"].includes(script) && typeof line === "string" && !HOOK_INSTALLER.test(line)
    return isOwn ? [{ name: script, line, command: [...manager.runScript, script] }] : []
  })
  return {
    ecosystem: name,
    folder: view.folder,
    basis: lockFile ?? "package.json",
    isLocked: lockFile !== undefined,
    inputs: [...(lockFile === undefined ? [] : [lockFile]), ...INPUTS],
    tool: install[0] ?? name,
    runtime: name === "bun" ? "bun" : "node",
    ways: [[install]],
    env: ENVIRONMENT,
    places: ["node_modules"],
    ownScripts,
  }
}

function isEmptyLock(text: string): boolean {
  const { output, success } = v.safeParse(NpmLock, text)
  return success && [...Object.keys(output.packages), ...Object.keys(output.dependencies)].every((path) => path === "")
}

/** Yarn from version 2, often committed to the repository. */
function modernYarn(settings: string): Manager {
  const path = /^yarnPath:\s*["']?([\w./-]+)["']?\s*$/m.exec(settings)?.[1]
  const program = path === undefined || path.startsWith("/") || path.includes("..") ? ["yarn"] : ["node", path]
  return { locked: [...program, "install", "--immutable"], unlocked: [], flags: [], runScript: [...program, "run"] }
}
