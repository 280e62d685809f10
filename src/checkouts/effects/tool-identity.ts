import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs"
import type { Processes } from "../../lib/process/process.ts"
import type { Environment } from "../port.ts"

const VERSION_TIMEOUT_MS = 10_000

/**
 * Identifies a version of a program by its file. Asks scripts that choose a version, such as those of pyenv and
 * asdf, with `--version`.
 */
export function makeToolIdentity(processes: Processes) {
  const known = new Map<string, Promise<string>>()
  return (name: string, env: Environment, cwd: string): Promise<string> => {
    const path = Bun.which(name, { PATH: env.PATH ?? "" })
    if (path === null) return Promise.resolve("none")
    const real = realpathSync(path)
    const { size, mtimeMs } = statSync(real)
    const file = `${real} ${size} ${mtimeMs}`
    if (!isScript(real)) return Promise.resolve(file)
    const asked = `${file} ${cwd}`
    const answer = known.get(asked) ?? askVersion(processes, path, { env, cwd })
    known.set(asked, answer)
    return answer
  }
}

async function askVersion(
  processes: Processes,
  path: string,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): Promise<string> {
  const { tail } = await processes.run({ command: [path, "--version"], cwd, env, timeoutMs: VERSION_TIMEOUT_MS })
  return tail.trim()
}

function isScript(file: string): boolean {
  const first = Buffer.alloc(2)
  const opened = openSync(file, "r")
  try {
    readSync(opened, first, 0, 2, 0)
  } finally {
    closeSync(opened)
  }
  return first.toString("latin1") === "#!"
}
