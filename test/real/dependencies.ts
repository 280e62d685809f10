// Installs a repository's own dependencies in the clone, as its contributors would, where the registry can be reached.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { runProgram } from "./run-program.ts"
import type { Stranger } from "./stranger.ts"

interface Manager {
  readonly name: string
  readonly marks: readonly string[]
  readonly install: readonly (readonly string[])[]
  /** It comes from the npm registry, so it can be had where it is missing. */
  readonly isNpmPackage?: true
}

/** The first whose file is there counts. Scripts of dependencies are not run: a replay needs none, and they are foreign code. */
const MANAGERS: readonly Manager[] = [
  {
    name: "pnpm",
    marks: ["pnpm-lock.yaml"],
    install: [["pnpm", "install", "--frozen-lockfile", "--ignore-scripts"]],
    isNpmPackage: true,
  },
  {
    name: "yarn",
    marks: ["yarn.lock"],
    install: [["yarn", "install", "--frozen-lockfile", "--ignore-scripts"]],
    isNpmPackage: true,
  },
  {
    name: "bun",
    marks: ["bun.lock", "bun.lockb"],
    install: [["bun", "install", "--frozen-lockfile", "--ignore-scripts"]],
    isNpmPackage: true,
  },
  {
    name: "npm",
    marks: ["package-lock.json", "npm-shrinkwrap.json"],
    install: [["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]],
  },
  {
    name: "npm",
    marks: ["package.json"],
    install: [["npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]],
  },
  { name: "go", marks: ["go.mod"], install: [["go", "mod", "download"]] },
  { name: "cargo", marks: ["Cargo.toml"], install: [["cargo", "fetch"]] },
  { name: "uv", marks: ["uv.lock"], install: [["uv", "sync", "--frozen"]] },
  {
    name: "pip",
    marks: ["pyproject.toml", "setup.py"],
    install: [
      ["python3", "-m", "venv", ".venv"],
      [".venv/bin/pip", "install", "--quiet", "--retries", "0", "."],
    ],
  },
  { name: "bundler", marks: ["Gemfile"], install: [["bundle", "install", "--quiet"]] },
  { name: "composer", marks: ["composer.json"], install: [["composer", "install", "--no-scripts", "--quiet"]] },
  { name: "maven", marks: ["pom.xml"], install: [["mvn", "--quiet", "--batch-mode", "dependency:resolve"]] },
]

const INSTALL_TIMEOUT_MS = 240_000
/** The release line that still runs on the Node of most machines. */
const YARN = "yarn@1"

/** What the table says in its column: the tool that installed them, or why there are none. */
export async function installDependencies(stranger: Stranger): Promise<string> {
  const manager = MANAGERS.find(({ marks }) => marks.some((mark) => existsSync(join(stranger.clone, mark))))
  if (manager === undefined) return "none to install"
  const isThere = Bun.which(manager.install[0]?.[0] ?? "", { PATH: stranger.env.PATH ?? "" }) !== null
  if (!isThere && !(manager.isNpmPackage === true && (await installTool(stranger, manager.name)))) {
    return `no: ${manager.name} is not installed`
  }
  for (const command of manager.install) {
    const ended = await run(stranger, command)
    if (ended.exitCode !== 0) return `no: ${manager.name} could not install (${lastLine(ended.stderr || ended.stdout)})`
  }
  // What the installation changed in tracked files is not the stranger's work.
  await stranger.git("checkout", "--quiet", "--", ".")
  return manager.name
}

async function installTool(stranger: Stranger, name: string): Promise<boolean> {
  const wanted = name === "yarn" ? YARN : (packageManagerOf(stranger.clone, name) ?? name)
  const tools = join(stranger.root, "tools")
  const ended = await run(stranger, [
    "npm",
    "install",
    "--global",
    "--prefix",
    tools,
    "--no-audit",
    "--no-fund",
    wanted,
  ])
  return ended.exitCode === 0
}

/** `pnpm@9.1.0` where package.json says so. */
function packageManagerOf(clone: string, name: string): string | undefined {
  const text = readFileSync(join(clone, "package.json"), "utf8")
  return new RegExp(`"packageManager"\\s*:\\s*"(${name}@[\\w.-]+)`).exec(text)?.[1]
}

function run({ clone, env }: Stranger, command: readonly string[]) {
  return runProgram(command, { cwd: clone, env, timeoutMs: INSTALL_TIMEOUT_MS })
}

function lastLine(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  return (lines.at(-1) ?? "it says nothing").slice(0, 100)
}
