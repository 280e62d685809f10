import type { TaskId } from "../kernel/ids.ts"
import type { SetbackKind } from "../tasks/retry.ts"

export interface RunFact {
  readonly id: string
  readonly task: TaskId | null
  readonly attempt: number | null
  readonly worker: string
  readonly agent: string
  readonly model: string | null
  /** Which turn of the attempt: 1 does the task, later ones repair it. */
  readonly turn: number
  readonly startedAt: number
  /** Null while it runs, or when nobody lived to tell. */
  endedAt: number | null
  reason: string | null
  error: string | null
  session: string | null
  /** Read and written together. */
  tokens: number
  inputTokens: number
  cachedTokens: number
  /** In tokens, estimated: what it was sent at its start, and how much of that is teamwork's own. Not counted for all. */
  readonly words?: { readonly sent: number; readonly own: number }
  dollars: number | null
  dollarsAreEstimated: boolean
}

/** A process as whoever started it knows it. */
export interface SpawnedProcess {
  readonly runtime: string
  readonly machine: string
  readonly pid: number
  readonly processStart: string
}

export interface WorkerFact {
  readonly id: string
  role: string | null
  runtime: string | null
  machine: string | null
  pid: number | null
  processStart: string | null
  /** The process that was started last, until it ends. The other facts are its own word, which comes later. */
  spawned: SpawnedProcess | null
  /** Of its latest process. */
  startedAt: number | null
  exitedAt: number | null
  exitReason: string | null
  starts: number
  /** Crashes since it last finished a task; each one makes the next start wait longer. */
  crashes: number
  /** Setbacks of any kind that count against a worker, since it last finished a task. */
  consecutiveErrors: number
  quarantined: boolean
  statusCheckedAt: number | null
  /** Tasks it brought to an end, and the time it had them for. */
  finished: number
  busyMs: number
  /** Of all its processes that are gone, together. */
  aliveMs: number
  /** Ever, whatever it finished since. */
  allCrashes: number
  allSetbacks: number
  /** Since when it holds the task it has now; null while it has none. */
  busySince: number | null
}

export interface TaskFact {
  readonly id: string
  /** Of the current attempt. */
  setbacks: {
    readonly kind: SetbackKind
    readonly agent: string | null
    readonly at: number
    readonly worker: string
  }[]
  /** What its worker does with it now. */
  step: { readonly name: string; readonly worker: string; readonly at: number } | null
  /** The worker that is at this attempt and has neither delivered it nor let go of it, whatever the task says. */
  atWork: { readonly worker: string; readonly attempt: number } | null
  /** What its latest attempt came to, as its worker said last. */
  committed: { readonly attempt: number; readonly token: number; readonly commit: string } | null
  /** How often the engine by itself started another attempt. */
  retries: number
  /** Whether the worker it is meant for was told that nothing keeps it from starting, in this attempt. */
  isUnblockedTold: boolean
  /** The attempt whose work is on the integration branch. */
  mergedAttempt: number | null
  /** Who finished it, and whose it was before somebody else got it. */
  worker: string | null
  takenFrom: string[]
  /** Its first claim, and when it was resolved, failed or skipped for the last time. */
  startedAt: number | null
  endedAt: number | null
  claimedAt: number | null
  /** Claims of all attempts until they ended, together. */
  workMs: number
  /** Files in which the engine took what it and others added at the same place. */
  united: readonly string[]
  /** The task whose merge it mends. */
  fixOf: string | null
  /** Why it failed or waits for a person. */
  reason: string | null
  /** The revised task that it builds on, while it is to be found out whether it still holds. */
  recheckOf: string | null
  /** The revised task after which it was found to hold. */
  heldAfter: string | null
  /** What it changed in this attempt though it is not its own, and where that is kept; null when nothing. */
  aside: { readonly ref: string; readonly paths: readonly string[] } | null
  /** Where its work is, if that is not the repository in which it is to be merged. */
  missing: MissingWork | null
}

export interface MissingWork {
  readonly attempt: number
  readonly commit: string
  readonly machine: string
  readonly folder: string
  /** What brings it. */
  readonly command: string
}
