import { manyLines, oneLine, paint, type Screen, table } from "../../lib/text/table.ts"
import { describeFirst } from "../failure-excerpt.ts"
import type { Check, Verdict } from "../verdict.ts"

const MAX_LINES = 20

export function renderVerdict(verdict: Verdict, screen: Screen): string {
  const { scope, subject, status, commit, checks, issues } = verdict
  const what = subject === null ? scope : `${scope} ${subject}`
  const at = commit === undefined ? "" : ` at ${commit.slice(0, 12)}`
  const failed = checks.filter((check) => check.status === "failed" && check.command !== undefined)
  return [
    `${paint(`Verdict on ${what}`, "bold", screen.color)}: ${paint(status, COLORS[status], screen.color)}${at}`,
    table(
      [{ title: "CHECK" }, { title: "STATUS" }, { title: "TIME", align: "right" }, { title: "WHAT", flexible: true }],
      checks.map((check) => [check.name, check.status, time(check), firstLine(check)]),
      screen,
    ),
    ...failed.flatMap((check) => ["", ...tailOf(check)]),
    ...(issues.length === 0 ? [] : ["", ...issues.map(oneLine)]),
  ].join("\n")
}

const COLORS = { passed: "green", failed: "red", skipped: "dim" } as const

function time({ durationMs }: Check): string {
  return durationMs === undefined ? "" : `${(durationMs / 1000).toFixed(1)} s`
}

function firstLine({ evidence = "" }: Check): string {
  return evidence.split("\n")[0] ?? ""
}

function tailOf({ command = "", evidence = "", firstFailure }: Check): string[] {
  const lines = manyLines(evidence).split("\n").slice(1)
  const first = firstFailure === undefined ? [] : [`  First: ${oneLine(describeFirst(firstFailure))}`]
  const shown = lines.slice(-MAX_LINES).map((line) => `  ${line}`)
  return [`${oneLine(command)}:`, ...first, ...(lines.length > shown.length ? ["  ..."] : []), ...shown]
}
