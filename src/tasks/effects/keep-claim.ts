import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { sleep as systemSleep } from "../../lib/sleep.ts"
import type { Context } from "../../store/operation.ts"
import { heartbeatTask } from "../operations/heartbeat-task.ts"
import { getTask, getTeam } from "../operations/lookup.ts"

export interface Claim extends TeamName {
  readonly id: TaskId
  readonly owner: string
  readonly token: number
}

/** Renewing more often would only disturb others. */
const MIN_WAIT_MS = 100
/** Timers are limited to some weeks; a lease may last a year. */
const MAX_WAIT_MS = 3_600_000

/** Renews the claim during the work. A lost claim shows at the next write, which is refused. */
export async function keepClaim<T>(
  context: Context,
  claim: Claim,
  work: () => Promise<T>,
  sleep: Sleep = systemSleep,
): Promise<T> {
  const ended = new AbortController()
  const renewing = renewUntil(context, claim, { signal: ended.signal, sleep })
  try {
    return await work()
  } finally {
    ended.abort()
    await renewing
  }
}

type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>

async function renewUntil(
  context: Context,
  claim: Claim,
  { signal, sleep }: { readonly signal: AbortSignal; readonly sleep: Sleep },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sleep(await thirdOfLease(context, claim), signal)
      if (!signal.aborted) await heartbeatTask.run(context, claim)
    } catch (error) {
      if (error instanceof AppError && error.code === "claim.lost") return
      // More tries fit into the lease. A lasting error shows in the write after the work.
      await sleep(MIN_WAIT_MS, signal)
    }
  }
}

/** A third of the rest, by the store's clock. */
async function thirdOfLease({ store, settings }: Context, claim: Claim): Promise<number> {
  const leftMs = await store.read(async (tx) => {
    const task = await getTask(tx, (await getTeam(tx, claim)).key, claim.id)
    // No lease in review; a new one starts when the task comes back.
    return task.leaseUntil === null ? settings.leaseSeconds * 1000 : Date.parse(task.leaseUntil) - (await tx.now())
  })
  return Math.min(Math.max(leftMs / 3, MIN_WAIT_MS), MAX_WAIT_MS)
}
