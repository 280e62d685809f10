import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { flag } from "../../lib/schema.ts"
import { askAtStart } from "../../requests/operations/checkpoints.ts"
import { withdrawEscalations } from "../../requests/operations/escalation-holds.ts"
import { operation, teamFields } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { releaseTask } from "../../tasks/operations/task-moves.ts"
import { isHeld, type Task } from "../../tasks/task.ts"
import { startRun } from "./start-run.ts"

export interface Cleaned extends TeamName {
  readonly purged: boolean
  /** Null when all runs were deleted. */
  readonly closed: number | null
  /** Of the closed run, or deleted ones of the current run. */
  readonly tasks: number
}

/** Starts an empty run with the same goal and settings; this one stays readable. `--purge` deletes all runs. */
export const cleanTeam = operation({
  name: "project.clean",
  summary: "Close the current run, which stays readable, and begin an empty one; or with purge forget the project",
  input: {
    ...teamFields,
    purge: flag("forget the project with all its runs, tasks, messages and history"),
    force: flag("also when tasks are being worked on"),
  },
  async run({ store }, input): Promise<Cleaned> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const name = { project: team.project, team: team.team }
      const tasks = await tx.tasks.lockAll(team.key)
      const held = tasks.filter((task) => isHeld(task.status))
      if (held.length > 0 && input.force !== true) throw busy(held)
      if (input.purge === true) {
        for (const { key } of await tx.teams.runs(input)) await tx.teams.remove(key)
        return { ...name, purged: true, closed: null, tasks: tasks.length }
      }
      const next = await startEmptyRun(tx, team, held)
      await tx.events.append(next.key, PERSON, { type: "team.cleaned", data: { tasks: tasks.length } })
      if (next.mode === "SUPERVISED") await askAtStart(tx, name, PERSON)
      return { ...name, run: next.run, purged: false, closed: team.run, tasks: tasks.length }
    })
  },
})

/** A closed run has no claimed task and no open question. */
async function startEmptyRun(tx: Tx, team: StoredTeam, held: readonly Task[]): Promise<StoredTeam> {
  for (const task of held) await releaseTask(tx, team, { task, by: PERSON, reason: "project cleaned" })
  await withdrawEscalations(tx, team, { by: PERSON })
  const { goal, mode, schedule, protocol, hasQa } = team
  return startRun(tx, team, { goal, mode, schedule, protocol, hasQa })
}

function busy(held: readonly Task[]): AppError {
  const holders = held.slice(0, 5).map((task) => `${task.id} by ${task.claimedBy}`)
  const count = held.length === 1 ? "1 task is" : `${held.length} tasks are`
  return new AppError(
    "team.busy",
    (say) => `${count} being worked on (${holders.join(", ")}); release them, or use ${say.field("force")}`,
  )
}
