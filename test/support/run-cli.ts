// Runs our program the way a user does: as a real process, in the sandbox.
import { join } from "node:path"
import { sandboxEnv } from "./sandbox.ts"

const MAIN = join(import.meta.dir, "../../src/bin/main.ts")
const DEFAULT_TIMEOUT_MS = 60_000

export interface RunCliOptions {
  /** Home and state of this run; runs with the same home share their state. Default: those of the test base. */
  home?: string
  cwd?: string
  /** On top of sandboxEnv(); `undefined` removes a variable. */
  env?: Record<string, string | undefined>
  /** What the program reads from standard input; without it, standard input is empty. */
  input?: string
  /** File permissions count for it even where root runs the tests. */
  obeysPermissions?: boolean
  /** Another program than ours, for tests of this helper. */
  script?: string
  timeoutMs?: number
}

export interface CliResult {
  exitCode: number | null
  signal: string | null
  stdout: string
  stderr: string
  /** Standard output as JSON; throws with all output in the message when it is not. */
  json<T = unknown>(): T
}

export async function runCli(args: readonly string[], options: RunCliOptions = {}): Promise<CliResult> {
  const unprivileged = options.obeysPermissions === true && process.getuid?.() === 0 ? WITHOUT_RIGHTS : []
  const child = Bun.spawn([...unprivileged, process.execPath, "--no-env-file", options.script ?? MAIN, ...args], {
    cwd: options.cwd ?? options.home ?? process.env.HOME,
    env: sandboxEnv({ ...homeVariables(options.home), ...options.env }),
    stdin: options.input === undefined ? "ignore" : new TextEncoder().encode(options.input),
    stdout: "pipe",
    stderr: "pipe",
    timeout: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    killSignal: "SIGKILL",
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const { exitCode, signalCode } = child
  return {
    exitCode,
    signal: signalCode === null ? null : String(signalCode),
    stdout,
    stderr,
    json: () => parseOutput(stdout, stderr, exitCode),
  }
}

/** Still root, who owns a checkout that nobody else may be able to reach, but without what passes over permissions. */
const WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]

export function homeVariables(home: string | undefined): Record<string, string | undefined> {
  if (home === undefined) return {}
  const unset = { XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined, XDG_STATE_HOME: undefined }
  return { ...unset, XDG_CACHE_HOME: undefined, HOME: home, TEAMWORK_TEST_BASE_DIR: home }
}

export function parseOutput(stdout: string, stderr: string, exitCode: number | null) {
  try {
    return JSON.parse(stdout)
  } catch (cause) {
    throw new Error(`not JSON (exit code ${exitCode})\nstdout: ${stdout}\nstderr: ${stderr}`, { cause })
  }
}
