import type { TaskId } from "../kernel/ids.ts"
import type { SetbackKind } from "../tasks/retry.ts"

export interface RunFact {
  readonly id: string
  readonly task: TaskId | null
  readonly attempt: number | null
  readonly worker: string
  readonly agent: string
  readonly model: string | null
  /** 1 does the task, later turns repair it. */
  readonly turn: number
  readonly startedAt: number
  /** Null while it runs, and when its worker was killed. */
  endedAt: number | null
  reason: string | null
  error: string | null
  session: string | null
  /** Input and output. */
  tokens: number
  inputTokens: number
  cachedTokens: number
  /** Estimated tokens at its start, and teamwork's own part of them. */
  readonly words?: { readonly sent: number; readonly own: number }
  dollars: number | null
  dollarsAreEstimated: boolean
}

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
  /** The process that was started last, before it has reported itself. */
  spawned: SpawnedProcess | null
  /** Of its latest process. */
  startedAt: number | null
  exitedAt: number | null
  exitReason: string | null
  starts: number
  /** Crashes since it last finished a task. Each delays the next start more. */
  crashes: number
  /** Setbacks that count against the worker, since it last finished a task. */
  consecutiveErrors: number
  quarantined: boolean
  statusCheckedAt: number | null
  finished: number
  busyMs: number
  /** The total of its ended processes. */
  aliveMs: number
  /** Of all time. */
  allCrashes: number
  allSetbacks: number
  /** When it claimed its present task. */
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
  step: { readonly name: string; readonly worker: string; readonly at: number } | null
  /** The worker on this attempt, until it delivers or gives up. */
  atWork: { readonly worker: string; readonly attempt: number } | null
  /** The last commit that a worker recorded for it. */
  committed: { readonly attempt: number; readonly token: number; readonly commit: string } | null
  /** Attempts that the engine started. */
  retries: number
  /** The assigned worker was told that the task can start. */
  isUnblockedNotified: boolean
  mergedAttempt: number | null
  /** The worker that finished it, and earlier holders. */
  worker: string | null
  takenFrom: string[]
  /** Its first claim, and its last end. */
  startedAt: number | null
  endedAt: number | null
  claimedAt: number | null
  /** The total of all claims. */
  workMs: number
  /** Files in which the engine kept both sides' additions. */
  united: readonly string[]
  /** The task whose merge it repairs. */
  fixOf: string | null
  /** Why it failed or is paused. */
  reason: string | null
  /** The revised task that it builds on, until it is rechecked. */
  recheckOf: string | null
  /** The revised task after which it still holds. */
  heldAfter: string | null
  /** Changes outside of its own files, and where they are kept. */
  aside: { readonly ref: string; readonly paths: readonly string[] } | null
  /** Where its work is, if not in the repository of the merge. */
  missing: MissingWork | null
}

export interface MissingWork {
  readonly attempt: number
  readonly commit: string
  readonly machine: string
  readonly folder: string
  readonly command: string
}

export function newWorker(id: string): WorkerFact {
  return {
    id,
    role: null,
    runtime: null,
    machine: null,
    pid: null,
    processStart: null,
    startedAt: null,
    spawned: null,
    exitedAt: null,
    exitReason: null,
    starts: 0,
    crashes: 0,
    consecutiveErrors: 0,
    quarantined: false,
    statusCheckedAt: null,
    finished: 0,
    busyMs: 0,
    aliveMs: 0,
    allCrashes: 0,
    allSetbacks: 0,
    busySince: null,
  }
}

export function newTask(id: string): TaskFact {
  return {
    id,
    setbacks: [],
    step: null,
    retries: 0,
    isUnblockedNotified: false,
    mergedAttempt: null,
    worker: null,
    takenFrom: [],
    startedAt: null,
    endedAt: null,
    claimedAt: null,
    workMs: 0,
    fixOf: null,
    reason: null,
    recheckOf: null,
    heldAfter: null,
    united: [],
    aside: null,
    missing: null,
    atWork: null,
    committed: null,
  }
}
