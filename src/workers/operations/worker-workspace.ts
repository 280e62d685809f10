import { choice, list, text } from "../../lib/schema.ts"
import { idField, operation, teamFields, workerIdField } from "../../store/operation.ts"
import { getTask, getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import type { Worker } from "../worker.ts"

const workerFields = { ...teamFields, workerId: workerIdField }

/** The attempt that a worker works on; null when it holds no task. */
export const workerAttempt = operation({
  name: "worker.attempt",
  summary: "Show which attempt at which task a worker works on",
  input: workerFields,
  run: ({ store }, input): Promise<{ task: string; attempt: number } | null> =>
    store.read(async (tx) => {
      const team = await getTeam(tx, input)
      const current = (await tx.workers.find(team.key, input.workerId))?.currentTask ?? null
      return current === null ? null : { task: current, attempt: (await getTask(tx, team.key, current)).attempt }
    }),
})

/** Also registers a worker that is not known yet. */
export const recordWorkspace = operation({
  name: "workspace.record",
  summary: "Record the worktree of a worker",
  input: {
    ...workerFields,
    path: text("folder of the worktree"),
    branch: text("its branch"),
    base: idField("the commit it starts from"),
  },
  run: ({ store }, { workerId, path, branch, base, ...name }): Promise<Worker> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const known = await tx.workers.find(team.key, workerId)
      const worker = await tx.workers.put(team.key, workerId, { workspace: { worktree: path, branch } })
      if (known?.worktree !== path || known.branch !== branch) {
        const data = { worker: workerId, path, branch, base }
        await tx.events.append(team.key, workerId, { type: "workspace.created", data })
      }
      return worker
    }),
})

/** Records nothing when there was no worktree. */
export const forgetWorkspace = operation({
  name: "workspace.forget",
  summary: "Record that the worktree of a worker is gone",
  input: { ...workerFields, path: text("folder of the worktree"), pins: list(text("ref"), "where its work is kept") },
  run: ({ store }, { workerId, path, pins, ...name }): Promise<void> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const known = await tx.workers.find(team.key, workerId)
      if (known === undefined || (known.worktree === null && pins.length === 0)) return
      await tx.workers.put(team.key, workerId, { workspace: null })
      const data = { worker: workerId, path, pins: [...pins] }
      await tx.events.append(team.key, workerId, { type: "workspace.removed", data })
    }),
})

export const recordSync = operation({
  name: "workspace.record_sync",
  summary: "Record that the worktree of a worker was brought up to date",
  input: {
    ...workerFields,
    result: choice(["up-to-date", "fast-forward", "merged"], "what was done"),
    onto: text("what it was brought up to"),
    head: idField("the commit it is at"),
  },
  run: ({ store }, { workerId, result, onto, head, ...name }): Promise<void> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      if (result === "up-to-date") return
      const data = { worker: workerId, result, onto, head }
      await tx.events.append(team.key, workerId, { type: "workspace.synced", data })
    }),
})
