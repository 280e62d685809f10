import type { RunFact } from "../../reporting/history-facts.ts"
import { isOfTheTask, isUsedUp, type PastRun, repeatsItself, type Spent } from "../../tasks/retry.ts"
import type { Task } from "../../tasks/task.ts"
import type { Shift } from "./shift.ts"

/** Turns in which an agent only answers; they prepare the task and are not counted against it. */
export const PLANNING_TURN = 0

/** What this attempt of the task has cost so far, whoever worked on it: told by the events, so a restart forgets nothing. */
export async function spentOn({ history }: Shift, task: Task): Promise<Spent> {
  const runs = (await listRuns({ history }, task)).filter(({ turn }) => turn !== PLANNING_TURN).map(toPast)
  const last = runs.at(-1)
  return {
    runs: runs.filter(isOfTheTask).length,
    isLastCounted: last !== undefined && isOfTheTask(last),
    isRepeating: repeatsItself(runs),
  }
}

/** Whether a task that did not pass may cost another run. */
export async function mayRunAgain(shift: Shift, task: Task): Promise<boolean> {
  return !isUsedUp((await spentOn(shift, task)).runs, shift.options.settings.retry)
}

/** All of this attempt, planning included. */
export async function listRuns({ history }: Pick<Shift, "history">, { id, attempt }: Task): Promise<RunFact[]> {
  const { runs } = await history.read()
  return [...runs.values()].filter((run) => run.task === id && run.attempt === attempt)
}

function toPast({ agent, reason, error, startedAt, endedAt, tokens }: RunFact): PastRun {
  return { agent, reason, error, durationMs: endedAt === null ? 0 : endedAt - startedAt, tokens }
}
