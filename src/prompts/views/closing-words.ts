import { TRIGGERS } from "../../requests/escalation.ts"
import type { Task } from "../../tasks/task.ts"

interface Closing {
  /** A role that judges reports problems as records. */
  readonly hasFindings: boolean
  /** A role that was made for the goal may lack what another one could be made for. */
  readonly hasGap: boolean
}

/** How an answer ends; `src/tasks/closing-block.ts` reads it. Each prompt says it once. */
export function closingWords({ id }: Pick<Task, "id">, { hasFindings, hasGap }: Closing): string {
  const lines = [
    `\`FAILED task #${id}: <reason>\` if the task is not done, or only in part.`,
    `\`ESCALATE TRIGGER: <what a person must decide, what you tried>\`; TRIGGER is one of ${TRIGGERS.join(", ")}. Your work is kept until then.`,
    "`NOTHING TO DO: <reason, and how you made sure>` if all it asks for is there already; change nothing then.",
    "`LEARNED: ...`, `DECIDED: ...` or `ISSUE: ...` for what other tasks should know.",
    ...(hasFindings
      ? ["`FINDING critical|major|minor FILE:LINE: <what is wrong>` for each problem; - for no file."]
      : []),
    ...(hasGap
      ? [
          `\`CAPABILITY GAP task #${id}: <what is missing>\` if it needs a skill that is not yours; a role is made for it.`,
        ]
      : []),
  ]
  return `- End with what you changed, what you ran with what outcome, and what is left. Then add what applies, each on a line of its own:\n${lines.map((line) => `  - ${line}`).join("\n")}`
}
