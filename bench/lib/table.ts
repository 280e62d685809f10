import { type Finding, isMissed } from "./bench-case.ts"
import { show } from "./measure.ts"

export function renderFindings(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => [
    finding.what,
    withUnit(finding.value, finding.unit),
    limitOf(finding),
    finding.limit === undefined ? "" : isMissed(finding) ? "MISSED" : "ok",
    finding.figures ?? "",
  ])
  const all = [["name", "measured", "limit", "", "figures"], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

function limitOf({ limit, unit }: Finding): string {
  if (limit === undefined) return ""
  return "atMost" in limit ? `at most ${withUnit(limit.atMost, unit)}` : `at least ${withUnit(limit.atLeast, unit)}`
}

function withUnit(value: number, unit: Finding["unit"]): string {
  return unit === "x" || unit === "/s" ? `${show(value)}${unit}` : `${show(value)} ${unit}`
}
