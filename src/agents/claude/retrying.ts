import { asCount, asText, type Json } from "../json-line.ts"
import type { Waiting } from "../port.ts"
import { waitingFor } from "../waiting.ts"

/**
 * `system/api_retry`: Claude Code asks the model again by itself, ten times by default and ever more slowly, also where
 * that cannot help. `resetsAt` is when the account's limit ends, where the provider told it.
 */
export function retryOfClaude(event: Json, { now, resetsAt }: { now: number; resetsAt: number | null }): Waiting {
  const status = typeof event.error_status === "number" ? event.error_status : null
  const error = asText(event.error).replaceAll("_", " ")
  const words = [status === null ? "no answer of the server" : `HTTP ${status}`, error === "unknown" ? "" : error]
  const why = words.filter((part) => part !== "").join(", ")
  const waiting = waitingFor({ why, status, now, until: now + asCount(event.retry_delay_ms) })
  return { ...waiting, retryAt: resetsAt }
}
