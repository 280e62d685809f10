import { AppError } from "../../kernel/errors.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { RunName } from "../../kernel/team.ts"
import { firstSignal } from "../../lib/process/first-signal.ts"
import { renewClaim } from "../../tasks/operations/heartbeat-task.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { noteActivity } from "../../tasks/operations/note-run.ts"
import { isHeld, type Task } from "../../tasks/task.ts"
import type { WorkerRun } from "./worker-ports.ts"

export interface ClaimHandle extends WorkerRun, AsyncDisposable {
  readonly task: Task
  readonly token: number
  /** Part of every write for the task: the store refuses a worker that lost the claim. */
  readonly fence: RunName & { readonly owner: WorkerId; readonly token: number }
  /** Nothing more may be written for the task. */
  readonly lost: AbortSignal
  /** Stop work on the task now: the claim is lost, or the worker must stop. */
  readonly cut: AbortSignal
  /**
   * The worker itself is busy, for example with a set-up or a gate. These have time limits and print nothing, so
   * each renewal counts as a sign of work. While an agent runs, only its output counts.
   */
  isOwnWork: boolean
}

/** After a temporary failure of a renewal. */
const RETRY_MS = 1000
/** Limits how often the claim is read during many writes. */
const LOOK_PAUSE_MS = 50

/**
 * Renews the claim until disposed. Stops the work as soon as the task is paused, escalated, released or taken over,
 * or the team is cancelled.
 */
export function holdClaim(run: WorkerRun, task: Task): ClaimHandle {
  const { team, worker, ending } = run
  const { sleep, context } = run.ports
  const lost = new AbortController()
  const ended = new AbortController()
  const renewMs = run.options.settings.renewSeconds * 1000
  const fence = { ...team, owner: worker, token: task.claimToken }
  const cut = firstSignal(lost.signal, ending.stop)
  const handle = { ...run, task, token: task.claimToken, fence, lost: lost.signal, cut: cut.signal, isOwnWork: true }
  const renewing = (async () => {
    for (let waitMs = renewMs; ; ) {
      await sleep(waitMs, ended.signal)
      if (ended.signal.aborted) return
      try {
        await renewClaim(context, { ...fence, id: task.id })
        if (handle.isOwnWork) await noteActivity(context, { ...team, worker })
        waitMs = renewMs
      } catch (error) {
        if (isLost(error)) return lost.abort()
        // A lease has time for several tries.
        waitMs = Math.min(RETRY_MS, renewMs)
      }
    }
  })()
  const isTakenAway = () =>
    context.store.read(async (tx) => {
      const { key, status } = await getTeam(tx, team)
      const now = await tx.tasks.find(key, task.id)
      const isOurs =
        now !== undefined && isHeld(now.status) && now.claimedBy === worker && now.claimToken === task.claimToken
      return !isOurs || status === "cancelled"
    })
  const watching = (async () => {
    await using watch = await context.store.watch()
    while (!ended.signal.aborted && !lost.signal.aborted) {
      // Without an answer of the store, the next commit or renewal finds out.
      if (await isTakenAway().catch(() => false)) return lost.abort()
      await watch.next(renewMs, ended.signal)
      await sleep(LOOK_PAUSE_MS, ended.signal)
    }
  })().catch(() => undefined) // renewing goes on without it
  return Object.assign(handle, {
    async [Symbol.asyncDispose]() {
      ended.abort()
      cut[Symbol.dispose]()
      await Promise.all([renewing, watching])
    },
  })
}

export function isLost(error: unknown): boolean {
  return error instanceof AppError && (error.code === "claim.lost" || error.code === "task.not_found")
}
