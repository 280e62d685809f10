import type { WorkerId } from "../kernel/ids.ts"
import type { Staffing } from "../planning/staffing.ts"
import type { History } from "../reporting/history.ts"
import type { WorkerFact } from "../reporting/history-facts.ts"
import { isFixId } from "../tasks/fix-task.ts"
import { GENERIC_ROLE, type Role, rolesMatch, type Task } from "../tasks/task.ts"
import { UNAVAILABLE } from "../workers/worker.ts"
import type { EngineLimits, EngineSnapshot, EngineWorker, ShortAction } from "./actions.ts"
import { listClaimable, nextLeaseEnd } from "./claimable.ts"
import { earliest, isExitTold, type Ruling } from "./supervise.ts"

export interface StaffRuling extends Ruling {
  /** Why tasks that could be done now find nobody, though nothing will change that by itself; null when it is fine. */
  readonly stuck: string | null
}

/**
 * Which workers to start and to stop, so that whatever can be done now finds somebody, within what was asked for and
 * never more than `maxAgents`. Tasks are not handed out: whoever is free claims the best one that fits its role.
 */
export function staff(snapshot: EngineSnapshot, limits: EngineLimits): StaffRuling {
  const crew = makeCrew(snapshot, limits)
  const dismissals = crew.running
    .filter(({ availability }) => availability === "quarantined")
    .map((worker) => stop(worker, `worker ${worker.id} is quarantined`))
  const claimable = listClaimable(snapshot)
  const leaseEnd = nextLeaseEnd(snapshot)
  if (claimable.length === 0) return { actions: dismissals, wakeAt: leaseEnd, stuck: null }
  const question = askPerson(snapshot, crew)
  if (question !== undefined) return { actions: [...dismissals, question], wakeAt: null, stuck: null }
  const { waiting, idle } = cover(claimable, crew)
  const named = listNamed(waiting, snapshot, limits.staffing)
  const { starts, restartAt, coming, unfilled } = hire(listPlaces(waiting, crew, { ...limits, named }), crew, {
    ...{ waiting, now: snapshot.now, maxAgents: limits.maxAgents },
  })
  const room = idle
    .slice(idle.length - Math.min(idle.length, unfilled.length))
    .map((worker) => stop(worker, `no task of its role is ready, and a worker for ${unfilled[0]} is needed`))
  const freed = freeAssigned(waiting, snapshot, coming)
  const actions = [...dismissals, ...starts, ...room, ...freed]
  const wakeAt = earliest([restartAt, leaseEnd])
  // Whoever runs and may take none of them changes nothing for those that wait.
  const isMoving = actions.length > 0 || wakeAt !== null || crew.running.some((worker) => !idle.includes(worker))
  return { actions, wakeAt, stuck: isMoving ? null : describeStuck(snapshot, crew, { waiting, limits }) }
}

interface Crew {
  /** Their processes run, as far as anybody was told. */
  readonly running: readonly EngineWorker[]
  /** Of these, who may take a task now. */
  readonly free: readonly EngineWorker[]
  /** They run, have no task and may take none: paused, or about to be dismissed. */
  readonly held: readonly EngineWorker[]
  /** Could be started again, from that time on. */
  readonly away: readonly { readonly worker: EngineWorker; readonly notBefore: number }[]
  /** Crashed too often, or quarantined: only a person brings them back. */
  readonly givenUp: readonly EngineWorker[]
}

function makeCrew({ workers, tasks, history }: EngineSnapshot, limits: EngineLimits): Crew {
  const factOf = ({ id }: EngineWorker) => history.workers.get(id)
  const ours = workers.filter(({ isRunning }) => isRunning !== null).toSorted(inOrderOf(history))
  // Whoever is about to be buried has its place until then.
  const isGone = (worker: EngineWorker) => worker.isRunning === false && isExitTold(worker, factOf(worker))
  const running = ours.filter((worker) => !isGone(worker))
  const gone = ours.filter((worker) => isGone(worker))
  const busy = new Set<string | null>(
    tasks.filter(({ status }) => status === "in_progress").map((task) => task.workerId),
  )
  const [free, held] = partition(
    running.filter(({ id }) => !busy.has(id)),
    ({ isRunning, availability }) => isRunning === true && !UNAVAILABLE.some((each) => each === availability),
  )
  return {
    ...{ running, free, held },
    away: gone
      .filter((worker) => !isGivenUp(worker, factOf(worker), limits) && worker.availability !== "paused")
      .map((worker) => ({ worker, notBefore: endOfWait(factOf(worker), limits) })),
    givenUp: gone.filter((worker) => isGivenUp(worker, factOf(worker), limits)),
  }
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  const { first = [], second = [] } = Object.groupBy(items, (item) => (isFirst(item) ? "first" : "second"))
  return [first, second]
}

/** Who comes first: whoever has finished less, then whoever has worked for less time, then the lower number. */
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

/** Each crash since it last finished a task makes it wait longer; the last wait repeats. */
function endOfWait(fact: WorkerFact | undefined, { restartBackoffMs }: EngineLimits): number {
  if (fact === undefined || fact.crashes === 0) return 0
  return (fact.exitedAt ?? 0) + (restartBackoffMs[Math.min(fact.crashes, restartBackoffMs.length) - 1] ?? 0)
}

/** Under supervision a crashed worker is not started again before a person has let the team go on. */
function askPerson({ team, history }: EngineSnapshot, { away }: Crew): ShortAction | undefined {
  if (team.mode !== "SUPERVISED") return undefined
  const crashed = away.find(({ worker }) => {
    const fact = history.workers.get(worker.id)
    return fact !== undefined && fact.crashes > 0 && (fact.exitedAt ?? 0) > (history.resumedAt ?? 0)
  })
  if (crashed === undefined) return undefined
  const reason = `worker ${crashed.worker.id} crashed, and is started again once the team goes on`
  return { type: "pause-team", trigger: "repeated_failure", reason }
}

/** Each free worker takes one task: its own, one of its role, or anybody's. Who is left, and what. */
function cover(claimable: readonly Task[], { free }: Crew): { waiting: Task[]; idle: EngineWorker[] } {
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

/** A worker to start: one with a name that a task asks for, or anyone of the role. */
interface Place {
  readonly name: WorkerId | null
  readonly role: Role
}

/** How teamwork names its own workers. Any other name that no worker has is a person's. */
const OWN_NAME = /^w[1-9]\d*$/

/** Workers that tasks were assigned to before anybody started them. */
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

/** Nobody is started: people start the workers themselves. */
function isManual(staffing: Staffing): boolean {
  return staffing.kind === "count" && staffing.count === 0
}

/**
 * The workers that what was asked for allows beyond those that run, each with a task to begin with. Those that a task
 * names come first, also beyond the number asked for: nobody else may do that task.
 */
function listPlaces(
  waiting: readonly Task[],
  crew: Crew,
  { staffing, named }: { readonly staffing: Staffing; readonly named: readonly Place[] },
): Place[] {
  const { running, away, givenUp } = crew
  const gone = new Set<string>([...away.map(({ worker }) => worker), ...givenUp].map(({ id }) => id))
  const left = new Set(waiting.filter(({ assignee }) => assignee === null || gone.has(assignee)))
  const places: Place[] = [...named]
  const fill = (role: Role, missing: number) => {
    for (let count = 0; count < missing; count++) {
      if (!takeOne(left, role)) return
      places.push({ name: null, role })
    }
  }
  if (staffing.kind === "count") {
    fill(GENERIC_ROLE, staffing.count - running.length - named.length)
    return places
  }
  const countOf = (role: Role) =>
    [...running, ...named].filter((worker) => (worker.role ?? GENERIC_ROLE) === role).length
  if (staffing.kind === "auto") {
    // One that is paused or being dismissed keeps its place until a person or its end says otherwise.
    for (const { role } of crew.held) takeOne(left, role ?? GENERIC_ROLE)
    // Each role gets one first, so that a full team leaves none out; then each task that could be done now.
    for (const role of new Set([...left].map((task) => task.role))) if (countOf(role) === 0) fill(role, 1)
    for (const { role } of [...left]) fill(role, 1)
    return places
  }
  const counts = staffing.kind === "roles" ? staffing.counts : []
  for (const { role, count } of counts) fill(role, count - countOf(role))
  // One for each role that nobody of the list could do, or its tasks would wait for ever.
  for (const role of new Set([...left].map((task) => task.role)))
    if (!counts.some((listed) => listed.count > 0 && rolesMatch(role, listed.role))) fill(role, 1 - countOf(role))
  return places
}

/** Takes a task that a worker of the role could do out of `left`, one of its own role first; false when there is none. */
function takeOne(left: Set<Task>, role: Role): boolean {
  const task =
    left.values().find((each) => each.role === role) ?? left.values().find((each) => rolesMatch(each.role, role))
  return task !== undefined && left.delete(task)
}

interface Hiring {
  readonly starts: readonly ShortAction[]
  /** When the first of those that wait may come. */
  readonly restartAt: number | null
  /** Workers that are started now or after their wait. */
  readonly coming: ReadonlySet<string>
  /** Places that stay empty because no more workers may run. */
  readonly unfilled: readonly Role[]
}

/** Who was there before comes again, after its wait; only where there is none somebody new. */
function hire(
  places: readonly Place[],
  { running, away, givenUp }: Crew,
  { waiting, now, maxAgents }: { readonly waiting: readonly Task[]; readonly now: number; readonly maxAgents: number },
): Hiring {
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
    // Where as many had to be given up as may run at all, more of them would do no better.
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
 * What was meant for a worker that will not come is anybody's, and so is a fix once the worker that did the work has
 * something else to do. Names that no worker has are people's, and stay.
 */
function freeAssigned(
  waiting: readonly Task[],
  { workers, tasks }: EngineSnapshot,
  coming: ReadonlySet<string>,
): ShortAction[] {
  const lost = new Set<string | null>(
    workers.filter((worker) => isLost(worker) && !coming.has(worker.id)).map(({ id }) => id),
  )
  const away = workers.filter(({ availability }) => UNAVAILABLE.some((each) => each === availability))
  const busy = new Set<string | null>([
    ...tasks.filter(isAtWork).map(({ workerId }) => workerId),
    ...away.map(({ id }) => id),
  ])
  return waiting.flatMap(({ id, assignee }) => {
    if (assignee === null) return []
    const why = lost.has(assignee) ? "is not there to do it" : isFixId(id) && busy.has(assignee) ? "is busy" : undefined
    return why === undefined ? [] : [{ type: "free-task", task: id, reason: `worker ${assignee} ${why}` } as const]
  })
}

function isAtWork({ status }: Task): boolean {
  return status === "in_progress"
}

function isLost({ isRunning, availability }: EngineWorker): boolean {
  if (availability === "quarantined") return true
  return isRunning === null ? ["dead", "stopped"].includes(availability) : !isRunning
}

function describeStuck(
  { tasks }: EngineSnapshot,
  { givenUp }: Crew,
  { waiting, limits }: { readonly waiting: readonly Task[]; readonly limits: EngineLimits },
): string | null {
  if (isManual(limits.staffing) || tasks.some(({ status }) => status === "in_progress")) return null
  const [task] = waiting
  if (task === undefined) return null
  const others = waiting.length === 1 ? "" : ` and ${waiting.length - 1} more`
  const { id, assignee } = task
  if (assignee !== null)
    return `task ${id}${others} waits for ${assignee}, who is none of the workers; start it with: teamwork worker --worker-id ${assignee}, or free the task with: teamwork task update ${id} --assignee ""`
  const names = givenUp.map(({ id }) => id).join(", ")
  return `task ${task.id}${others} finds no worker: ${names || "all"} crashed too often or were quarantined`
}

function stop({ id }: EngineWorker, reason: string): ShortAction {
  return { type: "stop-worker", worker: id, reason, isKilled: false }
}
