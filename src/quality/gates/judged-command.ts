import { type Comparison, compareTooSlow } from "../compare-results.ts"
import type { GateCommand } from "./gate-command.ts"
import type { CommandResult } from "./run-command.ts"

/** A command of a gate with what it came to, next to how it stood on the base. */
export interface JudgedCommand {
  readonly command: GateCommand
  /** Null for one that was not run. */
  readonly result: CommandResult | null
  readonly comparison: Comparison
}

export function skipTooSlow(command: GateCommand, base: { readonly advice: string | null }): JudgedCommand {
  return { command, result: null, comparison: compareTooSlow(base) }
}
