export interface CaptureRequest {
  readonly command: readonly string[]
  readonly cwd: string
  /** The whole environment of the child; nothing is inherited by accident. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input?: string | Uint8Array
  readonly timeoutMs: number
}

/** How a program ended, and its output. */
export interface Captured {
  readonly reason: "exited" | "timed-out" | "not-found"
  readonly exitCode: number | null
  readonly stdout: Uint8Array
  readonly stderr: string
}

/** Runs a program and keeps all its output, as a port. For long runs see `process.ts`. */
export type Capture = (request: CaptureRequest) => Promise<Captured>

const GRACE_FOR_OUTPUT_MS = 500
const NO_OUTPUT = [new Uint8Array(), ""] as const

export const capture: Capture = async ({ command, cwd, env, input, timeoutMs }) => {
  let child: Bun.Subprocess<"ignore" | Uint8Array, "pipe", "pipe">
  try {
    const stdin = input === undefined ? "ignore" : typeof input === "string" ? new TextEncoder().encode(input) : input
    const limits = { timeout: timeoutMs, killSignal: "SIGKILL" } as const
    child = Bun.spawn([...command], { cwd, env, stdin, stdout: "pipe", stderr: "pipe", ...limits })
  } catch {
    return { reason: "not-found", exitCode: null, stdout: new Uint8Array(), stderr: "" }
  }
  const output = Promise.all([child.stdout.bytes(), child.stderr.text()])
  await child.exited
  const isTimedOut = child.signalCode === "SIGKILL" && child.exitCode === null
  // Its child processes may keep the output open.
  const [stdout, stderr] = isTimedOut
    ? await Promise.race([output, Bun.sleep(GRACE_FOR_OUTPUT_MS).then(() => NO_OUTPUT)])
    : await output
  return { reason: isTimedOut ? "timed-out" : "exited", exitCode: child.exitCode, stdout, stderr }
}
