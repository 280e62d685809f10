import { isMet, type Task } from "../../tasks/task.ts"
import { LEFT_OUT, type LeftOut } from "../left-out.ts"
import { checkThat, count, type Findings } from "./findings.ts"

// The final gate of a partial delivery, without unfinished tasks.

/** `tasks`: finished and in the judged commit. */
export interface Part<T> {
  readonly tasks: readonly T[]
  readonly leftOut: readonly LeftOut[]
}

type Parted = Pick<Task, "id" | "status" | "blockedBy">

/** `isMissing`: done, but not in the judged commit. */
export function partOf<T extends Parted>(
  all: readonly T[],
  { isMissing, reasonOf }: { isMissing: (task: T) => boolean; reasonOf: (task: T) => string | null },
): Part<T> {
  const isIn = (task: T) => isMet(task.status) && !isMissing(task)
  const out = new Set<string>(all.filter((task) => !isIn(task)).map(({ id }) => id))
  const why = (task: T) => {
    if (isMet(task.status)) return "its work is not merged"
    const reason = reasonOf(task)
    const needs = task.blockedBy.filter((id) => out.has(id))
    const waits = task.status === "open" && needs.length > 0 ? `, needs ${needs.join(", ")}` : ""
    return `${task.status}${waits}${reason === null ? "" : `: ${reason.split("\n", 1)[0]}`}`
  }
  return {
    tasks: all.filter(isIn),
    leftOut: all.filter((task) => !isIn(task)).map((task) => ({ task: task.id, why: why(task) })),
  }
}

export function checkLeftOut(leftOut: readonly LeftOut[]): Findings {
  return checkThat(LEFT_OUT, { errors: [], evidence: leftOut.map(({ task, why }) => `${task}: ${why}`).join("\n") })
}

/** Something must be left to deliver. */
export function checkPart(tasks: readonly Parted[]): Findings {
  const done = tasks.filter(({ status }) => status === "resolved")
  const errors = done.length === 0 ? ["no task is finished and merged"] : []
  return checkThat("tasks_finished", { errors, evidence: count(done.length, "task") })
}
