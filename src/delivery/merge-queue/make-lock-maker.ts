import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "../../lib/clock.ts"
import { codeOf } from "../../lib/error-code.ts"
import { dirname } from "../../lib/paths.ts"
import type { Processes } from "../../lib/process/process.ts"
import { maskSecrets } from "../../lib/text/mask-secrets.ts"
import type { LockMaker } from "./settle-locks.ts"

interface Surroundings {
  readonly processes: Processes
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly signal?: AbortSignal
}

const TIMEOUT_MS = 180_000
const SHOWN_LINES = 5

/** Runs a lock tool in a temporary folder that holds only the files it needs. */
export function makeLockMaker({ processes, env, home, signal }: Surroundings): LockMaker {
  return async ({ tool, lock, files }) => {
    const root = join(home, "locks")
    mkdirSync(root, { recursive: true, mode: 0o700 })
    removeAbandoned(root)
    const folder = mkdtempSync(join(root, "lock-"))
    try {
      const problems: string[] = []
      for (const command of tool.commands) {
        writeAll(folder, files)
        const run = { command, cwd: join(folder, dirname(lock)), env: quiet(env), timeoutMs: TIMEOUT_MS, signal }
        const result = await processes.run(run)
        const text = result.reason === "exited" && result.exitCode === 0 ? readText(join(folder, lock)) : undefined
        if (text !== undefined) return { text }
        if (result.reason === "not-found") return { problem: `${command[0]} is not installed` }
        const how = result.reason === "exited" ? `ended with ${result.exitCode}` : result.reason
        problems.push(`${command.join(" ")} ${how}${lastLines(result.tail)}`)
      }
      return { problem: problems.at(-1) ?? "there is no command for it" }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** A killed process leaves its folder behind. No tool runs longer than this. */
const ABANDONED_MS = 60 * 60_000

function removeAbandoned(root: string): void {
  for (const name of readdirSync(root)) {
    const folder = join(root, name)
    const stat = statSync(folder, { throwIfNoEntry: false })
    if (stat !== undefined && stat.mtimeMs < systemClock.now() - ABANDONED_MS)
      rmSync(folder, { recursive: true, force: true })
  }
}

function writeAll(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  }
}

/** The tool must not ask questions, and git variables must not lead it to another repository. */
function quiet(env: Surroundings["env"]): Record<string, string | undefined> {
  const own = Object.entries(env).filter(([name]) => !name.startsWith("GIT_"))
  return { ...Object.fromEntries(own), CI: "1", COREPACK_ENABLE_DOWNLOAD_PROMPT: "0" }
}

function lastLines(tail: string): string {
  const lines = maskSecrets(tail)
    .split("\n")
    .filter((line) => line.trim() !== "")
  return lines.length === 0 ? "" : `: ${lines.slice(-SHOWN_LINES).join("\n")}`
}
