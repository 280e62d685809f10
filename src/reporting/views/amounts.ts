import { money } from "../../lib/text/money.ts"
import type { Cost } from "../cost.ts"

/** `42s`, `4m 05s`, `2h 05m`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`
}

/** Like `duration`, with tenths below ten seconds. */
export function exactDuration(ms: number): string {
  return ms < 9_950 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : duration(ms)
}

/** `950`, `12.3k`, `4.6M`. */
export function amount(count: number): string {
  if (count < 1000) return String(count)
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

/** `$0.42, 12.3k tokens`, with what is estimated or unknown. */
export function describeCost({ tokens, dollars, isEstimated, unknown }: Cost): string {
  if (tokens === 0 && dollars === 0) return "nothing"
  const used = `${amount(tokens)} tokens`
  if (dollars === 0) return unknown > 0 ? `${used}, price unknown` : used
  const about = isEstimated ? "about " : ""
  const more = unknown > 0 ? ` and ${unknown} ${unknown === 1 ? "run" : "runs"} of unknown price` : ""
  return `${about}${money(dollars)}${more}, ${used}`
}

/** `$0.42`, `~$0.42` for an estimate, `12.3k tokens` without a price. */
export function shortCost(cost: Cost | undefined): string {
  if (cost === undefined || (cost.tokens === 0 && cost.dollars === 0)) return "-"
  if (cost.dollars === 0 || cost.unknown > 0) return `${amount(cost.tokens)} tokens`
  return `${cost.isEstimated ? "~" : ""}${money(cost.dollars)}`
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

/** HH:MM:SS in local time. */
export function wallTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 8)
}

function two(number: number): string {
  return String(number).padStart(2, "0")
}
