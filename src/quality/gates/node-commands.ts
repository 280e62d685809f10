import type { Detected, FolderFiles } from "./detect-commands.ts"

interface Manager {
  /** A script of package.json. */
  readonly script: (name: string) => readonly string[]
  /** A program that the project's dependencies bring; never one that is downloaded for it. */
  readonly program: (...words: string[]) => readonly string[]
}

const MANAGERS = {
  bun: {
    script: (name) => ["bun", "run", name],
    program: (...words) => ["bun", "run", ...words],
  },
  pnpm: {
    script: (name) => ["pnpm", "run", name],
    program: (...words) => ["pnpm", "exec", ...words],
  },
  yarn: {
    script: (name) => ["yarn", "run", name],
    program: (...words) => ["yarn", "run", ...words],
  },
  npm: {
    script: (name) => ["npm", "run", name],
    program: (...words) => ["npx", "--no-install", ...words],
  },
} as const satisfies Record<string, Manager>

const LOCK_FILES: readonly (readonly [string, keyof typeof MANAGERS])[] = [
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
]

interface Manifest {
  readonly scripts: Readonly<Record<string, unknown>>
  readonly dependencies: readonly string[]
  readonly packageManager: string
  readonly hasEslintConfig: boolean
}

export async function detectNode(files: FolderFiles): Promise<Detected> {
  const hasTypes = files.has("tsconfig.json")
  const manifest = readManifest(await files.read("package.json"))
  if (manifest === undefined) return hasTypes ? { build: [["tsc", "--noEmit"]] } : {}
  const manager = managerOf(files, manifest)
  const script = (...names: string[]) => {
    const name = names.find((each) => isReal(manifest.scripts[each]))
    return name === undefined ? [] : [manager.script(name)]
  }
  const program = (name: string, ...words: string[]) =>
    manifest.dependencies.includes(name) ? manager.program(...words) : words
  const build = [...script("build"), ...script("typecheck", "type-check")]
  const lint = script("lint")
  const usesEslint = manifest.hasEslintConfig || files.find(/^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\..+)?)$/)
  return {
    build: build.length > 0 || !hasTypes ? build : [program("typescript", "tsc", "--noEmit")],
    test: script("test"),
    lint: lint.length > 0 || !usesEslint ? lint : [program("eslint", "eslint", ".")],
  }
}

/** What `npm init` writes is not a test. */
function isReal(script: unknown): boolean {
  return typeof script === "string" && script.trim() !== "" && !/no test specified/i.test(script)
}

function managerOf(files: FolderFiles, { packageManager }: Manifest): Manager {
  const byLock = LOCK_FILES.find(([name]) => files.has(name))?.[1]
  const named = packageManager.split("@")[0] ?? ""
  return MANAGERS[byLock ?? (isManager(named) ? named : "npm")]
}

function isManager(name: string): name is keyof typeof MANAGERS {
  return Object.hasOwn(MANAGERS, name)
}

/** Undefined for what is not there or is no manifest: whoever runs npm will hear of it, a gate does not. */
function readManifest(text: string): Manifest | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof json !== "object" || json === null) return undefined
  const from = json as Record<string, unknown>
  const record = (name: string) => {
    const value = from[name]
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
  }
  return {
    scripts: record("scripts"),
    dependencies: [...Object.keys(record("dependencies")), ...Object.keys(record("devDependencies"))],
    packageManager: typeof from.packageManager === "string" ? from.packageManager : "",
    hasEslintConfig: "eslintConfig" in from,
  }
}
