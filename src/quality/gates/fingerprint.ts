import { createHash } from "node:crypto"
import { globSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { arch, platform, release } from "node:os"
import { join } from "node:path"
import { isWorkerMark } from "../../lib/process/worker-mark.ts"
import type { GateCommand } from "./gate-command.ts"

type Env = Readonly<Record<string, string>>

/** These change between runs but not the results. */
const VOLATILE = new Set(["TERM", "TMPDIR", "XDG_RUNTIME_DIR", "COLUMNS", "LINES", "PWD", "OLDPWD", "SHLVL", "_"])

/** Programs that others run on. */
const COMPANIONS: Readonly<Record<string, string>> = {
  npm: "node",
  npx: "node",
  pnpm: "node",
  yarn: "node",
  tsc: "node",
  eslint: "node",
  cargo: "rustc",
  make: "cc",
  pytest: "python3",
  uv: "python3",
  poetry: "python3",
  mvn: "java",
  mvnw: "java",
  gradle: "java",
  gradlew: "java",
}

/**
 * A hash of everything besides the tree that decides a result: machine, programs, environment, and in a used folder
 * the installed dependencies and `.env` files. It cannot cover clock, network, services and other files.
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

/** What git ignores, at the top and where the command runs. */
export function listInstalled(folder: string, inTree: string): unknown[] {
  const places = inTree === "" ? [""] : ["", inTree]
  return places.flatMap((place) => installedIn(join(folder, place)).map((fact) => [place, fact]))
}

function programsOf(command: readonly string[], env: Env): unknown[] {
  const words = command.flatMap((part) => part.split(/[^\w.+-]+/)).filter((word) => /^\w[\w.+-]*$/.test(word))
  const names = new Set(
    words.flatMap((word) => [word, ...(Object.hasOwn(COMPANIONS, word) ? [COMPANIONS[word] ?? ""] : [])]),
  )
  return [...names].sort().flatMap((name) => {
    const path = Bun.which(name, { PATH: env.PATH ?? "" })
    if (path === null) return []
    const real = realpathSync(path)
    const { size, mtimeMs } = statSync(real)
    return [[name, real, size, mtimeMs]]
  })
}

/** Package managers list here what they installed. Compares the content. */
const INSTALLED = [
  "node_modules/.package-lock.json",
  "node_modules/.modules.yaml",
  "node_modules/.yarn-integrity",
  "node_modules/.yarn-state.yml",
  ".pnp.cjs",
  ".venv/pyvenv.cfg",
  "venv/pyvenv.cfg",
]
/** Folders without such a list: compares the modification time. */
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
    // The command cannot read it either.
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
