import { classifyError } from "./classify-error.ts"
import type { Waiting } from "./port.ts"

interface Told {
  /** In the program's words. */
  readonly why: string
  readonly status?: number | null
  readonly now: number
  /** When the program tries again; null when it does not say. */
  readonly until: number | null
  /** The program waits for as long as its provider told it. */
  readonly isProvidersTime?: boolean
}

/** What a program says when it cannot reach its model and tries again. Without a better reason it got no answer at all. */
export function waitingFor({ why, status = null, now, until, isProvidersTime = false }: Told): Waiting {
  const { reason } = classifyError({ message: why, status, now })
  const known = reason === "crashed" ? "unreachable" : reason
  return {
    type: "waiting",
    reason: known,
    until,
    retryAt: isProvidersTime && known === "rate-limited" ? until : null,
    why,
  }
}
