import { UNITED } from "../delivery/shared-files/shared-file.ts"
import { ENGINE } from "../kernel/actor.ts"
import { type Budget, parseBudget, readBudget } from "../kernel/budget.ts"
import { type Event, taskOfEvent } from "../kernel/events.ts"
import { readStandings, type Standing } from "../quality/baseline.ts"
import { isWorkerFault } from "../tasks/retry.ts"
import { hasEnded } from "../tasks/task.ts"
import { applyToTasksAtWork, isLate } from "./at-work.ts"
import { applyToEngine, endTaskGate, type GateFact, type MergeFact } from "./engine-work.ts"
import { describeForeignMove } from "./foreign-moves.ts"
import { newTask, newWorker, type RunFact, type TaskFact, type WorkerFact } from "./history-facts.ts"
import { budgetIn, NOTHING_SPENT, type Spending, sumSpending } from "./spending.ts"

/** The state that a team's events add up to. The engine, the live view and the report read it. */
export interface History {
  /** In the order of their starts. */
  readonly runs: Map<string, RunFact>
  readonly workers: Map<string, WorkerFact>
  readonly tasks: Map<string, TaskFact>
  /** The settings of the latest orchestrator, as JSON. */
  settings: string | null
  /** From the latest plan. */
  planned: {
    readonly workers: string | null
    readonly template: string | null
    readonly followUps: boolean | null
    readonly budget: Budget | null
  } | null
  /** Null where the settings decide. */
  budget: Budget | null
  /** What was spent when a person last continued past the budget, which counts from there. */
  budgetFrom: Pick<Spending, "tokens" | "dollars" | "unmeasured" | "unpriced">
  /** The budget paused the team. */
  isOverBudget: boolean
  /** The baseline of the latest run. */
  preflight: { readonly commit: string; readonly gates: readonly Standing[] } | null
  /** Of the first orchestrator. */
  startedAt: number | null
  /** Of the latest orchestrator. */
  ledAt: number | null
  endedAt: number | null
  endReason: string | null
  pausedBy: string | null
  pauseReason: string | null
  resumedAt: number | null
  /** A killed process records no end; the next merge or leader clears it. */
  merging: MergeFact | null
  /** Gates that run now, by scope and subject. */
  readonly gates: Map<string, GateFact>
  deliveredAt: number | null
  /** Tasks that the last delivery left out, with reasons. */
  deliveredWithout: readonly string[]
  deliveryNotes: string[]
  mergedAt: number | null
  /** What others did to refs, in words. */
  foreignMoves: string[]
  lastEventAt: number
}

export function emptyHistory(): History {
  return {
    planned: null,
    preflight: null,
    budget: null,
    budgetFrom: NOTHING_SPENT,
    isOverBudget: false,
    runs: new Map(),
    workers: new Map(),
    tasks: new Map(),
    settings: null,
    startedAt: null,
    ledAt: null,
    endedAt: null,
    endReason: null,
    merging: null,
    gates: new Map(),
    pausedBy: null,
    pauseReason: null,
    resumedAt: null,
    deliveredAt: null,
    deliveredWithout: [],
    mergedAt: null,
    lastEventAt: 0,
    foreignMoves: [],
    deliveryNotes: [],
  }
}

/** Apply each event once, in order. */
export function applyEvent(history: History, event: Event): void {
  const at = Date.parse(event.timestamp)
  history.lastEventAt = at
  const task = taskOfEvent(event)
  if (task !== undefined) taskOf(history, task)
  if ("worker" in event.data && event.data.worker !== null) workerOf(history, event.data.worker)
  const foreign = describeForeignMove(event)
  if (foreign !== undefined) history.foreignMoves.push(foreign)
  applyToTeam(history, event, at)
  applyToWorker(history, event, at)
  applyToRun(history, event, at)
  applyToTask(history, event, at)
  applyToEngine(history, event, at)
  applyToTasksAtWork(history.tasks, event)
}

function applyToTeam(history: History, { type, data, by }: Event, at: number): void {
  switch (type) {
    case "team.paused":
      history.pausedBy = by
      history.pauseReason = data.reason
      history.isOverBudget = data.trigger === "budget"
      break
    case "team.led":
      history.settings = data.settings
      takeBudget(history, data.settings)
      history.startedAt ??= at
      history.ledAt = at
      history.endedAt = null
      history.endReason = null
      // A new start forgives crashes. A quarantine needs `resume`.
      for (const worker of history.workers.values()) worker.crashes = 0
      break
    case "team.left":
      history.endedAt = at
      history.endReason = data.reason
      break
    case "team.closed":
      history.endedAt ??= at
      history.endReason ??= "closed"
      break
    case "team.resumed":
      history.resumedAt = at
      if (history.isOverBudget) history.budgetFrom = sumSpending(history).team
      history.isOverBudget = false
      break
    case "plan.applied":
      history.planned = {
        workers: data.workers,
        template: data.template,
        followUps: data.follow_ups ?? null,
        budget: data.budget === undefined ? null : readBudget(parseBudget(data.budget)),
      }
      break
    case "preflight.done":
      history.preflight = { commit: data.commit, gates: readStandings(data.gates) }
      break
    case "target.delivered":
      history.deliveredAt = at
      history.deliveredWithout = data.left_out ?? []
      for (const note of data.notes ?? []) if (!history.deliveryNotes.includes(note)) history.deliveryNotes.push(note)
      break
    case "target.undone":
      history.deliveredAt = null
      history.deliveredWithout = []
      break
    case "target.rewritten":
      history.deliveryNotes.push(
        `${data.target} no longer has ${data.dropped.join(", ")}; the work was carried over without, as it was before: ${data.former}`,
      )
      break
    default:
  }
}

/** A changed budget counts from the beginning of the run. */
function takeBudget(history: History, settings: string): void {
  const budget = readBudget(budgetIn(settings))
  if (budget?.tokens === history.budget?.tokens && budget?.dollars === history.budget?.dollars) return
  history.budget = budget
  history.budgetFrom = NOTHING_SPENT
  history.isOverBudget = false
}

function applyToWorker(history: History, { type, data }: Event, at: number): void {
  switch (type) {
    case "worker.spawned": {
      const { runtime, machine, pid, process_start: processStart } = data
      workerOf(history, data.worker).spawned = { runtime, machine, pid, processStart }
      break
    }
    case "worker.started": {
      const worker = workerOf(history, data.worker)
      worker.role = data.role
      worker.runtime = data.runtime
      worker.machine = data.machine
      worker.pid = data.pid
      worker.processStart = data.process_start
      worker.startedAt = at
      worker.exitedAt = null
      worker.exitReason = null
      worker.statusCheckedAt = null
      worker.starts++
      break
    }
    case "worker.exited":
      endWorker(workerOf(history, data.worker), data.reason, at)
      break
    case "worker.quarantined":
      workerOf(history, data.worker).quarantined = true
      break
    case "worker.resumed": {
      const worker = workerOf(history, data.worker)
      worker.quarantined = false
      worker.consecutiveErrors = 0
      worker.crashes = 0
      break
    }
    case "worker.status_checked":
      workerOf(history, data.worker).statusCheckedAt = at
      break
    default:
  }
}

function endWorker(worker: WorkerFact, reason: string, at: number): void {
  if (worker.startedAt !== null && worker.exitedAt === null) worker.aliveMs += Math.max(0, at - worker.startedAt)
  worker.exitedAt = at
  worker.spawned = null
  worker.exitReason = reason
  if (reason === "done" || reason === "stopped") return
  worker.crashes++
  worker.allCrashes++
}

function applyToRun(history: History, { type, data }: Event, at: number): void {
  if (type === "run.started") {
    const { run: id, task, attempt, worker, agent, model, turn, sent_tokens, own_tokens } = data
    history.runs.set(id, {
      id,
      task,
      attempt,
      worker,
      agent,
      model,
      turn,
      startedAt: at,
      endedAt: null,
      reason: null,
      error: null,
      session: null,
      tokens: 0,
      dollars: null,
      dollarsAreEstimated: false,
      inputTokens: 0,
      cachedTokens: 0,
      ...(own_tokens === undefined ? {} : { words: { sent: sent_tokens ?? own_tokens, own: own_tokens } }),
    })
  }
  if (type === "run.progress") {
    const run = history.runs.get(data.run)
    if (run === undefined || run.endedAt !== null) return
    run.tokens = data.tokens
    run.dollars = data.dollars
    run.dollarsAreEstimated = true
  }
  if (type !== "run.ended") return
  const run = history.runs.get(data.run)
  if (run === undefined) return
  run.endedAt = at
  run.reason = data.reason
  run.error = data.error
  run.session = data.session
  run.tokens = data.input_tokens + data.output_tokens
  run.inputTokens = data.input_tokens
  run.cachedTokens = data.cached_tokens
  run.dollars = data.dollars
  run.dollarsAreEstimated = data.dollars_are_estimated
}

function applyToTask(history: History, { type, data, by }: Event, at: number): void {
  switch (type) {
    case "task.claimed": {
      const task = taskOf(history, data.task)
      endClaim(history, task, at)
      if (task.worker !== null && task.worker !== by) task.takenFrom.push(task.worker)
      task.worker = by
      task.startedAt ??= at
      task.endedAt = null
      task.claimedAt = at
      workerOf(history, by).busySince = at
      break
    }
    case "task.step": {
      const task = taskOf(history, data.task)
      if (!isLate(task, data.worker)) task.step = { name: data.step, worker: data.worker, at }
      break
    }
    case "task.setback": {
      const { kind, agent } = data
      taskOf(history, data.task).setbacks.push({ kind, agent, at, worker: data.worker })
      const worker = workerOf(history, data.worker)
      worker.allSetbacks++
      if (isWorkerFault(kind)) worker.consecutiveErrors++
      break
    }
    case "task.released":
      endClaim(history, taskOf(history, data.task), at)
      break
    case "task.resolved":
      taskOf(history, data.task).endedAt = at
      finish(history, taskOf(history, data.task), at)
      break
    case "task.status_changed": {
      const task = taskOf(history, data.task)
      if (hasEnded(data.to)) task.endedAt = at
      task.reason = data.reason
      if (data.to === "in_review") finish(history, task, at)
      else if (data.from === "in_progress") endClaim(history, task, at)
      break
    }
    case "task.reopened": {
      const task = taskOf(history, data.task)
      task.setbacks = []
      task.endedAt = null
      task.aside = null
      task.isUnblockedNotified = false
      task.recheckOf = null
      task.heldAfter = null
      if (by === ENGINE) task.retries++
      break
    }
    case "task.recheck_asked":
      taskOf(history, data.task).recheckOf = data.of
      break
    case "task.rechecked": {
      const task = taskOf(history, data.task)
      task.heldAfter = data.holds ? task.recheckOf : null
      task.recheckOf = null
      break
    }
    case "task.unblocked":
      taskOf(history, data.task).isUnblockedNotified = true
      break
    case "task.work_missing": {
      const { attempt, commit, machine, folder, command } = data
      taskOf(history, data.task).missing = { attempt, commit, machine, folder, command }
      break
    }
    case "task.merged":
      taskOf(history, data.task).mergedAttempt = data.attempt
      taskOf(history, data.task).missing = null
      history.mergedAt = at
      break
    case "task.shared_files_merged": {
      const fact = taskOf(history, data.task)
      fact.united = [...new Set([...fact.united, ...data.paths.filter((_, at) => data.how[at] === UNITED)])]
      break
    }
    case "ownership.set_aside":
      taskOf(history, data.task).aside = { ref: data.ref, paths: data.paths }
      break
    case "task.merge_failed":
      // A fix that does not merge is done again itself.
      if (data.fix !== data.task) taskOf(history, data.fix).fixOf = data.task
      break
    default:
  }
}

function finish(history: History, task: TaskFact, at: number): void {
  const isOpen = task.claimedAt !== null
  endClaim(history, task, at)
  if (!isOpen || task.worker === null) return
  const worker = workerOf(history, task.worker)
  worker.finished++
  worker.consecutiveErrors = 0
  worker.crashes = 0
}

function endClaim(history: History, task: TaskFact, at: number): void {
  task.step = null
  endTaskGate(history, task.id)
  if (task.claimedAt === null || task.worker === null) return
  const ms = Math.max(0, at - task.claimedAt)
  const worker = workerOf(history, task.worker)
  task.workMs += ms
  worker.busyMs += ms
  worker.busySince = null
  task.claimedAt = null
}

export function workerOf(history: History, id: string): WorkerFact {
  const known = history.workers.get(id)
  if (known !== undefined) return known
  const made = newWorker(id)
  history.workers.set(id, made)
  return made
}

export function taskOf(history: History, id: string): TaskFact {
  const known = history.tasks.get(id)
  if (known !== undefined) return known
  const made = newTask(id)
  history.tasks.set(id, made)
  return made
}
