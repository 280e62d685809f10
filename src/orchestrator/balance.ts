import type { WorkerId } from "../kernel/ids.ts"
import type { Staffing } from "../planning/staffing.ts"
import type { History } from "../reporting/history.ts"
import type { WorkerFact } from "../reporting/history-facts.ts"
import { isFixId } from "../tasks/fix-task.ts"
import { GENERIC_ROLE, type Role, rolesMatch, type Task } from "../tasks/task.ts"
import { UNAVAILABLE } from "../workers/worker.ts"
import {
  type Decision,
  type EngineLimits,
  type EngineSnapshot,
  type EngineWorker,
  earliest,
  type ShortAction,
} from "./actions.ts"
import { listClaimable, nextLeaseEnd } from "./claimable.ts"
import { isExitRecorded } from "./supervise.ts"

export interface StaffDecision extends Decision {
  /** Why claimable tasks never find a worker; null when they do. */
  readonly stuck: string | null
}

/**
 * Starts and stops workers, so that every claimable task finds one, within the requested number and `maxAgents`.
 * Tasks are not assigned: a free worker claims the best one that fits its role.
 */
export function staff(snapshot: EngineSnapshot, limits: EngineLimits): StaffDecision {
  const groups = groupWorkers(snapshot, limits)
  const stops = groups.running
    .filter(({ availability }) => availability === "quarantined")
    .map((worker) => stop(worker, `worker ${worker.id} is quarantined`))
  const claimable = listClaimable(snapshot)
  const leaseEnd = nextLeaseEnd(snapshot)
  if (claimable.length === 0) return { actions: stops, wakeAt: leaseEnd, stuck: null }
  const question = askPerson(snapshot, groups)
  if (question !== undefined) return { actions: [...stops, question], wakeAt: null, stuck: null }
  const { waiting, idle } = matchFree(claimable, groups)
  const named = listNamed(waiting, snapshot, limits.staffing)
  const places = listPlaces(waiting, groups, limits.staffing, named)
  const { starts, restartAt, coming, unfilled } = fill(places, groups, {
    waiting,
    now: snapshot.now,
    maxAgents: limits.maxAgents,
  })
  const room = idle
    .slice(idle.length - Math.min(idle.length, unfilled.length))
    .map((worker) => stop(worker, `no task of its role is ready, and a worker for ${unfilled[0]} is needed`))
  const freed = freeAssigned(waiting, snapshot, coming)
  const actions = [...stops, ...starts, ...room, ...freed]
  const wakeAt = earliest([restartAt, leaseEnd])
  // Idle workers that fit none of the waiting tasks change nothing.
  const isMoving = actions.length > 0 || wakeAt !== null || groups.running.some((worker) => !idle.includes(worker))
  return { actions, wakeAt, stuck: isMoving ? null : describeStuck(snapshot, groups, { waiting, limits }) }
}

interface WorkerGroups {
  /** Including unrecorded ends. */
  readonly running: readonly EngineWorker[]
  /** May take a task now. */
  readonly free: readonly EngineWorker[]
  /** Running without a task, and may take none: paused, or about to be stopped. */
  readonly held: readonly EngineWorker[]
  /** Can start again, from that time on. */
  readonly away: readonly { readonly worker: EngineWorker; readonly notBefore: number }[]
  /** Crashed too often, or quarantined: only a person brings them back. */
  readonly givenUp: readonly EngineWorker[]
}

function groupWorkers({ workers, tasks, history }: EngineSnapshot, limits: EngineLimits): WorkerGroups {
  const factOf = ({ id }: EngineWorker) => history.workers.get(id)
  const ours = workers.filter(({ isRunning }) => isRunning !== null).toSorted(inOrderOf(history))
  const isGone = (worker: EngineWorker) => worker.isRunning === false && isExitRecorded(worker, factOf(worker))
  const running = ours.filter((worker) => !isGone(worker))
  const gone = ours.filter(isGone)
  const busy = new Set<string | null>(tasks.filter(isInProgress).map((task) => task.workerId))
  const isAvailable = ({ isRunning, availability }: EngineWorker) => isRunning === true && !isUnavailable(availability)
  const unoccupied = running.filter(({ id }) => !busy.has(id))
  const hasFailed = (worker: EngineWorker) => isGivenUp(worker, factOf(worker), limits)
  return {
    running,
    free: unoccupied.filter(isAvailable),
    held: unoccupied.filter((worker) => !isAvailable(worker)),
    away: gone
      .filter((worker) => !hasFailed(worker) && worker.availability !== "paused")
      .map((worker) => ({ worker, notBefore: endOfWait(factOf(worker), limits) })),
    givenUp: gone.filter(hasFailed),
  }
}

function isUnavailable(availability: EngineWorker["availability"]): boolean {
  return UNAVAILABLE.some((each) => each === availability)
}

/** First the worker that has finished less, then the one that worked for less time, then the lower number. */
function inOrderOf({ workers }: History) {
  return (a: EngineWorker, b: EngineWorker) => {
    const [first, second] = [workers.get(a.id), workers.get(b.id)]
    return (
      (first?.finished ?? 0) - (second?.finished ?? 0) ||
      (first?.busyMs ?? 0) - (second?.busyMs ?? 0) ||
      a.id.localeCompare(b.id, "en", { numeric: true })
    )
  }
}

function isGivenUp({ availability }: EngineWorker, fact: WorkerFact | undefined, limits: EngineLimits): boolean {
  return availability === "quarantined" || fact?.quarantined === true || (fact?.crashes ?? 0) > limits.maxRestarts
}

/** Each crash since its last finished task lengthens the wait; the last wait repeats. */
function endOfWait(fact: WorkerFact | undefined, { restartBackoffMs }: EngineLimits): number {
  if (fact === undefined || fact.crashes === 0) return 0
  return (fact.exitedAt ?? 0) + (restartBackoffMs[Math.min(fact.crashes, restartBackoffMs.length) - 1] ?? 0)
}

/** Under supervision a crashed worker restarts only after a person resumes the team. */
function askPerson({ team, history }: EngineSnapshot, { away }: WorkerGroups): ShortAction | undefined {
  if (team.mode !== "SUPERVISED") return undefined
  const crashed = away.find(({ worker }) => {
    const fact = history.workers.get(worker.id)
    return fact !== undefined && fact.crashes > 0 && (fact.exitedAt ?? 0) > (history.resumedAt ?? 0)
  })
  if (crashed === undefined) return undefined
  const reason = `worker ${crashed.worker.id} crashed, and is started again once the team goes on`
  return { type: "pause-team", trigger: "repeated_failure", reason }
}

/** Gives each free worker one task: its own, one of its role, or any other. Returns the rest of both. */
function matchFree(claimable: readonly Task[], { free }: WorkerGroups): { waiting: Task[]; idle: EngineWorker[] } {
  const idle = new Set(free)
  const waiting = new Set(claimable)
  const take = (fits: (task: Task, worker: EngineWorker) => boolean) => {
    for (const task of waiting) {
      const worker = idle.values().find((each) => [null, each.id].includes(task.assignee) && fits(task, each))
      if (worker === undefined) continue
      idle.delete(worker)
      waiting.delete(task)
    }
  }
  take((task, worker) => task.assignee === worker.id)
  take((task, worker) => task.role === worker.role)
  take((task, worker) => rolesMatch(task.role, worker.role))
  return { waiting: [...waiting], idle: [...idle] }
}

/** With a name that a task asks for, or any of the role. */
interface Place {
  readonly name: WorkerId | null
  readonly role: Role
}

/** Names of our own workers. Any other unknown name is a person's. */
const OWN_NAME = /^w[1-9]\d*$/

/** Workers with assigned tasks that have not started. */
function listNamed(waiting: readonly Task[], { workers }: EngineSnapshot, staffing: Staffing): Place[] {
  if (isManual(staffing)) return []
  const known = new Set<string>(workers.map(({ id }) => id))
  const roles = new Map<WorkerId, Role>()
  for (const { assignee, role } of waiting) {
    if (assignee === null || known.has(assignee) || !OWN_NAME.test(assignee)) continue
    const isMixed = staffing.kind === "count" || (roles.get(assignee) ?? role) !== role
    roles.set(assignee, isMixed ? GENERIC_ROLE : role)
  }
  return [...roles].map(([name, role]) => ({ name, role }))
}

/** People start the workers. */
function isManual(staffing: Staffing): boolean {
  return staffing.kind === "count" && staffing.count === 0
}

/**
 * The workers to add, each with a first task. Those that a task names come first, even beyond the requested number:
 * no other worker may do that task.
 */
function listPlaces(
  waiting: readonly Task[],
  { running, held, away, givenUp }: WorkerGroups,
  staffing: Staffing,
  named: readonly Place[],
): Place[] {
  const gone = new Set<string>([...away.map(({ worker }) => worker), ...givenUp].map(({ id }) => id))
  const left = new Set(waiting.filter(({ assignee }) => assignee === null || gone.has(assignee)))
  const places: Place[] = [...named]
  const add = (role: Role, missing: number) => {
    for (let count = 0; count < missing; count++) {
      if (!takeOne(left, role)) return
      places.push({ name: null, role })
    }
  }
  if (staffing.kind === "count") {
    add(GENERIC_ROLE, staffing.count - running.length - named.length)
    return places
  }
  const countOf = (role: Role) =>
    [...running, ...named].filter((worker) => (worker.role ?? GENERIC_ROLE) === role).length
  const rolesLeft = () => new Set([...left].map((task) => task.role))
  if (staffing.kind === "auto") {
    // A paused or stopping worker keeps its place.
    for (const { role } of held) takeOne(left, role ?? GENERIC_ROLE)
    // One for each role first, so that a full team covers all; then one for each task.
    for (const role of rolesLeft()) if (countOf(role) === 0) add(role, 1)
    for (const { role } of [...left]) add(role, 1)
    return places
  }
  const counts = staffing.kind === "roles" ? staffing.counts : []
  for (const { role, count } of counts) add(role, count - countOf(role))
  // One for each role that the listed workers cannot do, or its tasks would wait forever.
  for (const role of rolesLeft())
    if (!counts.some((listed) => listed.count > 0 && rolesMatch(role, listed.role))) add(role, 1 - countOf(role))
  return places
}

/** Removes a task for the role from `left`, one of the same role first; false without one. */
function takeOne(left: Set<Task>, role: Role): boolean {
  const task =
    left.values().find((each) => each.role === role) ?? left.values().find((each) => rolesMatch(each.role, role))
  return task !== undefined && left.delete(task)
}

interface Filled {
  readonly starts: readonly ShortAction[]
  /** Of the first waiting worker. */
  readonly restartAt: number | null
  /** They start now or after their wait. */
  readonly coming: ReadonlySet<string>
  /** No more workers may run. */
  readonly unfilled: readonly Role[]
}

/** Earlier workers return after their wait. New ones start only where there are none. */
function fill(
  places: readonly Place[],
  { running, away, givenUp }: WorkerGroups,
  { waiting, now, maxAgents }: { readonly waiting: readonly Task[]; readonly now: number; readonly maxAgents: number },
): Filled {
  const starts: ShortAction[] = []
  const waits: number[] = []
  const coming = new Set<string>()
  const unfilled: Role[] = []
  const wanted = new Set<string | null>(waiting.map((task) => task.assignee))
  const known = away.toSorted((a, b) => Number(wanted.has(b.worker.id)) - Number(wanted.has(a.worker.id)))
  let room = maxAgents - running.length
  for (const { name, role } of places) {
    const isFree = (worker: EngineWorker) => name === null && !coming.has(worker.id)
    const back = known.filter(({ worker }) => isFree(worker) && (worker.role ?? GENERIC_ROLE) === role)
    const next = back.find(({ notBefore }) => notBefore <= now) ?? back[0]
    // When as many failed as may run at all, new ones would fail too.
    if (next === undefined && givenUp.length >= maxAgents) continue
    if (room <= 0) unfilled.push(role)
    if (room-- <= 0) continue
    if (next !== undefined) coming.add(next.worker.id)
    if (next !== undefined && next.notBefore > now) waits.push(next.notBefore)
    else starts.push({ type: "start-worker", worker: name ?? next?.worker.id ?? null, role })
  }
  return { starts, restartAt: earliest(waits), coming, unfilled }
}

/**
 * Removes the assignee of a task whose worker will not come, and of a fix whose worker is busy. Unknown names are
 * people's, and stay.
 */
function freeAssigned(
  waiting: readonly Task[],
  { workers, tasks }: EngineSnapshot,
  coming: ReadonlySet<string>,
): ShortAction[] {
  const lost = new Set<string | null>(
    workers.filter((worker) => isLost(worker) && !coming.has(worker.id)).map(({ id }) => id),
  )
  const busy = new Set<string | null>([
    ...tasks.filter(isInProgress).map(({ workerId }) => workerId),
    ...workers.filter(({ availability }) => isUnavailable(availability)).map(({ id }) => id),
  ])
  return waiting.flatMap(({ id, assignee }) => {
    if (assignee === null) return []
    const why = lost.has(assignee) ? "is not available" : isFixId(id) && busy.has(assignee) ? "is busy" : undefined
    return why === undefined ? [] : [{ type: "free-task", task: id, reason: `worker ${assignee} ${why}` } as const]
  })
}

function isInProgress({ status }: Task): boolean {
  return status === "in_progress"
}

function isLost({ isRunning, availability }: EngineWorker): boolean {
  if (availability === "quarantined") return true
  return isRunning === null ? ["dead", "stopped"].includes(availability) : !isRunning
}

function describeStuck(
  { tasks }: EngineSnapshot,
  { givenUp }: WorkerGroups,
  { waiting, limits }: { readonly waiting: readonly Task[]; readonly limits: EngineLimits },
): string | null {
  if (isManual(limits.staffing) || tasks.some(isInProgress)) return null
  const [task] = waiting
  if (task === undefined) return null
  const others = waiting.length === 1 ? "" : ` and ${waiting.length - 1} more`
  const { id, assignee } = task
  if (assignee !== null)
    return `task ${id}${others} waits for ${assignee}, who is not a worker of this team; start it with: teamwork worker --worker-id ${assignee}, or free the task with: teamwork task update ${id} --assignee ""`
  const names = givenUp.map((worker) => worker.id).join(", ")
  return `task ${id}${others} finds no worker: ${names || "all"} crashed too often or were quarantined`
}

function stop({ id }: EngineWorker, reason: string): ShortAction {
  return { type: "stop-worker", worker: id, reason, isKilled: false }
}
