import { classifyError, type Trouble } from "../classify-error.ts"
import type { Waiting } from "../port.ts"
import { waitingFor } from "../waiting.ts"

/** The status of the server stands in Codex's words. */
export function classifyCodex(message: string, now: number): Trouble {
  return classifyError({ message, status: statusIn(message), now })
}

function statusIn(message: string): number | null {
  return Number(/\b(?:status|HTTP)\D{0,10}(\d{3})\b/i.exec(message)?.[1] ?? 0) || null
}

/** On its output: `Reconnecting... 2/5 (why)`. The next try follows within seconds, unless it waits for the network. */
export function reconnecting(message: string, now: number): Waiting[] {
  if (!message.startsWith("Reconnecting...")) return []
  const until = /waiting for network/i.test(message) ? null : now
  return [waitingFor({ why: message, status: statusIn(message), now, until })]
}

/**
 * In its log: `retrying sampling request (1/5 in 299.9s)... sampling_error=why`. It waits as long as the server told it,
 * in silence.
 */
export function retryInLog(text: string, now: number): Waiting | undefined {
  const [, amount = "", unit = "", why = ""] =
    /retrying .*? in ([\d.]+)(ms|s)\)\.\.\. .*sampling_error=(.*)/.exec(Bun.stripANSI(text)) ?? []
  if (amount === "") return undefined
  const until = now + Math.ceil(Number(amount) * (unit === "ms" ? 1 : 1000))
  return waitingFor({ why, status: statusIn(why), now, until, isProvidersTime: true })
}
