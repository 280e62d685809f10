import type { Clock } from "../../lib/clock.ts"
import { asCount, asObject, type Json } from "../json-line.ts"
import type { QuotaWindow } from "../quota.ts"

export function watchQuota(clock: Clock) {
  let latest: QuotaWindow[] | undefined
  return {
    see(event: Json | undefined): Json | undefined {
      const windows = event && codexQuota(event, clock.now())
      if (windows !== undefined && windows.length > 0) latest = windows
      return event
    },
    latest: () => (latest === undefined ? {} : { quota: latest }),
  }
}

/**
 * `rate_limits` has `primary` and `secondary`, each with `used_percent`, `window_minutes` and `resets_at` in
 * seconds or `resets_in_seconds`. Undefined without it.
 */
export function codexQuota(event: Json, now: number): QuotaWindow[] | undefined {
  const limits = asObject(event.rate_limits) ?? asObject(asObject(event.info)?.rate_limits)
  if (limits === undefined) return undefined
  return [limits.primary, limits.secondary].flatMap((each): QuotaWindow[] => {
    const window = asObject(each)
    if (window === undefined || typeof window.used_percent !== "number") return []
    const inSeconds = asCount(window.resets_in_seconds)
    return [
      {
        window: sayWindow(asCount(window.window_minutes)),
        usedPercent: window.used_percent,
        resetsAt: asCount(window.resets_at) * 1000 || (inSeconds === 0 ? null : now + inSeconds * 1000),
        status: window.used_percent >= 100 ? "rejected" : null,
      },
    ]
  })
}

function sayWindow(minutes: number): string {
  if (minutes === 0) return "current"
  if (minutes % 1440 === 0) return `${minutes / 1440} d`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
}
