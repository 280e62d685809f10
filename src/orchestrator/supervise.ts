import type { WorkerFact } from "../reporting/history-facts.ts"
import { rolesMatch, type Task } from "../tasks/task.ts"
import type { EngineLimits, EngineSnapshot, EngineWorker, ShortAction } from "./actions.ts"
import { listClaimable } from "./claimable.ts"

/** What a rule asks for, and when it would ask for something though nothing changes. */
export interface Ruling {
  readonly actions: readonly ShortAction[]
  readonly wakeAt: number | null
}

/**
 * Looks after the workers and the tasks they hold: who is gone is buried, who is silent is asked, who does not answer is
 * ended, who fails again and again gets nothing more, and what is held for too long is given back. Each action changes
 * what led to it, so that the next look does not ask for it again.
 */
export function supervise(snapshot: EngineSnapshot, limits: EngineLimits): Ruling {
  const held = new Map(snapshot.tasks.filter(isInProgress).map((task) => [task.workerId as string, task]))
  const claimable = listClaimable(snapshot)
  const rulings = snapshot.workers.map((worker) => {
    const task = held.get(worker.id) ?? null
    const fact = snapshot.history.workers.get(worker.id)
    const quietSince = Math.max(worker.activeAt, snapshot.history.lastEventAt)
    return judge({ worker, task, fact, claimable, quietSince, now: snapshot.now, limits })
  })
  // One thing at a time for each of them; the next look sees what is left to do.
  const decided = snapshot.workers.filter((_, index) => (rulings[index]?.actions.length ?? 0) > 0)
  const others = snapshot.tasks.filter(
    (task) => isInProgress(task) && !decided.some((worker) => worker.id === task.workerId),
  )
  return combine([...rulings, ...others.map((task) => startAfresh(task, snapshot, limits))])
}

/** The first of several moments. */
export function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

function combine(rulings: readonly Ruling[]): Ruling {
  return {
    actions: rulings.flatMap((ruling) => ruling.actions),
    wakeAt: earliest(rulings.map((ruling) => ruling.wakeAt)),
  }
}

/** A worker with what is known of it and the task it works on. */
interface Case {
  readonly worker: EngineWorker
  readonly task: Task | null
  readonly fact: WorkerFact | undefined
  /** What anybody could claim now. */
  readonly claimable: readonly Task[]
  /** Nothing happened in the whole team since then. */
  readonly quietSince: number
  readonly now: number
  readonly limits: EngineLimits
}

const NOTHING: Ruling = { actions: [], wakeAt: null }

function judge(each: Case): Ruling {
  if (each.worker.isRunning === false) return bury(each)
  const quarantine = quarantineFor(each)
  if (quarantine !== undefined) return quarantine
  // Sessions of people answer for themselves; their claims end with their leases.
  if (each.worker.isRunning !== true) return NOTHING
  return each.task === null ? watchIdle(each) : watch(each, each.task)
}

function bury({ worker, task, fact }: Case): Ruling {
  if (!isExitTold(worker, fact)) {
    const hasCrashed = worker.endedUnseen !== true
    const when = hasCrashed ? "" : "; it ended before this run took over"
    const reason = `the process of worker ${worker.id} is gone${when}`
    return now({ type: "bury-worker", worker: worker.id, task: task?.id ?? null, reason, hasCrashed })
  }
  if (task === null) return NOTHING
  return now({ type: "release-task", task: task.id, reason: `worker ${worker.id} is gone` })
}

/** Whether the end of its latest process was written down. */
export function isExitTold({ availability }: EngineWorker, fact: WorkerFact | undefined): boolean {
  return fact !== undefined && fact.exitedAt !== null && availability !== "spawning"
}

function quarantineFor({ worker, task, fact, limits }: Case): Ruling | undefined {
  const errors = fact?.consecutiveErrors ?? 0
  if (limits.maxConsecutiveErrors === 0 || errors < limits.maxConsecutiveErrors) return undefined
  if (fact?.quarantined === true || worker.availability === "quarantined") return undefined
  const reason = `${errors} errors in a row`
  const release = { type: "release-task", reason: `worker ${worker.id} is quarantined after ${reason}` } as const
  return {
    actions: [
      { type: "quarantine-worker", worker: worker.id, reason },
      ...(task === null ? [] : [{ ...release, task: task.id }]),
    ],
    wakeAt: null,
  }
}

/** The ladder: asked after a while without a sign of work, and given up when it shows none after that either. */
function watch({ worker, fact, now: at, limits }: Case, task: Task): Ruling {
  const { watchdogWarningMs: warnMs, watchdogGraceMs: graceMs, watchdogReassignMs: reassignMs } = limits
  const { activeAt } = worker
  const checkedAt = fact?.statusCheckedAt ?? null
  const isAsked = checkedAt !== null && checkedAt >= activeAt
  const asksFirst = warnMs > 0 && (reassignMs === 0 || warnMs < reassignMs)
  if (asksFirst && !isAsked) {
    const askAt = activeAt + warnMs
    if (at < askAt) return { actions: [], wakeAt: askAt }
    return now({ type: "check-status", worker: worker.id, task: task.id, silentMs: at - activeAt })
  }
  const giveUpAt = earliest([
    isAsked && graceMs > 0 ? checkedAt + graceMs : null,
    // After a machine slept everybody looks silent: whoever is asked first has the rest of the time to answer.
    reassignMs === 0
      ? null
      : Math.max(activeAt + reassignMs, isAsked ? checkedAt + Math.max(0, reassignMs - warnMs) : 0),
  ])
  if (giveUpAt === null || at < giveUpAt) return { actions: [], wakeAt: giveUpAt }
  const reason = `worker ${worker.id} showed no sign of work for ${seconds(at - activeAt)}`
  return now({ type: "stop-worker", worker: worker.id, reason, isKilled: true })
}

/** Whoever is free takes a task at once; who leaves one lying while nothing else happens does not live any more. */
function watchIdle({ worker, claimable, quietSince, now: at, limits }: Case): Ruling {
  if (worker.availability !== "idle" || limits.watchdogReassignMs === 0) return NOTHING
  const left = claimable.find(
    ({ role, assignee }) => (assignee === null || assignee === worker.id) && rolesMatch(role, worker.role),
  )
  if (left === undefined) return NOTHING
  const giveUpAt = quietSince + limits.watchdogReassignMs
  if (at < giveUpAt) return { actions: [], wakeAt: giveUpAt }
  const reason = `worker ${worker.id} left task ${left.id} lying for ${seconds(at - quietSince)}`
  return now({ type: "stop-worker", worker: worker.id, reason, isKilled: true })
}

/** A task that is held for so long is begun again by somebody, and one of our workers with it. */
function startAfresh(task: Task, { workers, now: at }: EngineSnapshot, { freshStartMs }: EngineLimits): Ruling {
  const claimedAt = Date.parse(task.claimedAt ?? "")
  if (freshStartMs === 0 || Number.isNaN(claimedAt)) return NOTHING
  const until = claimedAt + freshStartMs
  if (at < until) return { actions: [], wakeAt: until }
  const reason = `claimed for more than ${seconds(freshStartMs)}`
  const worker = workers.find(({ id, isRunning }) => id === task.workerId && isRunning === true)
  const stop = worker && ({ type: "stop-worker", worker: worker.id, reason, isKilled: false } as const)
  return {
    actions: [{ type: "release-task", task: task.id, reason }, ...(stop === undefined ? [] : [stop])],
    wakeAt: null,
  }
}

function now(...actions: ShortAction[]): Ruling {
  return { actions, wakeAt: null }
}

function isInProgress(task: Task): boolean {
  return task.status === "in_progress"
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
