import { UNITED } from "../delivery/shared-files/shared-file.ts"
import { firstLine as textLine } from "../lib/text/last-lines.ts"
import { findingOf } from "../quality/finding-task.ts"
import { reasonForNothing } from "../tasks/nothing-to-do.ts"
import type { Task } from "../tasks/task.ts"
import type { TaskFact } from "./history-facts.ts"

export function describeTask(task: Task, fact: TaskFact | undefined, repairs: number): string[] {
  const { cascadeOf: of } = task.work
  const isReview = task.id.startsWith("review-") || (task.agentType ?? "").includes("review")
  const found = findingOf(task.id)
  const kinds = [...new Set(fact?.setbacks.map(({ kind }) => kind))]
  const from = [...new Set(fact?.takenFrom)].filter((worker) => worker !== fact?.worker)
  const isLeft = task.status === "failed" || task.status === "paused"
  const why = task.pauseReason ?? fact?.reason ?? null
  const nothing = task.status === "resolved" ? reasonForNothing(task.result) : null
  return [
    ...(of === null ? [] : [`cascade: ${isReview ? "review" : "test"} for #${of}`]),
    ...(fact?.fixOf == null ? [] : [`fix of #${fact.fixOf}`]),
    ...(found === null ? [] : [found.task === null ? "fix after review" : `fix of #${found.task} after review`]),
    ...(from.length === 0 ? [] : [`reassigned from ${from.join(", ")}`]),
    ...(repairs === 0 ? [] : [`sent back ${repairs === 1 ? "once" : `${repairs} times`} by its gate`]),
    ...(task.attempt > 1 ? [`attempt ${task.attempt}`] : []),
    ...(kinds.length === 0 ? [] : [`set back: ${kinds.join(", ")}`]),
    ...(isLeft && why !== null ? [`${task.status}: ${textLine(why)}`] : []),
    ...(fact?.heldAfter == null ? [] : [`still holds after #${fact.heldAfter} was revised`]),
    ...(nothing === null ? [] : [`nothing to do: ${nothing}`]),
    ...(fact?.aside == null ? [] : [sayAside(fact.aside)]),
    ...(fact === undefined || fact.united.length === 0 ? [] : [sayUnited(fact.united)]),
    ...(fact?.missing?.attempt === task.attempt ? [sayMissing(fact.missing)] : []),
  ]
}

const MOST_PATHS = 5

/** No person read it; only the gate judged it. */
function sayUnited(paths: readonly string[]): string {
  const more = paths.length > MOST_PATHS ? ` and ${paths.length - MOST_PATHS} more` : ""
  return `look at ${paths.slice(0, MOST_PATHS).join(", ")}${more}: ${UNITED}`
}

function sayAside({ ref, paths }: NonNullable<TaskFact["aside"]>): string {
  if (paths.length === 0) return `its commits were made one, the former ones are kept; see: git log ${ref}`
  const more = paths.length > MOST_PATHS ? ` and ${paths.length - MOST_PATHS} more` : ""
  return `NOT delivered, set aside: ${paths.slice(0, MOST_PATHS).join(", ")}${more}; see: git diff ${ref}^1 ${ref}`
}

function sayMissing({ commit, folder, machine }: NonNullable<TaskFact["missing"]>): string {
  return `NOT merged: commit ${commit.slice(0, 12)} is in ${folder} on ${machine}`
}
