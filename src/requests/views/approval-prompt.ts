import { manyLines, oneLine } from "../../lib/text/table.ts"
import type { Task } from "../../tasks/task.ts"
import type { Approval } from "../approval.ts"

const MAX_QUESTION = 12_000

export function approvalPrompt({
  goal,
  task,
  approval,
}: {
  readonly goal: string
  readonly task: Task | null
  readonly approval: Approval
}): string {
  const about =
    task === null
      ? []
      : [
          `The task: ${task.id} ${oneLine(task.title)}`,
          manyLines(task.description),
          ...task.acceptance.map((line) => `- must be true at the end: ${oneLine(line)}`),
          ...(task.files.length === 0 ? [] : [`Files it may write: ${task.files.map(oneLine).join(", ")}`]),
        ]
  return [
    "You lead a team that works on this repository. Decide whether the plan below may be carried out. Change no files.",
    `The goal of the team: ${manyLines(goal)}`,
    ...about,
    `Asked by ${oneLine(approval.askedBy)}. The plan:`,
    manyLines(approval.question.slice(0, MAX_QUESTION)),
    "Approve it when it does what the task asks, within its files, and says how success will be checked. Reject it, and say what to do instead, when it misses the point, leaves something out, or does more than was asked.",
  ].join("\n\n")
}
