import { createHash } from "node:crypto"
import { globSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { arch, platform, release } from "node:os"
import { join } from "node:path"
import { isWorkerMark } from "../../lib/process/worker-mark.ts"
import type { GateCommand } from "./gate-command.ts"

type Env = Readonly<Record<string, string>>

/** Say where a process runs or what its terminal is like, and not what it does. */
const VOLATILE = new Set(["TERM", "TMPDIR", "XDG_RUNTIME_DIR", "COLUMNS", "LINES", "PWD", "OLDPWD", "SHLVL", "_"])

/** What does the work of a program of another name. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  ...{ npm: ["node"], npx: ["node"], pnpm: ["node"], yarn: ["node"], tsc: ["node"], eslint: ["node"] },
  ...{ cargo: ["rustc"], make: ["cc"], pytest: ["python3"], mvn: ["java"], gradle: ["java"] },
  ...{ mvnw: ["java"], gradlew: ["java"], uv: ["python3"], poetry: ["python3"] },
}

/**
 * What besides the tree decides how a command ends: the machine, the programs it names, the environment it gets, and in a
 * folder that is in use the dependencies installed there and its `.env` files. Not covered, as nothing could: the clock,
 * the network, services, and what programs read elsewhere.
 */
export function fingerprint({ command, folder: inTree }: GateCommand, env: Env, folder: string | null): string {
  const facts = [
    [platform(), arch(), release()],
    programsOf(command, env),
    Object.entries(env)
      .filter(([name]) => !VOLATILE.has(name) && !isWorkerMark(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    folder === null ? "fresh" : listInstalled(folder, inTree),
  ]
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex")
}

/** Dependencies and settings that git does not know: those of the tree's folder, and those where the command runs. */
export function listInstalled(folder: string, inTree: string): unknown[] {
  const places = inTree === "" ? [""] : ["", inTree]
  return places.flatMap((place) => installedIn(join(folder, place)).map((fact) => [place, fact]))
}

/** Every word of the command that is a program: a line for the shell may call several. */
function programsOf(command: readonly string[], env: Env): unknown[] {
  const words = command.flatMap((part) => part.split(/[^\w.+-]+/)).filter((word) => /^\w[\w.+-]*$/.test(word))
  const names = new Set(words.flatMap((word) => [word, ...(COMPANIONS[word] ?? [])]))
  return [...names].sort().flatMap((name) => {
    const path = Bun.which(name, { PATH: env.PATH ?? "" })
    if (path === null) return []
    const real = realpathSync(path)
    const { size, mtimeMs } = statSync(real)
    return [[name, real, size, mtimeMs]]
  })
}

/** Package managers write down what they installed. Its content counts, so that two folders with the same are the same. */
const INSTALLED = [
  "node_modules/.package-lock.json",
  "node_modules/.modules.yaml",
  "node_modules/.yarn-integrity",
  "node_modules/.yarn-state.yml",
  ".pnp.cjs",
  ".venv/pyvenv.cfg",
  "venv/pyvenv.cfg",
]
/** Where nobody writes it down, the time of the last change has to do. */
const FOLDERS = ["{.venv,venv}/lib/python*/site-packages"]

function installedIn(folder: string): unknown[] {
  const settings = namesIn(folder).filter((name) => name.startsWith(".env"))
  const contents = [...INSTALLED, ...settings].flatMap((name) => {
    const hash = hashOf(join(folder, name))
    return hash === undefined ? [] : [[name, hash]]
  })
  const isListed = contents.some(([name]) => name?.startsWith("node_modules/"))
  const folders = [...(isListed ? [] : ["node_modules"]), ...globSync(FOLDERS, { cwd: folder }).sort()]
  const times = folders.flatMap((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false })
    return stats === undefined ? [] : [[name, stats.mtimeMs]]
  })
  return [...contents, ...times]
}

function hashOf(file: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex")
  } catch {
    // Not there, or nothing that could be read: then the command cannot either.
    return undefined
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
