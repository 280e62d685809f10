import type { Event } from "../kernel/events.ts"
import { GIVEN_UP } from "../tasks/committed-work.ts"
import type { TaskFact } from "./history-facts.ts"

/** Tracks which worker is at each task, and the commit that it recorded. */
export function applyToTasksAtWork(tasks: ReadonlyMap<string, TaskFact>, { type, data }: Event): void {
  // A worker's work is pinned before its exit is recorded.
  if (type === "worker.started" || type === "worker.exited") {
    for (const task of tasks.values()) if (task.atWork?.worker === data.worker) task.atWork = null
    return
  }
  const task = "task" in data && typeof data.task === "string" ? tasks.get(data.task) : undefined
  if (task === undefined) return
  switch (type) {
    case "task.step": {
      const { step, worker, attempt } = data
      if (isLate(task, worker)) break
      if (step === GIVEN_UP) task.step = null
      if (step !== GIVEN_UP && step !== "deliver") task.atWork = { worker, attempt }
      else if (task.atWork?.worker === worker) task.atWork = null
      break
    }
    case "task.committed":
      task.committed = { attempt: data.attempt, token: data.token, commit: data.commit }
      break
    case "task.claimed":
    case "task.setback":
    case "task.released":
    case "task.reopened":
      task.atWork = null
      break
    default:
  }
}

/** A step of a worker that lost the task to another and has not noticed. Waiting for it to deliver would never end. */
export function isLate({ worker: holder }: TaskFact, worker: string): boolean {
  return holder !== null && holder !== worker
}
