import { AppError } from "../../kernel/errors.ts"
import type { SetbackKind } from "../../tasks/retry.ts"

/** The worker cannot finish the task, which is set back. */
export class Setback extends Error {
  readonly kind: SetbackKind
  readonly agent: string | null
  /** For the next try. */
  readonly advice: string | null
  readonly isRecorded: boolean
  /** The agent left exactly what had failed before, and would again. */
  readonly isRepeating: boolean

  constructor(
    kind: SetbackKind,
    reason: string,
    more: { agent?: string; advice?: string; isRecorded?: true; isRepeating?: boolean } = {},
  ) {
    super(reason)
    this.name = "Setback"
    this.kind = kind
    this.agent = more.agent ?? null
    this.advice = more.advice ?? null
    this.isRecorded = more.isRecorded ?? false
    this.isRepeating = more.isRepeating ?? false
  }
}

/** Without a store or a team no task can be set back. */
const NOT_OF_A_TASK = /^(?:store\.|team\.|internal$)/

/** Undefined for an error that must end the worker. */
export function setbackOf(error: unknown): Setback | undefined {
  if (error instanceof Setback) return error
  if (error instanceof AppError) {
    if (NOT_OF_A_TASK.test(error.code)) return undefined
    return new Setback(error.code.startsWith("role.") ? "not-found" : "workspace", error.message)
  }
  // A system error, such as a full disk.
  if (error instanceof Error && "code" in error && /^E[A-Z0-9]+$/.test(String(error.code)))
    return new Setback("workspace", error.message)
  return undefined
}
