import { sleep } from "../sleep.ts"
import { descendantsOf, killAll } from "./process-tree.ts"
import { GRACE_FOR_LEFTOVERS_MS, readOutput } from "./read-output.ts"

export interface RunRequest {
  readonly command: readonly string[]
  readonly cwd: string
  /** The whole environment of the child; nothing is inherited by accident. */
  readonly env: Record<string, string | undefined>
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Gets the output of both streams as it comes. */
  readonly onOutput?: (chunk: Uint8Array) => void
}

/** How a process ended, for success and failure. */
export interface RunResult {
  readonly reason: "exited" | "timed-out" | "cancelled" | "not-found"
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last part of what it printed on both streams. */
  readonly tail: string
  /** SHA-256 of everything it printed. */
  readonly outputHash: string
  readonly durationMs: number
}

/** Programs, as a port: tests and simulation bring their own. */
export interface Processes {
  run(request: RunRequest): Promise<RunResult>
}

const TAIL_BYTES = 64 * 1024
const GRACE_BEFORE_SIGKILL_MS = 2000

export const systemProcesses: Processes = { run }

async function run(request: RunRequest): Promise<RunResult> {
  const startedAt = performance.now()
  const hash = new Bun.CryptoHasher("sha256")
  let tail = Buffer.alloc(0)
  const see = (chunk: Uint8Array) => {
    hash.update(chunk)
    tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES)
    request.onOutput?.(chunk)
  }
  let endedAt: number | undefined
  const end = (reason: RunResult["reason"], exitCode: number | null, signal: string | null): RunResult => ({
    reason,
    exitCode,
    signal,
    tail: tail.toString("utf8"),
    outputHash: hash.digest("hex"),
    durationMs: Math.round((endedAt ?? performance.now()) - startedAt),
  })
  let child: Bun.Subprocess<"ignore", "pipe", "pipe">
  try {
    // A group of its own, so that stopping it stops its children too.
    const stdio = { stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const
    child = Bun.spawn([...request.command], { cwd: request.cwd, env: request.env, ...stdio, detached: true })
  } catch {
    return end("not-found", null, null)
  }
  let stopped: "timed-out" | "cancelled" | undefined
  let tree: readonly number[] = []
  const stop = (why: "timed-out" | "cancelled") => {
    if (stopped !== undefined) return
    stopped = why
    tree = descendantsOf(child.pid, request.env)
    killAll(child.pid, tree, "SIGTERM")
    setTimeout(() => killAll(child.pid, tree, "SIGKILL"), GRACE_BEFORE_SIGKILL_MS).unref()
  }
  const cancel = () => stop("cancelled")
  const timer = request.timeoutMs === undefined ? undefined : setTimeout(() => stop("timed-out"), request.timeoutMs)
  request.signal?.addEventListener("abort", cancel)
  if (request.signal?.aborted === true) cancel()
  const output = readOutput([child.stdout, child.stderr].map((stream) => ({ stream, see })))
  try {
    await child.exited
    endedAt = performance.now()
    // Processes that it left may keep the pipes open for hours. The command has ended, so the run ends too.
    await Promise.race([output.ended, sleep(GRACE_FOR_LEFTOVERS_MS)])
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener("abort", cancel)
    killAll(child.pid, tree, "SIGKILL")
  }
  await output.readOn()
  return end(stopped ?? "exited", child.exitCode, child.signalCode === null ? null : String(child.signalCode))
}
