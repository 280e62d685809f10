import type { Task } from "../../tasks/task.ts"

export interface TurnFacts {
  readonly task: Task
  readonly worker: string
  readonly integration: string
  /** 1 does the task, later ones repair it. */
  readonly turn: number
  /** Of a task that mends a merge: what it mends, and the commit to bring in. */
  readonly fix?: FixFacts
}

export interface FixFacts {
  readonly of: string
  readonly head: string
}

/** What a command may know of the task it is run for. */
export function taskVariables({ task, worker, integration, turn, fix }: TurnFacts): Record<string, string> {
  return {
    TEAMWORK_TASK: task.id,
    TEAMWORK_ATTEMPT: String(task.attempt),
    TEAMWORK_TURN: String(turn),
    TEAMWORK_WORKER: worker,
    TEAMWORK_INTEGRATION: integration,
    ...(fix === undefined ? {} : { TEAMWORK_FIX_OF: fix.of, TEAMWORK_FIX_HEAD: fix.head }),
  }
}

/** Runs the commands of a task, and reads no text. */
export const SCRIPT = "script"

/** Whether the task is done by its own commands. They are a recipe, and nobody else could follow it. */
export function isScripted({ work }: Task): boolean {
  return work.agent === SCRIPT || (work.agent === null && work.commands.length > 0)
}

/** What the script agent runs: to mend something it has other commands, where somebody thought of that. */
export function commandsOf({ task: { work }, turn, fix }: Pick<TurnFacts, "task" | "turn" | "fix">): readonly string[] {
  const mends = turn > 1 || fix !== undefined
  return mends && work.repair.length > 0 ? work.repair : work.commands
}
