import type { PlanPath } from "../plan.ts"

/** From 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface PlanDocument {
  readonly value: unknown
  /** Syntax errors; then there is no value. */
  readonly faults: readonly (Position & { readonly message: string })[]
  /** Of the value, or of the nearest one around it. */
  placeOf(path: PlanPath): Position
}

export const START: Position = { line: 1, column: 1 }
