import { mkdirSync, writeFileSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { dirname } from "../../lib/paths.ts"
import { maskSecrets } from "../../lib/text/mask-secrets.ts"
import type { Ground } from "./ground.ts"

/** Runs `workspace.setup` in a worktree; the file with everything it printed, or null where none is set. */
export async function runSetup(
  { settings, processes, env }: Ground,
  path: string,
  log: string,
): Promise<string | null> {
  if (settings.setup === "") return null
  const chunks: Uint8Array[] = []
  const result = await processes.run({
    command: ["sh", "-c", settings.setup],
    cwd: path,
    env: withoutGitPlaces(env),
    timeoutMs: settings.setupTimeoutSeconds * 1000,
    onOutput: (chunk) => chunks.push(chunk),
  })
  mkdirSync(dirname(log), { recursive: true })
  writeFileSync(log, Buffer.concat(chunks), { mode: 0o600 })
  if (result.reason === "exited" && result.exitCode === 0) return log
  const how =
    result.reason === "timed-out"
      ? `was stopped after ${settings.setupTimeoutSeconds} s (workspace.setupTimeoutSeconds)`
      : `ended with ${result.exitCode ?? result.signal ?? result.reason}`
  const last = maskSecrets(result.tail.trimEnd().split("\n").at(-1) ?? "")
  throw new AppError(
    "workspace.setup_failed",
    `workspace.setup ${how}${last === "" ? "" : `: ${last}`}; all it printed is in ${log}`,
    { log, exitCode: result.exitCode, reason: result.reason },
  )
}

/** Called from a hook, these would lead its git to the wrong repository. */
function withoutGitPlaces(env: Record<string, string | undefined>): Record<string, string | undefined> {
  const places = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"]
  return Object.fromEntries(Object.entries(env).filter(([name]) => !places.includes(name)))
}
