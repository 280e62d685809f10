import type { PlanPath } from "../plan.ts"

/** Where something stands in a text, from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A plan as somebody wrote it: what it says, and where. */
export interface PlanDocument {
  readonly value: unknown
  /** What makes it unreadable; then the value is not to be used. */
  readonly faults: readonly (Position & { readonly message: string })[]
  /** Where a value stands, or the nearest that it is part of. */
  placeOf(path: PlanPath): Position
}

export const START: Position = { line: 1, column: 1 }
