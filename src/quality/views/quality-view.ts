import type { Feedback } from "../../knowledge/feedback.ts"
import { manyLines, oneLine, type Screen, table } from "../../lib/text/table.ts"
import { shortTime } from "../../reporting/views/status-view.ts"
import type { Task } from "../../tasks/task.ts"
import { nameQuality, type Quality } from "../quality.ts"

export function renderQualities(rounds: readonly Quality[], screen: Screen): string {
  if (rounds.length === 0) return "Nothing was handed in to QA yet."
  return table(
    [
      { title: "#", align: "right" },
      { title: "TASK" },
      { title: "STATUS" },
      { title: "TOTAL", align: "right" },
      { title: "RESULT" },
      { title: "BY" },
      { title: "SCORES", flexible: true },
    ],
    rounds.map(({ number, taskId, status, total, result, judgedBy, scores }) => [
      String(number),
      taskId ?? "-",
      status,
      total === null ? "-" : String(total),
      result ?? "-",
      judgedBy ?? "-",
      scores.map(({ name, score }) => `${name} ${score}`).join(", "),
    ]),
    screen,
  )
}

export function describeQa(
  { task, quality }: { readonly task: Task; readonly quality: Quality },
  verdict: { readonly issues: readonly string[] } | null = null,
): string {
  const { total, result, status } = quality
  const score = total === null ? "" : `, ${total} of 100 (${result})`
  const paused = task.status === "paused" ? `; task ${task.id} is paused` : ""
  const issues = (verdict?.issues ?? []).map((issue) => `- ${manyLines(issue)}`)
  return [`${nameQuality(quality)} is ${status}${score}; QA of the task is ${task.qa}${paused}`, ...issues].join("\n")
}

export function renderFeedback(feedback: readonly Feedback[], screen: Screen): string {
  if (feedback.length === 0) return "Nothing was said yet. Say something with: teamwork feedback TEXT"
  return table(
    [{ title: "#", align: "right" }, { title: "WHEN" }, { title: "TASK" }, { title: "WHAT", flexible: true }],
    feedback.map(({ number, createdAt, taskId, text }) => [
      String(number),
      shortTime(createdAt),
      taskId ?? "all",
      oneLine(text),
    ]),
    screen,
  )
}
