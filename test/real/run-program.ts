// Starts a program, waits for its end within a time limit, and returns all that it printed.

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly isTimedOut: boolean
  readonly seconds: number
}

interface Options {
  readonly cwd: string
  readonly env: Record<string, string>
  readonly timeoutMs: number
}

const GRACE_BEFORE_SIGKILL_MS = 20_000
/** A process that outlives the program may hold its output open. */
const DRAIN_MS = 2_000

/** At its limit the program is asked to stop as by Ctrl+C, and killed with its process group when it does not. */
export async function runProgram(command: readonly string[], { cwd, env, timeoutMs }: Options): Promise<Ended> {
  const start = performance.now()
  const child = Bun.spawn([...command], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true })
  let isTimedOut = false
  const asked = setTimeout(() => {
    isTimedOut = true
    signalGroup(child.pid, "SIGINT")
  }, timeoutMs)
  const killed = setTimeout(() => signalGroup(child.pid, "SIGKILL"), timeoutMs + GRACE_BEFORE_SIGKILL_MS)
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  await child.exited
  clearTimeout(asked)
  clearTimeout(killed)
  await Promise.race([Promise.all([stdout.ended, stderr.ended]), Bun.sleep(DRAIN_MS)])
  const seconds = (performance.now() - start) / 1000
  return { exitCode: child.exitCode, stdout: stdout.text(), stderr: stderr.text(), isTimedOut, seconds }
}

function signalGroup(pid: number, signal: "SIGINT" | "SIGKILL"): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // It ended in the meantime.
  }
}

function collect(stream: ReadableStream<Uint8Array>): { readonly ended: Promise<void>; text(): string } {
  const decoder = new TextDecoder()
  let text = ""
  const ended = (async () => {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true })
  })()
  return { ended, text: () => text }
}

export type Git = (...args: readonly string[]) => Promise<string>

const GIT_TIMEOUT_MS = 120_000

/** Git in one folder. It throws when git fails. */
export function gitIn(cwd: string, env: Record<string, string>): Git {
  return async (...args) => {
    const ended = await runProgram(["git", ...args], { cwd, env, timeoutMs: GIT_TIMEOUT_MS })
    if (ended.exitCode === 0) return ended.stdout.replace(/\n$/, "")
    throw new Error(`git ${args.join(" ")} ended with ${ended.exitCode}: ${ended.stderr.trim()}`)
  }
}
