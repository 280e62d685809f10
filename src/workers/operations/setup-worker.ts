import * as v from "valibot"
import { AppError } from "../../kernel/errors.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import { number } from "../../lib/schema.ts"
import { problemWithWorkerName } from "../../messages/message.ts"
import { idField, operation, roleField, teamFields, workerIdField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { freshStart } from "../../tasks/operations/fresh-start.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import type { Role, Task } from "../../tasks/task.ts"
import type { Worker } from "../worker.ts"

export interface WorkerSetup {
  readonly project: string
  readonly team: string
  readonly worker: Worker
  /** Their claims were too old. */
  readonly released: string[]
}

/** Under the next free id by default. Also releases abandoned tasks. */
export const setupWorker = operation({
  name: "worker.setup",
  summary: "Register a worker and show what it could take",
  input: {
    ...teamFields,
    role: v.optional(roleField),
    workerId: v.optional(workerIdField),
    sessionId: v.optional(idField("the session the worker runs in")),
    freshStartInterval: v.optional(number("give back claims older than this many seconds; 0 for none", { min: 0 })),
  },
  async run({ store, settings }, input): Promise<WorkerSetup> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const worker = await registerWorker(tx, team, input)
      const released = await freshStart(tx, team, input.freshStartInterval ?? settings.freshStartIntervalSeconds)
      return { project: team.project, team: team.team, worker, released: released.map((task: Task) => task.id) }
    })
  },
})

export interface Registration {
  readonly workerId?: WorkerId
  readonly role?: Role
  readonly sessionId?: string
}

/** A worker keeps the role of its first registration. */
export async function registerWorker(tx: Tx, team: StoredTeam, asked: Registration): Promise<Worker> {
  const problem = asked.workerId && problemWithWorkerName(asked.workerId)
  if (problem) throw new AppError("input.invalid", (say) => `${problem}; use another ${say.field("workerId")}`)
  const id = asked.workerId ?? (await tx.workers.takeId(team.key))
  const known = await tx.workers.find(team.key, id)
  if (known?.role && asked.role !== undefined && known.role !== asked.role) {
    throw new AppError(
      "role.locked",
      (say) =>
        `${id} works as ${known.role} in this project and cannot become ${asked.role}; use another ${say.field("workerId")}`,
    )
  }
  const isAway = known === undefined || ["spawning", "dead", "stopped"].includes(known.status)
  const worker = await tx.workers.put(team.key, id, {
    role: asked.role,
    sessionId: asked.sessionId,
    ...(isAway ? { availability: "idle" } : {}),
  })
  if (known?.role !== worker.role || known?.status !== worker.status) {
    await tx.events.append(team.key, id, { type: "worker.set_up", data: { worker: id, role: worker.role } })
  }
  return worker
}
