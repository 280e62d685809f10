import { asCount, asTextOrNull, type Json } from "../json-line.ts"
import type { QuotaWindow } from "../quota.ts"

const WINDOWS: Readonly<Record<string, string>> = {
  five_hour: "5 h",
  seven_day: "7 d",
  seven_day_opus: "7 d opus",
  seven_day_sonnet: "7 d sonnet",
}

export function watchQuota() {
  const windows = new Map<string, QuotaWindow>()
  let resetsAt: number | null = null
  return {
    see(info: Json): void {
      const quota = claudeQuota(info)
      windows.set(quota.window, quota)
      // Claude also reports limits that are far from reached; they are no reason to wait.
      resetsAt = quota.status === "rejected" ? quota.resetsAt : null
    },
    resetsAt: () => resetsAt,
    latest: () => (windows.size === 0 ? {} : { quota: [...windows.values()] }),
  }
}

/** Times are in seconds; `utilization` is a share of 1. */
export function claudeQuota(info: Json): QuotaWindow {
  const { status, rateLimitType, utilization } = info
  const type = asTextOrNull(rateLimitType) ?? "session"
  return {
    window: WINDOWS[type] ?? type.replaceAll("_", " "),
    usedPercent: typeof utilization === "number" ? Math.round(utilization * 1000) / 10 : null,
    resetsAt: asCount(info.resetsAt) * 1000 || null,
    status: status === "allowed_warning" ? "warning" : status === "rejected" || status === "allowed" ? status : null,
  }
}
