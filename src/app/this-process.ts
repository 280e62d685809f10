import { selfCommand } from "../lib/process/self-command.ts"
import { readEnvironment } from "./config/environment.ts"
import type { InteractiveOptions, Io, Machine } from "./host.ts"

export function thisProcess(): Machine {
  const { env } = process
  const cwd = process.cwd()
  const isRoot = process.getuid?.() === 0
  return {
    env,
    cwd,
    isRoot,
    io: terminalOf(env, cwd),
    get self() {
      return selfCommand(process)
    },
  }
}

// `process.stdout` would load a stream library, which takes longer than a claim.
function isTTY(fd: number): boolean {
  return (process as unknown as { binding(name: "tty_wrap"): { isTTY(fd: number): boolean } })
    .binding("tty_wrap")
    .isTTY(fd)
}

function terminalOf(env: NodeJS.ProcessEnv, cwd: string): Io {
  const terminal = isTTY(1) ? process.stdout : undefined
  const environment = readEnvironment(env, { stdoutIsTTY: terminal?.isTTY === true, columns: terminal?.columns })
  const signals = makeInterruption()
  const { write, print } = makeOutput(signals)
  const isTerminal = terminal?.isTTY === true
  return {
    isTerminal,
    columns: environment.columns,
    color: !environment.noColor,
    size: () => ({ columns: terminal?.columns || environment.columns, rows: terminal?.rows || 24 }),
    onResize(listener) {
      terminal?.on("resize", listener)
      return () => void terminal?.off("resize", listener)
    },
    cwd,
    input: async () => (await import("../lib/process/standard-input.ts")).standardInput(),
    out: print,
    outParts(parts) {
      for (const part of parts) write(1, part)
    },
    err: (text) => write(2, `${text}\n`),
    errBytes: (chunk) => write(2, chunk),
    get interrupted() {
      return signals.first()
    },
    get interruptedAgain() {
      return signals.second()
    },
    get canAsk() {
      return isTTY(0) && isTerminal
    },
    ask,
    interactive: (command, options) => runAtTerminal(command, { env, cwd, ...options }),
    wallClock: () => new Date().toTimeString().slice(0, 8),
  }
}

async function ask(question: string, signal?: AbortSignal): Promise<string | null> {
  if (signal?.aborted === true) return null
  const { createInterface } = await import("node:readline/promises")
  const line = createInterface({ input: process.stdin, output: process.stdout })
  const ended = new Promise<null>((resolve) => line.once("close", () => resolve(null)))
  const end = () => line.close()
  signal?.addEventListener("abort", end)
  try {
    return await Promise.race([line.question(question), ended])
  } finally {
    signal?.removeEventListener("abort", end)
    line.close()
  }
}

const TIME_TO_END_MS = 2000
const KEYS = ["SIGINT", "SIGQUIT"] as const

/** Signals from the keyboard reach the whole foreground group: ignore them meanwhile. */
async function runAtTerminal(command: readonly string[], { signal, ...how }: InteractiveOptions): Promise<number> {
  const heard = KEYS.map((key) => [key, process.listeners(key) as (() => void)[]] as const)
  const hearNothing = () => undefined
  for (const [key] of heard) process.removeAllListeners(key).on(key, hearNothing)
  const child = Bun.spawn([...command], { ...how, stdin: "inherit", stdout: "inherit", stderr: "inherit" })
  let killing: Timer | undefined
  const end = () => {
    child.kill("SIGTERM")
    // Interactive shells ignore SIGTERM; SIGHUP is what a closed terminal sends.
    child.kill("SIGHUP")
    killing = setTimeout(() => child.kill("SIGKILL"), TIME_TO_END_MS)
  }
  signal?.addEventListener("abort", end)
  if (signal?.aborted === true) end()
  try {
    return await child.exited
  } finally {
    clearTimeout(killing)
    signal?.removeEventListener("abort", end)
    for (const [key, listeners] of heard) {
      process.removeListener(key, hearNothing)
      for (const listener of listeners) process.on(key, listener)
    }
  }
}

interface Interruption {
  /** A caller that reads it must end when it fires. Without a reader, the signal ends the process at once. */
  first(): AbortSignal
  second(): AbortSignal
  /** Returns whether a caller listens. */
  raise(): boolean
}

function makeInterruption(): Interruption {
  const first = new AbortController()
  const second = new AbortController()
  let isListening = false
  let isSecondHeard = false
  const listen = () => {
    if (isListening) return
    isListening = true
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (!first.signal.aborted) first.abort()
        // The third signal always ends the process.
        else if (isSecondHeard && !second.signal.aborted) second.abort()
        else process.exit(130)
      })
    }
  }
  return {
    first() {
      listen()
      return first.signal
    },
    second() {
      listen()
      isSecondHeard = true
      return second.signal
    },
    raise() {
      if (isListening) first.abort()
      return isListening
    },
  }
}

function makeOutput(signals: Interruption) {
  /** Synchronous and complete, also into a pipe. */
  function write(stream: 1 | 2, data: string | Uint8Array): void {
    const { writeSync } = process.getBuiltinModule("node:fs")
    const bytes = typeof data === "string" ? Buffer.from(data) : data
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(stream, bytes, at)
      } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : undefined
        if (code === "EAGAIN") Bun.sleepSync(1)
        // The reader, such as `| head`, or the terminal is gone: let listeners end their work.
        else if (code !== "EPIPE" && code !== "EIO") throw error
        else if (!signals.raise()) process.exit(0)
        else return
      }
    }
  }
  let hasPrinted = false
  /** `console.log` is faster for a single print, since it needs no `node:fs`, but does not notice a closed pipe. */
  function print(text: string): void {
    if (hasPrinted) write(1, `${text}\n`)
    else console.log(text)
    hasPrinted = true
  }
  return { write, print }
}
