import * as v from "valibot"
import { shellPrograms } from "../../lib/text/shell-programs.ts"
import type { Detected, FolderFiles } from "./detect-commands.ts"
import { type FoundCommand, type NeededProgram, PACKAGE_PROGRAMS } from "./gate-command.ts"

interface Manager {
  readonly script: readonly string[]
  /** Never downloads a program. */
  readonly program: readonly string[]
}

const MANAGERS: Readonly<Record<string, Manager>> = {
  bun: { script: ["bun", "run"], program: ["bun", "run"] },
  pnpm: { script: ["pnpm", "run"], program: ["pnpm", "exec"] },
  yarn: { script: ["yarn", "run"], program: ["yarn", "run"] },
  npm: { script: ["npm", "run"], program: ["npx", "--no-install"] },
}

const LOCK_FILES: Readonly<Record<string, string>> = {
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
}

const map = v.fallback(v.record(v.string(), v.unknown()), {})

const Manifest = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    scripts: map,
    dependencies: map,
    devDependencies: map,
    packageManager: v.fallback(v.string(), ""),
    eslintConfig: v.optional(v.unknown()),
  }),
  v.transform(({ scripts, dependencies, devDependencies, packageManager, eslintConfig }) => ({
    scripts,
    dependencies: [...Object.keys(dependencies), ...Object.keys(devDependencies)],
    packageManager,
    hasEslintConfig: eslintConfig !== undefined,
  })),
)
type Manifest = Readonly<v.InferOutput<typeof Manifest>>

/** Preferred names first. */
const SCRIPTS = {
  types: ["typecheck", "type-check", "check-types", "check:types", "tsc"],
  test: ["test", "test:ci", "test:unit", "unit", "tests"],
  lint: ["lint", "lint:check", "lint:ci", "check:lint", "eslint"],
  /** If there are neither tests nor a linter. */
  all: ["check", "ci", "verify", "validate"],
} as const

export async function detectNode(files: FolderFiles): Promise<Detected> {
  const hasTypes = files.has("tsconfig.json")
  // An unreadable package.json counts as missing: npm will report it.
  const read = v.safeParse(Manifest, await files.read("package.json"))
  const manifest = read.success ? read.output : undefined
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
    const command = [...manager.program, ...words]
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

/** The runner itself, if the test script watches; bun needs no script. */
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

/** Includes the `pre` and `post` scripts. */
function scriptCommand(manager: Manager, { scripts }: Manifest, name: string): FoundCommand {
  const command = [...manager.script, name]
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

/** A script may call others. */
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
 * Whether a script runs until it is stopped. `vitest` and `react-scripts test` watch only at a terminal, which
 * gates do not have.
 */
export function isEndless(script: string): boolean {
  return script.split(/&&|\|\||[;|&]/).some((part) => {
    const words = part.trim().replace(/^(?:[A-Za-z_]\w*=\S+\s+|cross-env\s+|npx\s+)+/, "")
    const isWatch = /(?:^|\s)--watch(?:All)?(?:=true)?(?=\s|$)/.test(words)
    const isShort = /^(?:tsc|jest|mocha|rollup|webpack|babel|ava|tsup|esbuild|sass)\b.*\s-w(?=\s|$)/.test(words)
    return isWatch || isShort || SERVERS.test(words)
  })
}

/** `npm init` writes a script that is no test. */
function isReal(script: unknown): boolean {
  return typeof script === "string" && script.trim() !== "" && !/no test specified/i.test(script)
}

function managerOf(files: FolderFiles, { packageManager }: Manifest): Manager {
  const lock = Object.keys(LOCK_FILES).find((name) => files.has(name))
  const named = packageManager.split("@")[0] ?? ""
  const name = LOCK_FILES[lock ?? ""] ?? (Object.hasOwn(MANAGERS, named) ? named : "npm")
  return MANAGERS[name] as Manager
}
