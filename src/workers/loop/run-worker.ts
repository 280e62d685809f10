// A worker claims a task, does it, delivers it, claims the next. It is idle (waits for work), busy (holds a claim) or
// ending (takes nothing new). It may die at any moment: the store has its claim, its worktree the work.
import { AppError, type ErrorCode } from "../../kernel/errors.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import { followHistory } from "../../reporting/operations/read-history.ts"
import { type WorkFound, waitForWork } from "../../tasks/effects/wait-for-work.ts"
import { claimTask } from "../../tasks/operations/claim-task.ts"
import { isWorkerFault } from "../../tasks/retry.ts"
import { GENERIC_ROLE, type Role, type Task } from "../../tasks/task.ts"
import { findOtherMergePlace } from "../operations/merge-place.ts"
import { noteWorkerExited, noteWorkerStarted } from "../operations/worker-life.ts"
import { findAttempt } from "../operations/worker-workspace.ts"
import { doTask } from "./do-task.ts"
import { makeEnding } from "./ending.ts"
import { checkShutdown } from "./inbox.ts"
import type { Ending, WorkerEnd, WorkerOptions, WorkerPorts, WorkerRun } from "./worker-ports.ts"

export async function runWorker(ports: WorkerPorts, options: WorkerOptions): Promise<WorkerEnd> {
  const tally: Tally = { delivered: [], setBack: [], errors: 0 }
  try {
    return await workToEnd(ports, options, tally)
  } catch (error) {
    // A worker belongs to one run of the team. The next run released its claims.
    if (!(error instanceof AppError && error.code === "run.closed")) throw error
    return { worker: options.workerId ?? null, reason: "closed", delivered: tally.delivered, setBack: tally.setBack }
  }
}

async function workToEnd(ports: WorkerPorts, options: WorkerOptions, tally: Tally): Promise<WorkerEnd> {
  using ending = makeEnding(ports, options.settings.shutdownTimeoutMs)
  const found = await findWork(ports, options, ending)
  if (found.worker === null) return { worker: null, reason: endOf(found, ending) ?? "none", delivered: [], setBack: [] }
  const run = await startRun(ports, options, ending, found.worker)
  const { team, worker } = run
  const exit = { ...team, by: worker, worker }
  try {
    const reason = await work(run, tally, endOf(found, ending))
    const isStopped = reason === "stopped" || reason === "drained" || reason === "shutdown"
    await noteWorkerExited(ports.context, { ...exit, reason: isStopped ? "stopped" : "done", detail: reason })
    return { worker, reason, delivered: tally.delivered, setBack: tally.setBack }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    // Report the first error, even when the store cannot record the exit.
    await noteWorkerExited(ports.context, { ...exit, reason: "crashed", detail }).catch(() => undefined)
    throw error
  }
}

interface Tally {
  readonly delivered: TaskId[]
  readonly setBack: TaskId[]
  errors: number
}

function findWork(ports: WorkerPorts, options: WorkerOptions, { drain }: Ending, known?: WorkerId): Promise<WorkFound> {
  const { context, say, clock } = ports
  const { project, team, run, role, pollIntervalSeconds, freshStartInterval, keepPolling, isManaged, loop } = options
  const search = { project, team, run, role, pollIntervalSeconds, freshStartInterval, keepPolling, isManaged, loop }
  return waitForWork(context, { ...search, workerId: known ?? options.workerId }, { say, clock, signal: drain })
}

function endOf({ reason }: WorkFound, ending: Ending): WorkerEnd["reason"] | undefined {
  if (reason === "found") return undefined
  return reason === "interrupted" ? (ending.reason() ?? "stopped") : reason
}

async function startRun(
  ports: WorkerPorts,
  options: WorkerOptions,
  ending: Ending,
  { id: worker, role }: { readonly id: WorkerId; readonly role: Role | null },
): Promise<WorkerRun> {
  const team = { project: options.project, team: options.team, run: options.run }
  const history = followHistory(ports.context, team)
  const before = (await history.read()).workers.get(worker)
  if (before !== undefined && before.exitedAt === null && ports.isAlive(before)) {
    throw new AppError(
      "worker.unavailable",
      (say) =>
        `worker ${worker} runs already, as process ${before.pid}; stop that one, or use another ${say.field("workerId")}`,
      { worker, pid: before.pid },
    )
  }
  if (before !== undefined) await ports.endOrphans(before)
  const { runtime, machine, pid, processStart } = options.process
  await noteWorkerStarted(ports.context, { ...team, worker, role, runtime, machine, pid, process_start: processStart })
  const other = options.isManaged ? undefined : await findOtherMergePlace(ports.context, team, options.place)
  if (other !== undefined)
    ports.say(
      `This repository (${options.place.folder}) is linked to project ${team.project}, whose work is merged in ${other.folder}. Work done here counts once it is brought there; each finished task prints the command`,
    )
  return { ports, options, team, worker, history, ending }
}

async function work(
  run: WorkerRun,
  tally: Tally,
  endWithoutWork: WorkerEnd["reason"] | undefined,
): Promise<WorkerEnd["reason"]> {
  const { ports, options, ending } = run
  const { maxConsecutiveErrors } = options.settings
  const held = await resumeClaim(run)
  if (held === undefined && endWithoutWork !== undefined && endWithoutWork !== "shutdown") return endWithoutWork
  for (let next = held ?? (await nextClaim(run)); ; next = await nextClaim(run)) {
    if (typeof next === "string") return next
    const { task } = next
    ports.say(`Claimed task ${task.id}: "${task.title}" (attempt ${task.attempt})`)
    ports.showTitle?.(`${titleOf(run)}: task ${task.id}, ${task.title}`)
    const outcome = await doTask(run, next)
    if (outcome.kind === "delivered") {
      tally.delivered.push(task.id)
      tally.errors = 0
    } else if (outcome.kind === "set-back") {
      tally.setBack.push(task.id)
      if (isWorkerFault(outcome.setback)) tally.errors++
    }
    if (options.once) return ending.reason() ?? "once"
    // The orchestrator quarantines a managed worker instead.
    if (!options.isManaged && maxConsecutiveErrors > 0 && tally.errors >= maxConsecutiveErrors) return "failures"
  }
}

function titleOf({ options, worker }: WorkerRun): string {
  return `${options.role ?? GENERIC_ROLE}-${worker}`
}

/** After a failed claim although there seemed to be a task. */
const PAUSE_MS = 100

async function nextClaim(run: WorkerRun): Promise<Claimed | WorkerEnd["reason"]> {
  const { ports, options, ending, worker } = run
  for (let misses = 0; ; misses++) {
    if (ending.reason() === undefined) await checkShutdown(run)
    const reason = ending.reason()
    if (reason !== undefined) return reason
    const claimed = await claim(run, { next: true })
    if (claimed !== undefined) return claimed
    if (misses === 0) ports.showTitle?.(`${titleOf(run)}: waiting`)
    if (misses > 1) await ports.sleep(PAUSE_MS, ending.drain)
    const end = endOf(await findWork(ports, options, ending, worker), ending)
    if (end !== undefined && end !== "shutdown") return end
  }
}

interface Claimed {
  readonly task: Task
  /** An earlier claim may have left work of this attempt. */
  readonly wasBegun: boolean
}

/** From an earlier process of this worker that died. */
async function resumeClaim(run: WorkerRun): Promise<Claimed | undefined> {
  const held = await findAttempt(run.ports.context, { ...run.team, workerId: run.worker })
  if (held === null) return undefined
  const claimed = await claim(run, { id: held.task as TaskId })
  return claimed && { ...claimed, wasBegun: true }
}

const NOTHING_NOW: readonly ErrorCode[] = [
  "task.none_available",
  "task.not_ready",
  "task.already_claimed",
  "team.paused",
  "worker.unavailable",
]

async function claim(
  { ports, options, team, worker }: WorkerRun,
  which: { readonly id: TaskId } | { readonly next: true },
): Promise<Claimed | undefined> {
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
