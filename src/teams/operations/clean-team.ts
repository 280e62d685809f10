import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { flag } from "../../lib/fields.ts"
import { withdrawEscalations } from "../../requests/operations/escalation-holds.ts"
import { operation, teamFields } from "../../store/operation.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { changePhase, releaseTask, startAttempt } from "../../tasks/operations/task-moves.ts"
import { hasEnded, isHeld } from "../../tasks/task.ts"

/** Back to the plan: what was planned and the history stay, what was done so far counts no more. `--purge` forgets it all. */
export const cleanTeam = operation({
  name: "project.clean",
  summary: "Reset all tasks to open and keep the plan, or with purge forget the project",
  input: {
    ...teamFields,
    purge: flag("forget the project with all its runs, tasks, messages and history"),
    force: flag("also when tasks are being worked on"),
  },
  async run({ store }, input): Promise<TeamName & { purged: boolean; tasksReset: number }> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const tasks = await tx.tasks.lockAll(team.key)
      const held = tasks.filter((task) => isHeld(task.status))
      if (held.length > 0 && input.force !== true) {
        const holders = held
          .slice(0, 5)
          .map((task) => `${task.id} by ${task.claimedBy}`)
          .join(", ")
        throw new AppError(
          "team.busy",
          (say) =>
            `${held.length} task${held.length === 1 ? " is" : "s are"} being worked on (${holders}); release them, or use ${say.field("force")}`,
        )
      }
      if (input.purge === true) {
        for (const { key } of await tx.teams.runs(input)) await tx.teams.remove(key)
        return { project: team.project, team: team.team, purged: true, tasksReset: 0 }
      }
      await changePhase(tx, team, { to: "PLANNING", by: PERSON })
      const planned = { ...team, phase: "PLANNING" } as const
      const why = { by: PERSON, reason: "project cleaned" }
      await withdrawEscalations(tx, team, { by: PERSON })
      let tasksReset = 0
      for (const task of tasks.filter((each) => each.status !== "open")) {
        const free = hasEnded(task.status) ? task : await releaseTask(tx, planned, { task, ...why })
        // A task that is given back keeps its attempt, for the next owner to go on. Here nothing is to go on.
        await startAttempt(tx, planned, { task: free, ...why })
        tasksReset++
      }
      await tx.waves.dropAfter(team.key, 0)
      await tx.tasks.setWaves(
        team.key,
        tasks.map((task) => ({ id: task.id, wave: 0, height: 0 })),
      )
      await tx.workers.removeAll(team.key)
      await tx.teams.update(team.key, { status: "active", pauseReason: null })
      await tx.events.append(team.key, PERSON, { type: "team.cleaned", data: { tasks: tasksReset } })
      return { project: team.project, team: team.team, purged: false, tasksReset }
    })
  },
})
