import { firstLine, splitReason } from "../../lib/text/last-lines.ts"
import { oneLine, paint, type Screen } from "../../lib/text/table.ts"
import { type Escalation, nameEscalation, OPTIONS } from "../escalation.ts"

export function renderEscalations(escalations: readonly Escalation[], screen: Screen): string {
  if (escalations.length === 0) return "Nothing waits for a decision."
  return escalations.map((each) => renderEscalation(each, screen)).join("\n\n")
}

export function renderEscalation(escalation: Escalation, { color }: Screen): string {
  const { number, status, summary, context, options, raisedBy, raisedAt, decision, decidedBy, note, agent } = escalation
  const { what, lines } = splitReason(summary)
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`  ${title}:`, ...items.map((item) => `    - ${oneLine(firstLine(item))}`)]
  const size = Math.max(...options.map((option) => option.length))
  const ways = options.map((option) => `    teamwork decide ${number} ${option.padEnd(size)}  ${OPTIONS[option]}`)
  return [
    paint(`${nameEscalation(escalation)}  ${status}`, "bold", color),
    `  ${oneLine(what)}`,
    ...lines.map((line) => `      ${line}`),
    `  raised by ${raisedBy}, ${raisedAt}`,
    ...list("Progress", context.progress),
    ...list("Errors", context.errors),
    ...(status === "open" ? ["  Options:", ...ways] : []),
    ...(decision === null
      ? []
      : [
          `  Decided by ${decidedBy}: ${decision}${agent === null ? "" : ` to ${agent}`}${note === null ? "" : `, ${oneLine(note)}`}`,
        ]),
  ].join("\n")
}
