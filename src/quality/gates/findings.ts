import type { Check, VerdictStatus } from "../verdict.ts"
import type { GateKind, KindSettings } from "./gate-command.ts"
import type { CommandResult } from "./run-command.ts"

/** What a gate found: checks decide, issues tell. */
export interface Findings {
  readonly checks: readonly Check[]
  /** `error: ...` and `warning: ...`, with file and line where there are any. */
  readonly issues: readonly string[]
}

/** More of one kind help nobody. */
const MAX_ISSUES = 50

export function statusOf({ checks }: Pick<Findings, "checks">): VerdictStatus {
  return checks.some((check) => check.status === "failed") ? "failed" : "passed"
}

export function join(parts: readonly Findings[]): Findings {
  return { checks: parts.flatMap((part) => part.checks), issues: parts.flatMap((part) => part.issues) }
}

/** A check that fails if there are errors. `evidence` says what was looked at. */
export function checkThat(
  name: string,
  found: { readonly errors: readonly string[]; readonly warnings?: readonly string[]; readonly evidence?: string },
): Findings {
  const { errors, warnings = [], evidence } = found
  const said =
    errors.length === 0 ? evidence : errors.length === 1 ? errors[0] : `${errors.length} problems: ${errors[0]}`
  return {
    checks: [
      { name, status: errors.length === 0 ? "passed" : "failed", ...(said === undefined ? {} : { evidence: said }) },
    ],
    issues: [...listed("error", errors), ...listed("warning", warnings)],
  }
}

/** `1 task`, `2 tasks`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** Worth a look, and no reason to fail. */
export function warnings(said: readonly string[]): Findings {
  return { checks: [], issues: listed("warning", said) }
}

export function skipped(name: string, why: string): Findings {
  return { checks: [{ name, status: "skipped", evidence: why }], issues: [] }
}

function listed(severity: "error" | "warning", issues: readonly string[]): string[] {
  const shown = issues.slice(0, MAX_ISSUES).map((issue) => `${severity}: ${issue}`)
  const left = issues.length - shown.length
  return left === 0 ? shown : [...shown, `${severity}: and ${left} more`]
}

const NAMES = {
  build: "build_succeeds",
  lint: "lint_passes",
  test: "tests_pass",
  accept: "acceptance_passes",
} as const satisfies Record<GateKind | "accept", string>

export function nameOfKind(kind: keyof typeof NAMES): string {
  return NAMES[kind]
}

/** Why the commands of a kind did not run. */
export function notRun(kind: GateKind, settings: KindSettings): Findings {
  const Kind = `${kind[0]?.toUpperCase()}${kind.slice(1)}`
  const why = settings.isEnabled
    ? `there is no command: none was found in the tree, and gates.${kind} names none`
    : `switched off by gates.enable${Kind}`
  return skipped(NAMES[kind], why)
}

/** One check per command. */
export function checkCommands(results: readonly CommandResult[]): Findings {
  return join(results.map(checkCommand))
}

function checkCommand(result: CommandResult): Findings {
  const { command, hasPassed, ending, isCached, tail, durationMs, outputFile, firstFailure } = result
  const earlier = isCached ? `; it ran on this very tree before, at ${result.ranAt}` : ""
  const said = `${command.line} ${ending}${earlier}`
  const check: Check = {
    name: NAMES[command.kind],
    status: hasPassed ? "passed" : "failed",
    evidence: hasPassed || tail.trim() === "" ? said : `${said}\n${tail.trimEnd()}`,
    command: command.line,
    durationMs,
    outputFile,
    ...(hasPassed || firstFailure === undefined ? {} : { firstFailure }),
  }
  return {
    checks: [check],
    issues: hasPassed ? [] : [`error: ${command.line} ${ending}; all of its output: ${outputFile}`],
  }
}
