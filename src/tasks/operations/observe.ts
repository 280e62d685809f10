import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { noteSeen, type Seat } from "../../sessions/seat.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { observedEvidence, type SeenUse } from "../observed.ts"
import { lockHeld } from "./assert-holds.ts"
import { listHeld, renewHeld } from "./held-tasks.ts"
import { getTeam } from "./lookup.ts"

/** Shorter intervals say nothing new. */
const QUIET_MS = 10_000

/**
 * A tool call of a session that joined as a worker: renews its claims, and may be evidence for its latest task. The
 * same call counts once.
 */
export async function noteUse(
  { store }: Pick<Context, "store">,
  { terminalId }: Pick<Seat, "terminalId">,
  { id, ...seen }: SeenUse & { readonly id: string },
): Promise<void> {
  const isNew = await store.read(async (tx) => {
    const seat = await tx.seats.find(terminalId)
    if (!seat?.worker) return false
    const { key } = await getTeam(tx, seat)
    const worker = await tx.workers.find(key, seat.worker)
    const isQuiet = worker !== undefined && (await tx.now()) - Date.parse(worker.lastHeartbeat) < QUIET_MS
    return !isQuiet || (await evidenceFor(tx, { key, owner: seat.worker }, seen)) !== undefined
  })
  if (!isNew) return
  await store.write(async (tx) => {
    const seat = await tx.seats.find(terminalId)
    if (!seat?.worker) return
    const { key } = await getTeam(tx, seat)
    await renewHeld(tx, key, seat.worker)
    // Read again: another report of the same call may have held the lock.
    const { memory: before } = (await tx.seats.find(terminalId)) ?? seat
    const memory = id === "" ? before : noteSeen(before, id)
    if (memory === undefined) return
    const evidence = await evidenceFor(tx, { key, owner: seat.worker }, seen)
    if (evidence === undefined) return
    await tx.seats.remember(terminalId, memory)
    await tx.evidence.add(key, { ...evidence, by: seat.worker })
  })
}

async function evidenceFor(tx: Tx, { key, owner }: { key: number; owner: string }, seen: SeenUse) {
  if (seen.run === null && seen.files.length === 0) return undefined
  const [task] = await listHeld(tx, key, owner)
  if (task === undefined) return undefined
  const entries = observedEvidence(seen, task, await tx.evidence.list(key, task.id))
  return entries.length === 0 ? undefined : { taskId: task.id, attempt: task.attempt, entries }
}

export interface ObservedRun extends TeamName {
  readonly taskId: TaskId
  readonly owner: string
  readonly token: number
  readonly uses: readonly SeenUse[]
}

/** Throws `claim.lost` if the worker lost the task. */
export async function recordObserved({ store }: Pick<Context, "store">, run: ObservedRun): Promise<void> {
  if (run.uses.length === 0) return
  await store.write(async (tx) => {
    const { team, task } = await lockHeld(tx, run, run.taskId)
    for (const use of run.uses) {
      const entries = observedEvidence(use, task, await tx.evidence.list(team.key, task.id))
      if (entries.length > 0)
        await tx.evidence.add(team.key, { taskId: task.id, attempt: task.attempt, by: run.owner, entries })
    }
  })
}
