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

/** Renewing more often would only disturb others; a lease so short that it needs more is nobody's intent. */
const MIN_WAIT_MS = 100
/** A timer takes no more than some weeks; a lease may take a year. */
const MAX_WAIT_MS = 3_600_000

/**
 * Does the work and keeps the claim alive meanwhile, as long as it is ours. It says nothing of a claim that was lost:
 * whoever writes with that claim afterwards is refused, and that is what counts.
 */
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
      // More tries fit into the lease, and what is wrong for longer is told by the write that follows the work.
      await sleep(MIN_WAIT_MS, signal)
    }
  }
}

/** Of what is left of it, by the store's clock: right after a renewal that is all of it. */
async function thirdOfLease({ store, settings }: Context, claim: Claim): Promise<number> {
  const leftMs = await store.read(async (tx) => {
    const task = await getTask(tx, (await getTeam(tx, claim)).key, claim.id)
    // In review there is none, and it starts anew when the task comes back.
    return task.leaseUntil === null ? settings.leaseSeconds * 1000 : Date.parse(task.leaseUntil) - (await tx.now())
  })
  return Math.min(Math.max(leftMs / 3, MIN_WAIT_MS), MAX_WAIT_MS)
}
