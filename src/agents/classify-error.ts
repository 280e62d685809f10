import type { Reason } from "./port.ts"

export interface Trouble {
  readonly reason: Reason
  readonly retryAt: number | null
}

interface ErrorFacts {
  readonly message: string
  readonly status?: number | null
  readonly now: number
}

/** The first match decides: an unpaid bill also comes as 429, and an overflow as 400. */
const SIGNS: readonly [Trouble["reason"], RegExp][] = [
  [
    "context-overflow",
    /prompt is too long|context[_ ](?:length|window|limit)|maximum context|input (?:token count )?(?:exceeds|is too long)|too many (?:input )?tokens|exceeds? the (?:maximum|max) (?:number of )?(?:input )?tokens|ran out of room/i,
  ],
  [
    "budget",
    /credit balance|insufficient[_ ](?:quota|funds|credits?)|billing|payment required|spend(?:ing)? limit|budget (?:exceeded|exhausted)/i,
  ],
  [
    "unknown-model",
    /model[_ ]?not[_ ]?found|(?:unknown|no such|invalid) model|not_found_error\W+model|\bmodels?\b.{0,80}(?:(?:does not|doesn't|may not) exist|(?:is )?not (?:found|supported|available))/i,
  ],
  ["rate-limited", /rate[_ -]?limit|too many requests|usage limit|RESOURCE_EXHAUSTED|quota|\b429\b/i],
  [
    "overloaded",
    /overloaded|\b529\b|at capacity|high demand|internal server error|bad gateway|service (?:is )?(?:temporarily )?unavailable|gateway time-?out|server_error/i,
  ],
  [
    "auth",
    /unauthori[sz]ed|authentication|invalid (?:api |x-api-)?key|api[_ ]key (?:not valid|is invalid|not found)|not logged in|please (?:run \/)?log ?in|permission_denied|oauth token|incorrect api key|missing (?:api key|bearer|environment variable)|\b401\b/i,
  ],
  [
    "unreachable",
    /connection refused|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|unable to connect|could not connect|failed to connect|connection error|error sending request|fetch failed|network (?:is )?(?:error|unreachable|down)|waiting for network|dns error/i,
  ],
  ["refused", /refus(?:al|ed to)|content (?:policy|filter)|safety (?:system|settings)|violates? .{0,40}polic/i],
]

const BY_STATUS: Readonly<Record<number, Trouble["reason"]>> = {
  401: "auth",
  402: "budget",
  403: "auth",
  413: "context-overflow",
  429: "rate-limited",
}

const BY_TEXT: readonly Trouble["reason"][] = ["context-overflow", "budget", "unknown-model"]

function reasonOfStatus(status: number | null | undefined): Trouble["reason"] | undefined {
  if (status == null) return undefined
  return BY_STATUS[status] ?? (status >= 500 && status < 600 ? "overloaded" : undefined)
}

export function classifyError({ message, status, now }: ErrorFacts): Trouble {
  const sign = SIGNS.find(([, pattern]) => pattern.test(message))?.[0]
  // Servers send some faults with several statuses; then the text is more precise.
  const isPrecise = sign !== undefined && BY_TEXT.includes(sign)
  const reason = isPrecise ? sign : (reasonOfStatus(status) ?? sign ?? "crashed")
  const canWait = reason === "rate-limited" || reason === "overloaded"
  return { reason, retryAt: canWait ? findRetryTime(message, now) : null }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * "try again in 1m 20s", "retry-after: 30", "retryDelay": "27s", "limit reached|1794767466", "resets at 2026-11-15T18:00:00Z".
 * Null for a time of day, as in "resets 3:45pm": its time zone is unknown.
 */
export function findRetryTime(message: string, now: number): number | null {
  const stamp = /(?:reached\||reset[^\d]{0,30})(\d{10})(\d{3})?\b/i.exec(message)
  if (stamp !== null) return Number(stamp[1]) * 1000 + Number(stamp[2] ?? 0)
  const date =
    /(?:after|at|until|reset)\D{0,20}(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d))/i.exec(message)?.[1] ??
    /retry-after\W{0,5}(\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT)/i.exec(message)?.[1]
  const parsed = date === undefined ? Number.NaN : Date.parse(date)
  if (!Number.isNaN(parsed)) return parsed
  // Not seconds: "resets 3:45pm", "retry 2/5".
  const span =
    /(?:try again|retry|available|resets?)([\w-]*)["']?[\s:=]{0,9}(?:after|in)?["']?[\s:=]{0,9}["']?((?:\d+(?:\.\d+)?(?![\d.]*[:/-]?\d)[ \t]*[a-z]*[ \t,]*)+)/i.exec(
      message,
    )
  const [, name = "", times = ""] = span ?? []
  const ms = /ms$/i.test(name) ? Number.parseFloat(times) : sumOfTimes(times)
  return ms > 0 ? now + Math.ceil(ms) : null
}

function sumOfTimes(text: string): number {
  let sum = 0
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]*)/gi)) {
    const known = unit === "" ? "s" : /^(?:ms|millis)/i.test(unit) ? "ms" : unit.charAt(0).toLowerCase()
    const factor = UNITS[known]
    if (factor === undefined) break
    sum += Number(amount) * factor
  }
  return sum
}
