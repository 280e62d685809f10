import { oneLine, paint, type Screen, table } from "../../lib/text/table.ts"
import { countFindings, type Finding, placeOf } from "../finding.ts"

export function renderFindings(findings: readonly Finding[], screen: Screen): string {
  if (findings.length === 0) return "No findings."
  const open = findings.filter(({ status }) => status === "open")
  const rows = findings.map((finding) => [
    String(finding.number),
    finding.severity,
    finding.status,
    finding.taskId ?? "-",
    placeOf(finding) ?? "-",
    oneLine(finding.text),
  ])
  const columns = ["NO", "SEVERITY", "STATUS", "TASK", "PLACE", "FINDING"].map((title) => ({ title }))
  return `${table(columns, rows, screen)}\nOpen: ${countFindings(open)}`
}

export function renderFinding(finding: Finding, { color }: Screen): string {
  const { number, severity, status, taskId, source, reportedIn, commit, by, agent, text } = finding
  const place = placeOf(finding)
  return [
    paint(`finding ${number}  ${severity}, ${status}`, "bold", color),
    ...text.split("\n").map((line) => `  ${line}`),
    `  Place: ${place ?? "-"}${taskId === null ? "" : `, task ${taskId}`}${commit === null ? "" : `, at ${commit.slice(0, 12)}`}`,
    `  Found by ${by}${agent === null || agent === by ? "" : ` (${agent})`}, ${finding.createdAt}, ${reportedIn === null ? source : `task ${reportedIn}`}`,
    ...(finding.fixTask === null ? [] : [`  Fix: task ${finding.fixTask}`]),
    ...(finding.fixedIn === null ? [] : [`  Fixed in ${finding.fixedIn.slice(0, 12)}, says ${finding.fixedBy}`]),
    ...(finding.waivedBy === null ? [] : [`  Waived by ${finding.waivedBy}: ${oneLine(finding.reason ?? "")}`]),
    ...(status === "open" && severity !== "minor"
      ? [`  Accept it with: teamwork findings waive ${number} --reason "WHY"`]
      : []),
  ].join("\n")
}

export function findingLine({ number, severity, status }: Finding): string {
  return `Finding ${number} (${severity}) is ${status}`
}
