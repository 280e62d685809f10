import { oneLine, type Screen, table } from "../../lib/text/table.ts"
import { shortTime } from "../../reporting/views/status-view.ts"
import type { Exception } from "../exception.ts"
import type { PathJudgement } from "../judge-path.ts"
import type { Overlap } from "../overlaps.ts"
import type { JudgedChange } from "../scope.ts"

export function exceptionLine({ number, taskId, pattern, status }: Exception): string {
  return `Exception ${number} of task ${taskId}: ${oneLine(pattern)} ${status}`
}

export function renderExceptions(exceptions: readonly Exception[], screen: Screen): string {
  if (exceptions.length === 0) return "No exceptions."
  return table(
    [
      { title: "TASK" },
      { title: "NO", align: "right" },
      { title: "STATUS" },
      { title: "FILES", flexible: true },
      { title: "BY", flexible: true },
      { title: "WHEN" },
      { title: "REASON", flexible: true },
    ],
    exceptions.map((each) => [
      each.taskId,
      String(each.number),
      each.status,
      each.pattern,
      each.askedBy,
      shortTime(each.askedAt),
      each.decision === null ? each.reason : `${each.reason}; ${each.status}: ${each.decision}`,
    ]),
    screen,
  )
}

export function renderJudgements(paths: readonly PathJudgement[]): string {
  return paths.map(({ allowed, message }) => `${allowed ? "yes" : "NO "} ${oneLine(message)}`).join("\n")
}

export function renderOverlaps(overlaps: readonly Overlap[]): string {
  if (overlaps.length === 0) return "No two tasks that could run at the same time own the same files."
  return overlaps
    .map(
      ({ task, pattern, other, otherPattern, path }) =>
        `Tasks ${task} (${pattern}) and ${other} (${otherPattern}) could write ${oneLine(path)} at the same time`,
    )
    .join("\n")
}

export function renderAside(
  head: string,
  kept: readonly JudgedChange[],
  aside: { readonly ref: string; readonly changes: readonly JudgedChange[] } | null,
): string {
  const files = `${kept.length} ${kept.length === 1 ? "file" : "files"} in scope`
  const lines = [`${files}, at ${head.slice(0, 12)}`]
  if (aside === null) return [...lines, "Nothing was set aside"].join("\n")
  lines.push(`Set aside as ${aside.ref}:`)
  lines.push(...aside.changes.map(({ change, message }) => `  ${change.padEnd(8)} ${oneLine(message)}`))
  return lines.join("\n")
}
