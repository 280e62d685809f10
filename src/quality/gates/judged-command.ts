import type { AppError } from "../../kernel/errors.ts"
import { type Comparison, compareTooSlow } from "../compare-results.ts"
import type { GateCommand } from "./gate-command.ts"
import type { CommandResult } from "./run-command.ts"

/** A command of a gate with what it came to, next to how it stood on the base. */
export interface JudgedCommand {
  readonly command: GateCommand
  /** Null for one that was not run. */
  readonly result: CommandResult | null
  /** Of one that could not run: what was printed last. */
  readonly output?: string
  readonly comparison: Comparison
}

export function skipTooSlow(command: GateCommand, base: { readonly advice: string | null }): JudgedCommand {
  return { command, result: null, comparison: compareTooSlow(base) }
}

/** A checkout in which the command could run could not be made. */
export function failSetup(command: GateCommand, error: AppError, isBaseReady: boolean): JudgedCommand {
  const { lines } = error.details
  const printed = Array.isArray(lines) ? lines.map(String).join("\n") : ""
  const facts = { before: null, now: null, broken: [], asked: [], flaky: null }
  const remark = `the set-up of its checkout failed: ${error.message}`
  return isBaseReady
    ? { command, result: null, output: printed, comparison: { ...facts, status: "failed", remark, isWarning: false } }
    : {
        command,
        result: null,
        comparison: { ...facts, status: "skipped", remark: `${remark}; it fails on the base as well`, isWarning: true },
      }
}
