import { sleep } from "../../lib/sleep.ts"
import { makeMask } from "../../lib/text/mask-secrets.ts"

const EVERY_MS = 1000
/** A line of output that is longer says nothing more to somebody who only wants to see that it goes on. */
const MAX_LINE = 200

export interface Progress {
  /** Seconds so far. */
  readonly progress: number
  /** The last line that the program printed. */
  readonly message?: string
}

/** Says once a second that a call goes on, until the signal fires. */
export function reportProgress(
  { env, signal }: { readonly env: Record<string, string | undefined>; readonly signal: AbortSignal },
  say: (progress: Progress) => Promise<void>,
): { readonly onOutput: (chunk: Uint8Array) => void; readonly ended: Promise<void> } {
  const decoder = new TextDecoder()
  const startedAt = performance.now()
  let tail = ""
  const tell = async () => {
    for (;;) {
      await sleep(EVERY_MS, signal)
      if (signal.aborted) return
      const line = lastLine(makeMask(env)(tail))
      const progress = Math.round((performance.now() - startedAt) / 100) / 10
      // Whoever asked may be gone by now; the call itself finds out.
      await say({ progress, ...(line === "" ? {} : { message: line }) }).catch(() => {})
    }
  }
  return {
    onOutput(chunk) {
      tail = (tail + decoder.decode(chunk, { stream: true })).slice(-4000)
    },
    ended: tell(),
  }
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? ""
  return line.trim().slice(-MAX_LINE)
}
