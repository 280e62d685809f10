import type { PlanPath } from "../plan.ts"

/** From 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A plan document and its positions. */
export interface PlanDocument {
  readonly value: unknown
  /** Syntax errors; with any of them there is no value. */
  readonly faults: readonly (Position & { readonly message: string })[]
  /** The position of a value, or of the nearest value around it. */
  placeOf(path: PlanPath): Position
}

export const START: Position = { line: 1, column: 1 }
