import { shellPrograms } from "../../lib/text/shell-programs.ts"
import type { Detected, FolderFiles } from "./detect-commands.ts"
import { type FoundCommand, type NeededProgram, PACKAGE_PROGRAMS } from "./gate-command.ts"

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

/** Names that stand in where a project has no script of the usual one, in this order. */
const SCRIPTS = {
  types: ["typecheck", "type-check", "check-types", "check:types", "tsc"],
  test: ["test", "test:ci", "test:unit", "unit", "tests"],
  lint: ["lint", "lint:check", "lint:ci", "check:lint", "eslint"],
  /** Everything at once, for a project that names neither tests nor a linter. */
  all: ["check", "ci", "verify", "validate"],
} as const

export async function detectNode(files: FolderFiles): Promise<Detected> {
  const hasTypes = files.has("tsconfig.json")
  const manifest = readManifest(await files.read("package.json"))
  const from = manifest === undefined ? "tsconfig.json" : "package.json"
  const compiler: FoundCommand = { command: ["tsc", "--noEmit"], from }
  if (manifest === undefined) return hasTypes ? { build: [compiler] } : {}
  const manager = managerOf(files, manifest)
  const script = (...names: string[]) => {
    const name = names.find((each) => isUsable(manifest, each))
    return name === undefined ? [] : [scriptCommand(manager, manifest, name)]
  }
  const program = (name: string, ...words: string[]): FoundCommand => {
    const [tool = ""] = words
    if (!manifest.dependencies.includes(name)) return { command: words, from }
    const command = manager.program(...words)
    return { command, from, needs: [needed(command[0] ?? ""), { name: tool, folders: PACKAGE_PROGRAMS }] }
  }
  const build = [...script("build"), ...script(...SCRIPTS.types)]
  const [test, lint] = [script(...SCRIPTS.test), script(...SCRIPTS.lint)]
  const own = test.length > 0 ? test : await ownTests(files, manifest, program)
  return {
    build: build.length > 0 || !hasTypes ? build : [program("typescript", ...compiler.command)],
    test: own.length > 0 || lint.length > 0 ? own : script(...SCRIPTS.all),
    lint: lint.length > 0 ? lint : ownLint(files, manifest, program),
  }
}

type Program = (name: string, ...words: string[]) => FoundCommand

/** A test script that watches is run as its runner runs once; bun needs no script at all. */
async function ownTests(files: FolderFiles, { scripts, dependencies }: Manifest, program: Program) {
  const [runner] = typeof scripts.test === "string" ? shellPrograms(scripts.test) : []
  if (runner === "vitest") return [program("vitest", "vitest", "run")]
  if (runner === "jest") return [program("jest", "jest")]
  const usesBun = files.has("bun.lock", "bun.lockb") || dependencies.includes("@types/bun")
  if (!usesBun || isReal(scripts.test)) return []
  const tests = await files.search(/[._](?:test|spec)\.[cm]?[jt]sx?$/)
  return tests.length === 0 ? [] : [{ command: ["bun", "test"], from: tests[0] ?? "package.json" }]
}

function ownLint(files: FolderFiles, { hasEslintConfig, dependencies }: Manifest, program: Program): FoundCommand[] {
  const eslint = files.find(/^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\..+)?)$/)
  if (hasEslintConfig || eslint !== undefined) return [program("eslint", "eslint", ".")]
  const biome = files.has("biome.json", "biome.jsonc") && dependencies.includes("@biomejs/biome")
  return biome ? [program("@biomejs/biome", "biome", "check", ".")] : []
}

/** What runs before and after a script by its name is part of it. */
function scriptCommand(manager: Manager, { scripts }: Manifest, name: string): FoundCommand {
  const command = manager.script(name)
  const texts = [`pre${name}`, name, `post${name}`].map((each) => scripts[each])
  const script = texts.filter((text) => typeof text === "string").join("\n")
  const programs = typeof scripts[name] === "string" ? shellPrograms(scripts[name]) : []
  const inner = programs
    .filter((each) => !each.includes("/"))
    .map((each) => ({ name: each, folders: PACKAGE_PROGRAMS }))
  return { command, from: "package.json", script, needs: [needed(command[0] ?? ""), ...inner] }
}

function needed(name: string): NeededProgram {
  return { name, folders: [] }
}

function isUsable({ scripts }: Manifest, name: string): boolean {
  return isReal(scripts[name]) && !watches(scripts, name, new Set())
}

/** A script may call others by their names. */
function watches(scripts: Manifest["scripts"], name: string, seen: Set<string>): boolean {
  const text = scripts[name]
  if (typeof text !== "string" || seen.has(name)) return false
  seen.add(name)
  if (isEndless(text)) return true
  const called = text.matchAll(/\b(?:npm|pnpm|yarn|bun)(?: run)? ([\w:.-]+)/g)
  return [...called].some(([, each = ""]) => watches(scripts, each, seen))
}

const SERVERS =
  /^(?:nodemon|live-server|http-server|webpack-dev-server|serve|vite|next dev|nuxt dev|ng serve|webpack serve|vitest (?:dev|watch)|astro dev|storybook dev)\b(?! build)/

/**
 * Whether a script would go on until it is stopped. `vitest` and `react-scripts test` alone watch only at a terminal, and
 * gates run without one and with `CI=true`.
 */
export function isEndless(script: string): boolean {
  return script.split(/&&|\|\||[;|&]/).some((part) => {
    const words = part.trim().replace(/^(?:[A-Za-z_]\w*=\S+\s+|cross-env\s+|npx\s+)+/, "")
    const isWatch = /(?:^|\s)--watch(?:All)?(?:=true)?(?=\s|$)/.test(words)
    const isShort = /^(?:tsc|jest|mocha|rollup|webpack|babel|ava|tsup|esbuild|sass)\b.*\s-w(?=\s|$)/.test(words)
    return isWatch || isShort || SERVERS.test(words)
  })
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
