import { lastLines, linesAround } from "../lib/text/last-lines.ts"
import type { FirstFailure } from "./first-failure.ts"
import type { Check, Verdict } from "./verdict.ts"

export interface FailureExcerpt {
  /** The command, its exit and its first failing test. */
  readonly what: string
  /** The last lines, or those around the first failing test. */
  readonly lines: readonly string[]
}

/** Undefined if the verdict did not fail. */
export function excerptFailure({
  status,
  checks,
  issues,
}: Pick<Verdict, "status" | "checks" | "issues">): FailureExcerpt | undefined {
  if (status !== "failed") return undefined
  const failed = checks.filter((check) => check.status === "failed")
  // A failed command explains more than other checks.
  const check = failed.find(({ command }) => command !== undefined) ?? failed[0]
  if (check === undefined) return { what: firstError(issues) ?? "see its verdict", lines: [] }
  return { what: describeCheck(check, issues), lines: linesOf(check) }
}

export function explain({ what, lines }: FailureExcerpt): string {
  return [what, ...lines.map((line) => `    ${line}`)].join("\n")
}

export function failureForEvent(verdict: Pick<Verdict, "status" | "checks" | "issues">): {
  readonly failure?: string[]
} {
  const excerpt = excerptFailure(verdict)
  return excerpt === undefined ? {} : { failure: [excerpt.what, ...excerpt.lines] }
}

const MOST_WARNINGS = 5

export function warningsForEvent({ scope, status, issues }: Pick<Verdict, "scope" | "status" | "issues">): {
  readonly warnings?: string[]
} {
  if (scope !== "final" || status !== "passed") return {}
  const warnings = issues
    .filter((issue) => issue.startsWith("warning: "))
    .map((issue) => issue.slice("warning: ".length))
  if (warnings.length === 0) return {}
  const more = warnings.length - MOST_WARNINGS
  const rest = more > 0 ? [`and ${more} more; see: teamwork report`] : []
  return { warnings: [...warnings.slice(0, MOST_WARNINGS), ...rest] }
}

/** `adds (src/a.test.ts:5): expected 3, got 2`. */
export function describeFirst({ test, file, line, message }: FirstFailure): string {
  const place = file === null ? "" : ` (${file}${line === null ? "" : `:${line}`})`
  return `${test}${place}${message === null ? "" : `: ${message}`}`
}

function describeCheck({ name, command, evidence, firstFailure }: Check, issues: readonly string[]): string {
  const said = lastLines(evidence?.split("\n", 1)[0] ?? "")[0]
  const what = command === undefined ? (firstError(issues) ?? said ?? name) : (said ?? `${command} failed`)
  return firstFailure === undefined ? what : `${what}; first failure: ${describeFirst(firstFailure)}`
}

function linesOf({ command, evidence = "", firstFailure }: Check): string[] {
  if (command === undefined) return []
  const output = evidence.split("\n").slice(1).join("\n")
  return firstFailure === undefined ? lastLines(output) : linesAround(output, firstFailure.test)
}

function firstError(issues: readonly string[]): string | undefined {
  const issue = issues.find((each) => each.startsWith("error: ")) ?? issues[0]
  return issue?.replace(/^(?:error|warning): /, "")
}
