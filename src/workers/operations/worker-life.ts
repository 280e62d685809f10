import type { EventData } from "../../kernel/events.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import type { Role } from "../../tasks/task.ts"

/** A worker is about to be started: from now on it is known. Without an id it gets the next free one, for good. */
export async function spawnWorker(
  { store }: Context,
  { id, role, ...name }: TeamName & { readonly id: WorkerId | null; readonly role: Role | null },
): Promise<WorkerId> {
  return store.write(async (tx) => {
    const { key } = await lockTeam(tx, name)
    const worker = id ?? (await tx.workers.takeId(key))
    const isQuarantined = (await tx.workers.find(key, worker))?.status === "quarantined"
    await tx.workers.put(key, worker, { role, ...(isQuarantined ? {} : { availability: "spawning" }) })
    return worker
  })
}

/** Its process was started, and can be found again by whoever comes later, also before it says a word itself. */
export async function noteWorkerSpawned(
  { store }: Context,
  {
    project,
    team,
    run,
    by,
    pane,
    ...data
  }: TeamName & EventData<"worker.spawned"> & { readonly by: string; readonly pane: string | null },
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    await tx.workers.put(key, data.worker, { pane })
    await tx.events.append(key, by, { type: "worker.spawned", data })
  })
}

/** A process that works for the team runs from now on. */
export async function noteWorkerStarted(
  { store }: Context,
  { project, team, run, ...data }: TeamName & EventData<"worker.started">,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    // A new process is no pardon: who is in quarantine takes no task before a person resumes it.
    const isQuarantined = (await tx.workers.find(key, data.worker))?.status === "quarantined"
    await tx.workers.put(key, data.worker, { role: data.role, ...(isQuarantined ? {} : { availability: "idle" }) })
    await tx.events.append(key, data.worker, { type: "worker.started", data })
  })
}

/** Its process is gone. Told once: by itself, or by whoever notices. */
export async function noteWorkerExited(
  { store }: Context,
  { project, team, run, by, ...data }: TeamName & EventData<"worker.exited"> & { readonly by: string },
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    const known = await tx.workers.find(key, data.worker)
    if (known?.status === "stopped" || known?.status === "dead") return
    const isStopped = data.reason === "done" || data.reason === "stopped"
    // Whoever was quarantined stays so without a process, until a person resumes it.
    const isQuarantined = (await tx.workers.find(key, data.worker))?.status === "quarantined"
    const availability = isQuarantined ? "quarantined" : isStopped ? "stopped" : "dead"
    await tx.workers.put(key, data.worker, { availability })
    await tx.events.append(key, by, { type: "worker.exited", data })
  })
}

/** It gets no more tasks until somebody resumes it. */
export async function quarantineWorker(
  { store }: Context,
  { project, team, run, by, ...data }: TeamName & EventData<"worker.quarantined"> & { readonly by: string },
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    await tx.workers.put(key, data.worker, { availability: "quarantined" })
    await tx.events.append(key, by, { type: "worker.quarantined", data })
  })
}

export async function noteStatusCheck(
  { store }: Context,
  { project, team, run, by, ...data }: TeamName & EventData<"worker.status_checked"> & { readonly by: string },
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    await tx.events.append(key, by, { type: "worker.status_checked", data })
  })
}

/** It is on no screen any more. */
export async function forgetPane(
  { store }: Context,
  { worker, ...name }: TeamName & { readonly worker: WorkerId },
): Promise<void> {
  await store.write(async (tx) => tx.workers.put((await getTeam(tx, name)).key, worker, { pane: null }))
}
