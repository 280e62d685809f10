import { sleep } from "../../lib/sleep.ts"
import { makeMask } from "../../lib/text/mask-secrets.ts"

const EVERY_MS = 1000
const MAX_LINE = 200

export interface Progress {
  /** In seconds. */
  readonly progress: number
  readonly message?: string
}

/** Reports once a second until the signal fires. */
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
      // The client may be gone; the call itself will notice.
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
