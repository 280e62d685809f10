import type { EventData, EventType } from "../../kernel/events.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import type { Role } from "../../tasks/task.ts"

/** Before its start. Without an id it gets the next free one, for good. */
export async function spawnWorker(
  { store }: Context,
  { id, role, ...name }: TeamName & { readonly id: WorkerId | null; readonly role: Role | null },
): Promise<WorkerId> {
  return store.write(async (tx) => {
    const { key } = await lockTeam(tx, name)
    const worker = id ?? (await tx.workers.takeId(key))
    await tx.workers.put(key, worker, { role, ...(await unlessQuarantined(tx, key, worker, "spawning")) })
    return worker
  })
}

/** A new process is no pardon: a quarantined worker takes no task before a person resumes it. */
async function unlessQuarantined(tx: Tx, key: number, worker: WorkerId, availability: "spawning" | "idle") {
  return (await tx.workers.find(key, worker))?.status === "quarantined" ? {} : { availability }
}

type Noted<Type extends EventType> = TeamName & EventData<Type> & { readonly by: string }

/** Lets others find the process before the worker reports itself. */
export async function noteWorkerSpawned(
  { store }: Context,
  { project, team, run, by, pane, ...data }: Noted<"worker.spawned"> & { readonly pane: string | null },
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    await tx.workers.put(key, data.worker, { pane })
    await tx.events.append(key, by, { type: "worker.spawned", data })
  })
}

export async function noteWorkerStarted(
  { store }: Context,
  { project, team, run, ...data }: TeamName & EventData<"worker.started">,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    const availability = await unlessQuarantined(tx, key, data.worker, "idle")
    await tx.workers.put(key, data.worker, { role: data.role, ...availability })
    await tx.events.append(key, data.worker, { type: "worker.started", data })
  })
}

/** Only once, from the worker itself or from an observer. */
export async function noteWorkerExited(
  { store }: Context,
  { project, team, run, by, ...data }: Noted<"worker.exited">,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    const status = (await tx.workers.find(key, data.worker))?.status
    if (status === "stopped" || status === "dead") return
    const isStopped = data.reason === "done" || data.reason === "stopped"
    const availability = status === "quarantined" ? status : isStopped ? "stopped" : "dead"
    await tx.workers.put(key, data.worker, { availability })
    await tx.events.append(key, by, { type: "worker.exited", data })
  })
}

/** Until a person resumes it. */
export async function quarantineWorker(
  { store }: Context,
  { project, team, run, by, ...data }: Noted<"worker.quarantined">,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    await tx.workers.put(key, data.worker, { availability: "quarantined" })
    await tx.events.append(key, by, { type: "worker.quarantined", data })
  })
}

export async function noteStatusCheck(
  { store }: Context,
  { project, team, run, by, ...data }: Noted<"worker.status_checked">,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    await tx.events.append(key, by, { type: "worker.status_checked", data })
  })
}

export async function forgetPane(
  { store }: Context,
  { worker, ...name }: TeamName & { readonly worker: WorkerId },
): Promise<void> {
  await store.write(async (tx) => tx.workers.put((await getTeam(tx, name)).key, worker, { pane: null }))
}
