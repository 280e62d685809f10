// A worker: takes a task, does it, delivers it, takes the next. It is idle (waits for work), busy (has a claim) or ending
// (takes nothing new). Whatever moment it dies at, the store knows what it held and the worktree what it did.
import { AppError, type ErrorCode } from "../../kernel/errors.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import { followHistory } from "../../reporting/effects/follow-history.ts"
import { isOfTheWorker } from "../../reporting/worker-errors.ts"
import { type WorkFound, waitForWork } from "../../tasks/effects/wait-for-work.ts"
import { claimTask } from "../../tasks/operations/claim-task.ts"
import { GENERIC_ROLE, type Role, type Task } from "../../tasks/task.ts"
import { findOtherMergePlace } from "../operations/merge-place.ts"
import { noteWorkerExited, noteWorkerStarted } from "../operations/worker-life.ts"
import { workerAttempt } from "../operations/worker-workspace.ts"
import { doTask } from "./do-task.ts"
import { type Ending, makeEnding } from "./ending.ts"
import { heedShutdown } from "./inbox.ts"
import type { Shift } from "./shift.ts"
import type { WorkerEnd, WorkerOptions, WorkerPorts } from "./worker-ports.ts"

export async function runWorker(ports: WorkerPorts, options: WorkerOptions): Promise<WorkerEnd> {
  const tally: Tally = { delivered: [], setBack: [], errors: 0 }
  try {
    return await workToEnd(ports, options, tally)
  } catch (error) {
    // A worker belongs to one run of the team. What it held there was given back when the next run began.
    if (!(error instanceof AppError && error.code === "run.closed")) throw error
    return { worker: options.workerId ?? null, reason: "closed", delivered: tally.delivered, setBack: tally.setBack }
  }
}

async function workToEnd(ports: WorkerPorts, options: WorkerOptions, tally: Tally): Promise<WorkerEnd> {
  using ending = makeEnding(ports, options.settings.shutdownTimeoutMs)
  const found = await look(ports, options, ending)
  if (found.worker === null) return { worker: null, reason: endOf(found, ending) ?? "none", delivered: [], setBack: [] }
  const shift = await beginShift(ports, options, { ending, worker: found.worker })
  try {
    const reason = await work(shift, tally, endOf(found, ending))
    await leave(shift, STOPPED.includes(reason) ? "stopped" : "done", reason)
    return { worker: shift.worker, reason, delivered: tally.delivered, setBack: tally.setBack }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    // What went wrong with the work counts, also when the store cannot be told of it.
    await leave(shift, "crashed", detail).catch(() => undefined)
    throw error
  }
}

const STOPPED: readonly WorkerEnd["reason"][] = ["stopped", "drained", "shutdown"]

interface Tally {
  readonly delivered: TaskId[]
  readonly setBack: TaskId[]
  /** Setbacks that speak against this worker, since it last delivered. */
  errors: number
}

/** Registers the worker, and waits until there is something to do. */
function look(ports: WorkerPorts, options: WorkerOptions, { drain }: Ending, known?: WorkerId): Promise<WorkFound> {
  const { context, say, clock } = ports
  const { project, team, run, role, pollIntervalSeconds, freshStartInterval, keepPolling, isManaged, loop } = options
  const search = { project, team, run, role, pollIntervalSeconds, freshStartInterval, keepPolling, isManaged, loop }
  return waitForWork(context, { ...search, workerId: known ?? options.workerId }, { say, clock, signal: drain })
}

/** Why a look was the last one; undefined when there is work. */
function endOf({ reason }: WorkFound, ending: Ending): WorkerEnd["reason"] | undefined {
  if (reason === "found") return undefined
  return reason === "interrupted" ? (ending.reason() ?? "stopped") : reason
}

async function beginShift(
  ports: WorkerPorts,
  options: WorkerOptions,
  {
    ending,
    worker,
  }: { readonly ending: Ending; readonly worker: { readonly id: WorkerId; readonly role: Role | null } },
): Promise<Shift> {
  const team = { project: options.project, team: options.team, run: options.run }
  const history = followHistory(ports.context, team)
  const before = (await history.read()).workers.get(worker.id)
  if (before !== undefined && before.exitedAt === null && ports.isAlive(before)) {
    throw new AppError(
      "worker.unavailable",
      (say) =>
        `worker ${worker.id} runs already, as process ${before.pid}; stop that one, or use another ${say.field("workerId")}`,
      { worker: worker.id, pid: before.pid },
    )
  }
  if (before !== undefined) await ports.endOrphans(before)
  const { runtime, machine, pid, processStart } = options.process
  const self = { worker: worker.id, role: worker.role, runtime, machine, pid, process_start: processStart }
  await noteWorkerStarted(ports.context, { ...team, ...self })
  const other = options.isManaged ? undefined : await findOtherMergePlace(ports.context, team, options.place)
  if (other !== undefined)
    ports.say(
      `This repository (${options.place.folder}) is linked to project ${team.project}; the work of project ${team.project} is merged in ${other.folder}. What is done here counts once it was brought there; each task that is done says how`,
    )
  return { ports, options, team, worker: worker.id, history, ending }
}

async function leave({ ports, team, worker }: Shift, reason: "done" | "stopped" | "crashed", detail: string) {
  await noteWorkerExited(ports.context, { ...team, by: worker, worker, reason, detail })
}

async function work(
  shift: Shift,
  tally: Tally,
  endWithoutWork: WorkerEnd["reason"] | undefined,
): Promise<WorkerEnd["reason"]> {
  const { ports, options, ending } = shift
  const { maxConsecutiveErrors } = options.settings
  const held = await resumeClaim(shift)
  if (held === undefined && endWithoutWork !== undefined && endWithoutWork !== "shutdown") return endWithoutWork
  for (let next = held ?? (await nextClaim(shift)); ; next = await nextClaim(shift)) {
    if (typeof next === "string") return next
    const { task } = next
    ports.say(`Claimed task ${task.id}: "${task.title}" (attempt ${task.attempt})`)
    ports.showTitle?.(`${titleOf(shift)}: task ${task.id}, ${task.title}`)
    const outcome = await doTask(shift, next)
    if (outcome.kind === "delivered") {
      tally.delivered.push(task.id)
      tally.errors = 0
    } else if (outcome.kind === "set-back") {
      tally.setBack.push(task.id)
      if (isOfTheWorker(outcome.setback)) tally.errors++
    }
    if (options.once) return ending.reason() ?? "once"
    // An orchestrator puts it in quarantine instead.
    if (!options.isManaged && maxConsecutiveErrors > 0 && tally.errors >= maxConsecutiveErrors) return "failures"
  }
}

function titleOf({ options, worker }: Shift): string {
  return `${options.role ?? GENERIC_ROLE}-${worker}`
}

/** After a claim that got nothing although there seemed to be something, again. */
const PAUSE_MS = 100

/** The next task, however long it takes until there is one, or why there will be none. */
async function nextClaim(shift: Shift): Promise<Claimed | WorkerEnd["reason"]> {
  const { ports, options, ending, worker } = shift
  for (let misses = 0; ; misses++) {
    if (ending.reason() === undefined) await heedShutdown(shift)
    const reason = ending.reason()
    if (reason !== undefined) return reason
    const claimed = await claim(shift, { next: true })
    if (claimed !== undefined) return claimed
    if (misses === 0) ports.showTitle?.(`${titleOf(shift)}: waiting`)
    if (misses > 1) await ports.sleep(PAUSE_MS, ending.drain)
    const found = await look(ports, options, ending, worker)
    const end = endOf(found, ending)
    if (end !== undefined && end !== "shutdown") return end
  }
}

interface Claimed {
  readonly task: Task
  /** Somebody may have done something for this attempt already. */
  readonly wasBegun: boolean
}

/** What an earlier process of this worker held when it died. */
async function resumeClaim(shift: Shift): Promise<Claimed | undefined> {
  const { ports, team, worker } = shift
  const held = await workerAttempt.run(ports.context, { ...team, workerId: worker })
  if (held === null) return undefined
  const claimed = await claim(shift, { id: held.task as TaskId })
  return claimed && { ...claimed, wasBegun: true }
}

/** Reasons to wait and see. */
const NOTHING_NOW: readonly ErrorCode[] = [
  "task.none_available",
  "task.not_ready",
  "task.already_claimed",
  "team.paused",
  "worker.unavailable",
]

async function claim(
  shift: Shift,
  which: { readonly id: TaskId } | { readonly next: true },
): Promise<Claimed | undefined> {
  const { ports, options, team, worker } = shift
  const { role, settings } = options
  try {
    const request = { ...team, ...which, owner: worker, workerId: worker, role, leaseSeconds: settings.leaseSeconds }
    const { task } = await claimTask.run(ports.context, request)
    return { task, wasBegun: task.claimToken > 1 }
  } catch (error) {
    if (error instanceof AppError && NOTHING_NOW.includes(error.code)) return undefined
    throw error
  }
}
