import type { WorkerFact } from "../reporting/history-facts.ts"
import { rolesMatch, type Task } from "../tasks/task.ts"
import {
  combine,
  type Decision,
  doNow,
  type EngineLimits,
  type EngineSnapshot,
  type EngineWorker,
  earliest,
  NOTHING,
} from "./actions.ts"
import { listClaimable } from "./claimable.ts"

/**
 * Records a dead worker, asks a silent one and then kills it, quarantines one that fails repeatedly, and releases a
 * task that is held for too long. Each action changes its cause, so that the next look does not repeat it.
 */
export function supervise(snapshot: EngineSnapshot, limits: EngineLimits): Decision {
  const held = new Map(snapshot.tasks.filter(isInProgress).map((task) => [task.workerId as string, task]))
  const claimable = listClaimable(snapshot)
  const decisions = snapshot.workers.map((worker) => {
    const task = held.get(worker.id) ?? null
    const fact = snapshot.history.workers.get(worker.id)
    const quietSince = Math.max(worker.activeAt, snapshot.history.lastEventAt)
    return judge({ worker, task, fact, claimable, quietSince, now: snapshot.now, limits })
  })
  // One action at a time for each worker; the next look does the rest.
  const decided = snapshot.workers.filter((_, index) => (decisions[index]?.actions.length ?? 0) > 0)
  const others = snapshot.tasks.filter(
    (task) => isInProgress(task) && !decided.some((worker) => worker.id === task.workerId),
  )
  return combine([...decisions, ...others.map((task) => startAfresh(task, snapshot, limits))])
}

interface Case {
  readonly worker: EngineWorker
  readonly task: Task | null
  readonly fact: WorkerFact | undefined
  readonly claimable: readonly Task[]
  /** Of the whole team. */
  readonly quietSince: number
  readonly now: number
  readonly limits: EngineLimits
}

function judge(each: Case): Decision {
  if (each.worker.isRunning === false) return recordDeath(each)
  const quarantine = quarantineFor(each)
  if (quarantine !== undefined) return quarantine
  // People's sessions are not watched; their claims end with their leases.
  if (each.worker.isRunning !== true) return NOTHING
  return each.task === null ? watchIdle(each) : watchBusy(each, each.task)
}

function recordDeath({ worker, task, fact }: Case): Decision {
  if (!isExitRecorded(worker, fact)) {
    const hasCrashed = worker.endedUnseen !== true
    const when = hasCrashed ? "" : "; it ended before this run took over"
    const reason = `the process of worker ${worker.id} is gone${when}`
    return doNow({ type: "record-worker-death", worker: worker.id, task: task?.id ?? null, reason, hasCrashed })
  }
  if (task === null) return NOTHING
  return doNow({ type: "release-task", task: task.id, reason: `worker ${worker.id} is gone` })
}

export function isExitRecorded({ availability }: EngineWorker, fact: WorkerFact | undefined): boolean {
  return fact !== undefined && fact.exitedAt !== null && availability !== "spawning"
}

function quarantineFor({ worker, task, fact, limits }: Case): Decision | undefined {
  const errors = fact?.consecutiveErrors ?? 0
  if (limits.maxConsecutiveErrors === 0 || errors < limits.maxConsecutiveErrors) return undefined
  if (fact?.quarantined === true || worker.availability === "quarantined") return undefined
  const quarantine = { type: "quarantine-worker", worker: worker.id, reason: `${errors} errors in a row` } as const
  if (task === null) return doNow(quarantine)
  const reason = `worker ${worker.id} is quarantined after ${quarantine.reason}`
  return doNow(quarantine, { type: "release-task", task: task.id, reason })
}

/** Asks a worker without a sign of work first, and kills it when it still shows none. */
function watchBusy({ worker, fact, now, limits }: Case, task: Task): Decision {
  const { watchdogWarningMs: warnMs, watchdogGraceMs: graceMs, watchdogReassignMs: reassignMs } = limits
  const { activeAt } = worker
  const checkedAt = fact?.statusCheckedAt ?? null
  const isAsked = checkedAt !== null && checkedAt >= activeAt
  const asksFirst = warnMs > 0 && (reassignMs === 0 || warnMs < reassignMs)
  if (asksFirst && !isAsked) {
    const askAt = activeAt + warnMs
    if (now < askAt) return { actions: [], wakeAt: askAt }
    return doNow({ type: "check-status", worker: worker.id, task: task.id, silentMs: now - activeAt })
  }
  const giveUpAt = earliest([
    isAsked && graceMs > 0 ? checkedAt + graceMs : null,
    // After a machine slept every worker looks silent: one that was asked has the rest of the time to answer.
    reassignMs === 0
      ? null
      : Math.max(activeAt + reassignMs, isAsked ? checkedAt + Math.max(0, reassignMs - warnMs) : 0),
  ])
  if (giveUpAt === null || now < giveUpAt) return { actions: [], wakeAt: giveUpAt }
  return kill(worker, `showed no sign of work for ${seconds(now - activeAt)}`)
}

/** A free worker claims a task at once. One that ignores a task while nothing else happens is dead. */
function watchIdle({ worker, claimable, quietSince, now, limits }: Case): Decision {
  if (worker.availability !== "idle" || limits.watchdogReassignMs === 0) return NOTHING
  const left = claimable.find(
    ({ role, assignee }) => (assignee === null || assignee === worker.id) && rolesMatch(role, worker.role),
  )
  if (left === undefined) return NOTHING
  const giveUpAt = quietSince + limits.watchdogReassignMs
  if (now < giveUpAt) return { actions: [], wakeAt: giveUpAt }
  return kill(worker, `left task ${left.id} lying for ${seconds(now - quietSince)}`)
}

/** Releases a task that is held for too long and restarts our worker that holds it. */
function startAfresh(task: Task, { workers, now }: EngineSnapshot, { freshStartMs }: EngineLimits): Decision {
  const claimedAt = Date.parse(task.claimedAt ?? "")
  if (freshStartMs === 0 || Number.isNaN(claimedAt)) return NOTHING
  const until = claimedAt + freshStartMs
  if (now < until) return { actions: [], wakeAt: until }
  const reason = `claimed for more than ${seconds(freshStartMs)}`
  const release = { type: "release-task", task: task.id, reason } as const
  const worker = workers.find(({ id, isRunning }) => id === task.workerId && isRunning === true)
  if (worker === undefined) return doNow(release)
  return doNow(release, { type: "stop-worker", worker: worker.id, reason, isKilled: false })
}

function kill({ id }: EngineWorker, why: string): Decision {
  return doNow({ type: "stop-worker", worker: id, reason: `worker ${id} ${why}`, isKilled: true })
}

function isInProgress(task: Task): boolean {
  return task.status === "in_progress"
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
