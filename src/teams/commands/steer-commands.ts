import { fromOperation } from "../../app/command.ts"
import { giveFeedback } from "../../knowledge/operations/give-feedback.ts"
import { improve as improveWork } from "../../quality/operations/improve.ts"
import { renderFeedback } from "../../quality/views/quality-view.ts"
import { reviseTask } from "../../tasks/operations/revise-task.ts"
import { taskLine } from "../../tasks/views/task-view.ts"

export const revise = fromOperation(reviseTask, {
  positional: ["id", "feedback"],
  example: 'teamwork revise 3 "The empty list must be refused"',
  text: ({ task, reopened, recheck, told }) =>
    [
      reopened.length === 0 ? `Task ${task.id} is ${task.status} and goes on` : `Reopened: ${reopened.join(", ")}`,
      ...(recheck.length === 0
        ? []
        : [`Checked again after that, and kept where they still hold: ${recheck.join(", ")}`]),
      ...(told.length === 0 ? [] : [`Sent to the workers of: ${told.join(", ")}`]),
    ].join("\n"),
})

export const feedback = fromOperation(giveFeedback, {
  positional: ["text"],
  example: 'teamwork feedback "Use the date format of the reports everywhere"',
  text: ({ feedback: said, told }, screen) =>
    [renderFeedback(said, screen), ...(told.length === 0 ? [] : [`Sent at once to: ${told.join(", ")}`])].join("\n"),
})

export const improve = fromOperation(improveWork, {
  positional: ["dimension"],
  text: ({ dimension, mean, tasks }) => {
    if (dimension === null) return "Nothing was scored by QA yet; turn it on with: teamwork project update --qa on"
    const made =
      tasks.length === 0 ? ["Nothing is left to do about it, or is being done already."] : tasks.map(taskLine)
    return [`Weakest: ${dimension}, ${mean} of 100`, ...made].join("\n")
  },
})
