import type { Comparison } from "../compare-results.ts"
import type { AgainstBaseline, Check, VerdictStatus } from "../verdict.ts"
import type { GateKind, KindSettings } from "./gate-command.ts"
import type { JudgedCommand } from "./judged-command.ts"

export interface Findings {
  readonly checks: readonly Check[]
  /** `error: ...` or `warning: ...`, with file and line if known. */
  readonly issues: readonly string[]
}

const MAX_ISSUES = 50

export function statusOf({ checks }: Pick<Findings, "checks">): VerdictStatus {
  return checks.some((check) => check.status === "failed") ? "failed" : "passed"
}

export function join(parts: readonly Findings[]): Findings {
  return { checks: parts.flatMap((part) => part.checks), issues: parts.flatMap((part) => part.issues) }
}

/** Fails if there are errors. `evidence`: what was checked. */
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

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

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

export function notRun(kind: GateKind, settings: KindSettings): Findings {
  const Kind = `${kind[0]?.toUpperCase()}${kind.slice(1)}`
  const why = settings.isEnabled
    ? `there is no command: none was found in the tree, and gates.${kind} names none`
    : `switched off by gates.enable${Kind}`
  return skipped(NAMES[kind], why)
}

export function checkCommands(judged: readonly JudgedCommand[]): Findings {
  return join(judged.map(checkCommand))
}

function checkCommand({ command, result, output = "", comparison }: JudgedCommand): Findings {
  const { status, remark, isWarning } = comparison
  const name = NAMES[command.kind]
  if (result === null) {
    const why = `${command.line} was not run: ${remark ?? ""}`
    const evidence = [why, output].filter((text) => text !== "").join("\n")
    const level = status === "failed" ? "error" : "warning"
    return { checks: [{ name, status, evidence, command: command.line }], issues: listed(level, [why]) }
  }
  const { hasPassed, ending, isCached, tail, durationMs, outputFile, firstFailure } = result
  const earlier = isCached ? `; it ran on this very tree before, at ${result.ranAt}` : ""
  const because = remark === null ? "" : `; ${remark}`
  const said = `${command.line} ${ending}${because}${earlier}`
  const baseline = againstBaseline(comparison)
  const check: Check = {
    name,
    status,
    evidence: status !== "failed" || tail.trim() === "" ? said : `${said}\n${tail.trimEnd()}`,
    command: command.line,
    durationMs,
    outputFile,
    ...(!hasPassed && firstFailure && { firstFailure }),
    ...(baseline && { baseline }),
  }
  const told = `${command.line} ${ending}${because}`
  const errors = status === "failed" ? [`${told}; all of its output: ${outputFile}`] : []
  return { checks: [check], issues: [...listed("error", errors), ...listed("warning", isWarning ? [told] : [])] }
}

/** `asked` is not cut: later gates need all of it. */
const MAX_BROKEN = 50

function againstBaseline({ before, now, broken, asked, flaky }: Comparison): AgainstBaseline | undefined {
  const isPlain = (before ?? 0) === 0 && broken.length === 0 && asked.length === 0 && flaky === null
  return isPlain ? undefined : { before, now, broken: broken.slice(0, MAX_BROKEN), asked, flaky }
}
