import { AppError } from "../domain/errors.ts"
import type { Task } from "../domain/task.ts"
import type { Worker } from "../domain/worker.ts"
import { number, optional } from "../lib/fields.ts"
import { freshStart } from "./fresh-start.ts"
import { lockTeam } from "./lookup.ts"
import { idField, operation, roleField, teamFields, workerIdField } from "./operation.ts"

export interface WorkerSetup {
  readonly project: string
  readonly team: string
  readonly worker: Worker
  /** Tasks that were given back because their claim was too old. */
  readonly released: string[]
}

/** Registers a worker, under the next free number when it names none, and gives back what was abandoned. */
export const setupWorker = operation({
  name: "worker.setup",
  summary: "Register a worker and show what it could take",
  input: {
    ...teamFields,
    role: optional(roleField),
    workerId: optional(workerIdField),
    sessionId: optional(idField("the session the worker runs in")),
    freshStartInterval: optional(number("give back claims older than this many seconds; 0 for none", { min: 0 })),
  },
  async run({ store, settings }, input): Promise<WorkerSetup> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const id = input.workerId ?? (await tx.workers.takeId(team.key))
      const known = await tx.workers.find(team.key, id)
      if (known?.role && input.role !== undefined && known.role !== input.role) {
        throw new AppError(
          "role.locked",
          `${id} works as ${known.role} in this project and cannot become ${input.role}; use another --worker-id`,
        )
      }
      const availability =
        known === undefined || ["spawning", "dead"].includes(known.status) || known.status === "stopped"
          ? { availability: "idle" as const }
          : {}
      const worker = await tx.workers.put(team.key, id, {
        role: input.role,
        sessionId: input.sessionId,
        ...availability,
      })
      if (known?.role !== worker.role || known?.status !== worker.status) {
        await tx.events.append(team.key, id, { type: "worker.set_up", data: { worker: id, role: worker.role } })
      }
      const released = await freshStart(tx, team, input.freshStartInterval ?? settings.freshStartIntervalSeconds)
      return { project: team.project, team: team.team, worker, released: released.map((task: Task) => task.id) }
    })
  },
})
