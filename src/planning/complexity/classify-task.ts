import { findSignals, type Signal } from "./word-families.ts"

export type TaskDomain = "backend" | "frontend" | "ambiguous"

export interface Classification {
  readonly domain: TaskDomain
  readonly backend: readonly Signal[]
  readonly frontend: readonly Signal[]
}

/** Each family of signal words counts once. A tie is ambiguous, even of zero. */
export function classifyTask(text: string): Classification {
  const signals = findSignals(text)
  const backend = signals.get("backend") ?? []
  const frontend = signals.get("frontend") ?? []
  const lead = backend.length - frontend.length
  return { domain: lead > 0 ? "backend" : lead < 0 ? "frontend" : "ambiguous", backend, frontend }
}
