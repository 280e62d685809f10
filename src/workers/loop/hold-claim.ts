import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { firstSignal } from "../../lib/process/first-signal.ts"
import type { Context } from "../../store/operation.ts"
import { renewClaim } from "../../tasks/operations/heartbeat-task.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { noteActivity } from "../../tasks/operations/note-run.ts"
import { isHeld, type Task } from "../../tasks/task.ts"
import type { Shift } from "./shift.ts"

/** A task while a worker has it. */
export interface Hold extends AsyncDisposable {
  readonly task: Task
  readonly token: number
  /** Somebody else has it, or it was taken away: nothing more may be written for it. */
  readonly lost: AbortSignal
  /** Work on it has to end now: it was lost, or the worker is to stop. */
  readonly cut: AbortSignal
  /**
   * Whether what is done now is the worker's own, such as a set-up or a gate: that has a time limit and prints nothing to
   * go by, so each renewal counts as a sign of work. Of an agent only what it prints does.
   */
  isOwnWork: boolean
}

/** After a renewal that failed for a reason that may pass. */
const RETRY_MS = 1000
/** Between two looks at the claim, however much is written. */
const LOOK_PAUSE_MS = 50

/**
 * Keeps the claim alive until the hold is disposed of, and cuts the work off as soon as the task was paused, escalated,
 * released or taken over, or the team was cancelled: the store tells of every commit.
 */
export function holdClaim({ ports, options, team, worker, ending }: Shift, task: Task): Hold {
  const lost = new AbortController()
  const ended = new AbortController()
  const { sleep, context } = ports
  const renewMs = options.settings.renewSeconds * 1000
  const claim = { ...team, id: task.id, owner: worker, token: task.claimToken }
  const hold = { isOwnWork: true }
  const cut = firstSignal(lost.signal, ending.stop)
  const renewing = (async () => {
    for (let waitMs = renewMs; ; ) {
      await sleep(waitMs, ended.signal)
      if (ended.signal.aborted) return
      try {
        await renewClaim(context, claim)
        if (hold.isOwnWork) await noteActivity(context, { ...team, worker })
        waitMs = renewMs
      } catch (error) {
        if (isLost(error)) return lost.abort()
        // Several tries fit into a lease, and a holder that nobody replaced stays one.
        waitMs = Math.min(RETRY_MS, renewMs)
      }
    }
  })()
  const watching = (async () => {
    await using watch = await context.store.watch()
    while (!ended.signal.aborted && !lost.signal.aborted) {
      // Where the store cannot be asked now, the next commit or the next renewal tells.
      if (await isTakenAway(context, claim).catch(() => false)) return lost.abort()
      await watch.next(renewMs, ended.signal)
      await sleep(LOOK_PAUSE_MS, ended.signal)
    }
  })().catch(() => undefined) // renewals go on without it
  return Object.assign(hold, {
    ...{ task, token: task.claimToken, lost: lost.signal },
    cut: cut.signal,
    async [Symbol.asyncDispose]() {
      ended.abort()
      cut[Symbol.dispose]()
      await Promise.all([renewing, watching])
    },
  })
}

async function isTakenAway({ store }: Context, { id, owner, token, ...name }: Claim): Promise<boolean> {
  return store.read(async (tx) => {
    const { key, status } = await getTeam(tx, name)
    const task = await tx.tasks.find(key, id)
    const isOurs = task !== undefined && isHeld(task.status) && task.claimedBy === owner && task.claimToken === token
    return !isOurs || status === "cancelled"
  })
}

interface Claim extends TeamName {
  readonly id: Task["id"]
  readonly owner: string
  readonly token: number
}

/** The task is gone, or no longer ours. */
export function isLost(error: unknown): boolean {
  return error instanceof AppError && (error.code === "claim.lost" || error.code === "task.not_found")
}
