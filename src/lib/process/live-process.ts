import { sleep } from "../sleep.ts"
import { descendantsOf, killAll, processesMarked } from "./process-tree.ts"

export interface StartRequest {
  readonly command: readonly string[]
  readonly cwd: string
  /** The whole environment of the child; nothing is inherited by accident. */
  readonly env: Readonly<Record<string, string>>
  /** Its standard input, or null for none. With `staysOpen` more can be written. */
  readonly input: { readonly text: string; readonly staysOpen: boolean } | null
}

export interface Exit {
  readonly exitCode: number | null
  readonly signal: string | null
}

/** A running program with its descendants. */
export interface LiveProcess {
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
  readonly exited: Promise<Exit>
  /** Does nothing after it ended, or when its input is not open. */
  write(text: string): Promise<void>
  closeInput(): void
  /** Sends SIGTERM to the whole tree. */
  terminate(): void
  /** Kills the whole tree, including processes that left the group or lost their parent. Resolves when all are gone. */
  destroy(): Promise<void>
}

/** Programs with open input and output, as a port: tests and simulation bring their own. */
export interface LiveProcesses {
  start(request: StartRequest): LiveProcess | { readonly whyNot: string }
}

const MAX_WAITING_FOR_DEATH_MS = 5000

export const systemLiveProcesses: LiveProcesses = { start }

function start({ command, cwd, env, input }: StartRequest): LiveProcess | { readonly whyNot: string } {
  // The id is in the name, so that a nested run has both marks.
  const mark = `TEAMWORK_RUN_${crypto.randomUUID().replaceAll("-", "")}`
  let child: Bun.Subprocess<"pipe" | "ignore" | Uint8Array, "pipe", "pipe">
  try {
    const stdin = input === null ? "ignore" : input.staysOpen ? "pipe" : new TextEncoder().encode(input.text)
    // A group of its own, so that stopping it stops its children too.
    child = Bun.spawn([...command], {
      cwd,
      env: { ...env, [mark]: "1" },
      stdin,
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    })
  } catch (error) {
    return { whyNot: error instanceof Error ? error.message : String(error) }
  }
  const sink = input?.staysOpen === true && typeof child.stdin === "object" ? child.stdin : undefined
  const write = async (text: string) => {
    try {
      sink?.write(text)
      await sink?.flush()
    } catch {
      // It does not read any more; its exit says why.
    }
  }
  if (input?.staysOpen === true) void write(input.text)
  let tree: readonly number[] = []
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    exited: child.exited.then(() => ({
      exitCode: child.exitCode,
      signal: child.signalCode === null ? null : String(child.signalCode),
    })),
    write,
    closeInput() {
      // Ending it twice, or after the program ended, throws and does not matter.
      Promise.try(() => sink?.end()).catch(() => undefined)
    },
    terminate() {
      tree = [...descendantsOf(child.pid, env), ...processesMarked(`${mark}=1`, env)]
      killAll(child.pid, tree, "SIGTERM")
    },
    async destroy() {
      killAll(child.pid, tree, "SIGKILL")
      tree = []
      const deadline = performance.now() + MAX_WAITING_FOR_DEATH_MS
      for (;;) {
        const left = processesMarked(`${mark}=1`, env)
        if (left.length === 0 || performance.now() > deadline) return
        killAll(child.pid, left, "SIGKILL")
        await sleep(2)
      }
    },
  }
}
