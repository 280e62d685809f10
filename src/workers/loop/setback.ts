import { AppError } from "../../kernel/errors.ts"
import type { SetbackKind } from "../../tasks/retry.ts"

/** What keeps a worker from bringing its task to an end. A step throws it; the task is set back for it. */
export class Setback extends Error {
  readonly kind: SetbackKind
  /** The agent that it happened to, where it was one. */
  readonly agent: string | null
  /** What whoever tries next should do otherwise. */
  readonly advice: string | null
  /** Whoever decided on it has set the task back already. */
  readonly isNoted: boolean

  /** The agent left exactly what had failed before: another run would as well. */
  readonly isRepeating: boolean

  constructor(
    kind: SetbackKind,
    reason: string,
    more: { agent?: string; advice?: string; isNoted?: true; isRepeating?: boolean } = {},
  ) {
    super(reason)
    this.name = "Setback"
    this.kind = kind
    this.agent = more.agent ?? null
    this.advice = more.advice ?? null
    this.isNoted = more.isNoted ?? false
    this.isRepeating = more.isRepeating ?? false
  }
}

/** Not the task's: whoever has no store, or no team, cannot even set anything back. */
const NOT_OF_A_TASK = /^(?:store\.|team\.|internal$)/

/** What a failure means for the task; undefined for what must not be carried on with. */
export function setbackOf(error: unknown): Setback | undefined {
  if (error instanceof Setback) return error
  if (error instanceof AppError) {
    if (NOT_OF_A_TASK.test(error.code)) return undefined
    return new Setback(error.code.startsWith("role.") ? "not-found" : "workspace", error.message)
  }
  // The system's own, such as a disk that is full.
  if (error instanceof Error && "code" in error && /^E[A-Z0-9]+$/.test(String(error.code)))
    return new Setback("workspace", error.message)
  return undefined
}
