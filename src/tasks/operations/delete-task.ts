import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { flag } from "../../lib/schema.ts"
import { assertStillApart } from "../../ownership/operations/plan-files.ts"
import { withdrawEscalations } from "../../requests/operations/escalation-holds.ts"
import { operation, type Settings, taskIdField, teamFields } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { canMove } from "../task.ts"
import { getTask, lockTask, lockTeam } from "./lookup.ts"
import { replanWaves } from "./plan-waves.ts"

/** Only while planning: later a task is skipped instead, to keep its history. */
export const deleteTask = operation({
  name: "task.delete",
  summary: "Delete a task, while planning or by force",
  input: {
    ...teamFields,
    id: taskIdField,
    force: flag("delete after planning too, also when others need it or hold it"),
  },
  async run({ store, settings }, input): Promise<{ id: TaskId; freed: TaskId[] }> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const task = await lockTask(tx, team.key, input.id)
      const dependants = await tx.tasks.dependants(team.key, task.id)
      if (input.force !== true) {
        const { id, status } = task
        const force = { operation: "task delete", fields: { id, force: true }, to: "delete it anyway with" } as const
        const skip = { operation: "task update", fields: { id, status: "skipped" }, to: "skip it with" } as const
        const remedy = canMove(status, "skipped") ? [skip, force] : force
        const refuse = (why: string) => {
          throw new AppError("task.delete_refused", `task ${id} cannot be deleted: ${why}`, { taskId: id }, { remedy })
        }
        if (team.phase !== "PLANNING") refuse(`the project is in phase ${team.phase}`)
        if (dependants.length > 0) refuse(`${dependants.join(", ")} need${dependants.length === 1 ? "s" : ""} it`)
        if (task.status !== "open") refuse(`it is ${task.status}`)
      }
      if (dependants.length > 0) await assertApartWithout(tx, team, settings, task.id)
      for (const dependant of dependants) {
        const other = await getTask(tx, team.key, dependant)
        await tx.tasks.setNeeds(
          team.key,
          dependant,
          other.blockedBy.filter((need) => need !== task.id),
        )
        await tx.events.append(team.key, PERSON, {
          type: "task.needs_changed",
          data: { task: dependant, added: [], removed: [task.id] },
        })
      }
      await withdrawEscalations(tx, team, { taskId: task.id, by: PERSON })
      await tx.tasks.remove(team.key, task.id)
      if (task.wave !== null) await replanWaves(tx, team, PERSON)
      await tx.events.append(team.key, PERSON, {
        type: "task.deleted",
        data: { task: task.id, forced: input.force === true },
      })
      return { id: task.id, freed: dependants }
    })
  },
})

/** Tasks that waited for each other through the deleted one must not write the same files at once. */
async function assertApartWithout(tx: Tx, team: StoredTeam, settings: Settings, id: TaskId): Promise<void> {
  const before = await tx.tasks.graph(team.key)
  const after = before
    .filter((node) => node.id !== id)
    .map((node) => ({ ...node, blockedBy: node.blockedBy.filter((need) => need !== id) }))
  await assertStillApart(tx, team, settings, { before, after })
}
