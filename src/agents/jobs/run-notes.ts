import { AppError } from "../../kernel/errors.ts"
import type { EventData } from "../../kernel/events.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { noteRunEnded, noteRunStarted } from "../../tasks/operations/note-run.ts"

/** Records runs outside of tasks, such as planning and reviewing, in the team's events. */
export interface RunNotes {
  started(run: EventData<"run.started">): Promise<void>
  ended(run: EventData<"run.ended">): Promise<void>
  /** Records the runs that waited for the team to exist. */
  flush(): Promise<void>
}

export interface NotedTeam extends TeamName {
  /** Wait for `flush`: the runs belong to a run of the team that has not begun. */
  readonly isHeld?: boolean
  hasStore(): Promise<boolean>
  openContext(): Promise<Context>
}

export function makeRunNotes({ project, team, isHeld, hasStore, openContext }: NotedTeam): RunNotes {
  let kept: ((context: Context) => Promise<void>)[] = []
  const flush = async () => {
    if (kept.length === 0 || !(await hasStore())) return
    const context = await openContext()
    for (const note of [...kept]) {
      try {
        await note(context)
      } catch (error) {
        if (error instanceof AppError && error.code === "team.not_found") return
        throw error
      }
      kept = kept.filter((each) => each !== note)
    }
  }
  const name = { project, team }
  return {
    flush,
    async started(run) {
      kept.push((context) => noteRunStarted(context, { ...name, ...run }))
      if (isHeld !== true) await flush()
    },
    async ended(run) {
      kept.push((context) => noteRunEnded(context, { ...name, ...run }))
      if (isHeld !== true) await flush()
    },
  }
}
