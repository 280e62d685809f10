import type { AppError } from "../../kernel/errors.ts"
import { type Comparison, compareTooSlow, compareUnrun } from "../compare-results.ts"
import type { GateCommand } from "./gate-command.ts"
import type { CommandResult } from "./run-command.ts"

export interface JudgedCommand {
  readonly command: GateCommand
  /** Null: it was not run. */
  readonly result: CommandResult | null
  /** The end of the output, if it could not run. */
  readonly output?: string
  readonly comparison: Comparison
}

export function skipTooSlow(command: GateCommand, base: { readonly advice: string | null }): JudgedCommand {
  return { command, result: null, comparison: compareTooSlow(base) }
}

/** A failed set-up counts against the work, unless it fails on the base too. */
export function failSetup(command: GateCommand, error: AppError, isBaseReady: boolean): JudgedCommand {
  const { lines } = error.details
  const output = Array.isArray(lines) ? lines.map(String).join("\n") : ""
  const remark = `the set-up of its checkout failed: ${error.message}`
  return isBaseReady
    ? { command, result: null, output, comparison: compareUnrun("failed", remark) }
    : { command, result: null, comparison: compareUnrun("skipped", `${remark}; it fails on the base as well`) }
}
