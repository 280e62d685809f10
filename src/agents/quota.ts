/** As the program reported it. */
export interface QuotaWindow {
  /** `5 h`, `7 d`, or the program's own name. */
  readonly window: string
  /** 0 to 100; null where the program reports only a status. */
  readonly usedPercent: number | null
  /** Null when unknown. */
  readonly resetsAt: number | null
  readonly status: "allowed" | "warning" | "rejected" | null
}

export interface AgentQuota {
  readonly agent: string
  readonly notedAt: number
  readonly windows: readonly QuotaWindow[]
}

/** Drops windows that have reset since. */
export function currentWindows({ windows }: AgentQuota, now: number): QuotaWindow[] {
  return windows.filter(({ resetsAt }) => resetsAt === null || resetsAt > now)
}

export function isScarce(windows: readonly QuotaWindow[], scarcePercent: number): boolean {
  if (scarcePercent === 0) return false
  return windows.some(({ usedPercent, status }) => status === "warning" || (usedPercent ?? 0) >= scarcePercent)
}

/** `82 % of 5 h window, resets 14:05`; the fullest first. */
export function renderQuota(windows: readonly QuotaWindow[], sayTime: (ms: number) => string): string {
  return [...windows]
    .sort((a, b) => (b.usedPercent ?? 0) - (a.usedPercent ?? 0))
    .map(({ window, usedPercent, resetsAt, status }) => {
      const used = usedPercent === null ? (status ?? "in use") : `${Math.round(usedPercent)} %`
      return `${used} of ${window} window${resetsAt === null ? "" : `, resets ${sayTime(resetsAt)}`}`
    })
    .join("; ")
}
