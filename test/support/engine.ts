// What the engine's rules are asked about, with nothing remarkable in it.

import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import type { EngineLimits, EngineSnapshot, EngineWorker } from "../../src/orchestrator/actions.ts"
import type { Finding } from "../../src/quality/finding.ts"
import { emptyHistory, type History, taskOf, workerOf } from "../../src/reporting/history.ts"
import type { RunFact, WorkerFact } from "../../src/reporting/history-facts.ts"
import type { Task } from "../../src/tasks/task.ts"
import { makeTask } from "./tasks.ts"

export const NOW = Date.parse("2026-03-01T12:00:00.000Z")

export const LIMITS: EngineLimits = {
  ...{
    maxAgents: 5,
    staffing: { kind: "auto" },
    maxRuns: 0,
    maxRestarts: 3,
    maxTimeoutRestarts: 2,
    maxConsecutiveErrors: 3,
  },
  ...{ watchdogWarningMs: 300_000, watchdogGraceMs: 120_000, watchdogReassignMs: 600_000, freshStartMs: 3_600_000 },
  restartBackoffMs: [5000, 10_000, 20_000],
  onBlockerFailed: "ask",
  ...{ enableCascade: true, enableReview: true, reviewRequired: false, deliver: true, maxRefusals: 3 },
  partialDelivery: "ask",
  ...{ budget: { tokens: 0, dollars: 0 }, budgetPerWorker: { tokens: 0, dollars: 0 } },
}

/** A team at work, everything else as given. */
export function makeSnapshot(change: Partial<EngineSnapshot> = {}): EngineSnapshot {
  return {
    now: NOW,
    team: { phase: "EXECUTION", status: "active", mode: "FULL_AUTO", schedule: "waves" },
    tasks: [],
    waves: { version: "1.0", totalWaves: 0, currentWave: 0, waves: [] },
    workers: [],
    history: emptyHistory(),
    ...{
      settled: new Set<string>(),
      queued: new Map<string, string>(),
      elsewhere: new Map<string, string>(),
      tested: new Set<string>(),
      refusals: new Map<string, number>(),
      isPausedByEngine: false,
    },
    ...{
      busy: null,
      final: null,
      part: null,
      review: null,
      unreviewed: null,
      isReviewAsked: false,
      delivery: "none",
      troubles: [],
    },
    ...{ approvals: [], finalApproval: null },
    ...{ questions: [], findings: [] },
    ...change,
  }
}

/** One that runs, does nothing, and did something just now. */
export function makeWorker(id: string, change: Partial<EngineWorker> = {}): EngineWorker {
  return {
    ...{ id: parseWorkerId(id), role: "worker", availability: "idle", currentTask: null, activeAt: NOW },
    isRunning: true,
    ...change,
  }
}

export function openTask(id: string, change: Partial<Task> = {}): Task {
  return makeTask({ id: parseTaskId(id), role: "worker", ...change })
}

export function heldTask(id: string, worker: string, change: Partial<Task> = {}): Task {
  return openTask(id, {
    ...{ status: "in_progress", claimedBy: worker, workerId: parseWorkerId(worker), claimToken: 1 },
    ...{ claimedAt: new Date(NOW).toISOString(), leaseUntil: new Date(NOW + 120_000).toISOString() },
    ...change,
  })
}

export function historyOf(
  workers: Record<string, Partial<WorkerFact>>,
  setbacks: Record<string, number> = {},
): History {
  const history = emptyHistory()
  for (const [id, change] of Object.entries(workers)) Object.assign(workerOf(history, id), change)
  for (const [id, times] of Object.entries(setbacks))
    for (let time = 0; time < times; time++)
      taskOf(history, id).setbacks.push({ kind: "lost", agent: null, at: NOW, worker: "w1" })
  return history
}

type Run = Partial<Omit<RunFact, "task">> & { readonly task?: string | null }

/** Runs of agents, each of claude by w1 for task 1 unless it says otherwise. */
export function withRuns(runs: Run[], history: History = emptyHistory()): History {
  for (const [index, change] of runs.entries())
    history.runs.set(`r${index}`, {
      ...{
        id: `r${index}`,
        attempt: 1,
        worker: "w1",
        agent: "claude",
        model: null,
        turn: 1,
        startedAt: NOW,
      },
      ...{
        endedAt: NOW,
        reason: "done",
        error: null,
        session: null,
        inputTokens: 0,
        cachedTokens: 0,
        tokens: 0,
        dollars: null,
      },
      ...{ dollarsAreEstimated: false, ...change },
      task: change.task === null ? null : parseTaskId(change.task ?? "1"),
    })
  return history
}

/** An open major finding of the review, with no fix yet. */
export function makeFinding(change: Partial<Finding> = {}): Finding {
  const at = new Date(NOW).toISOString()
  return {
    ...{ number: 1, severity: "major", taskId: null, file: "a.ts", line: 1, text: "wrong", status: "open" },
    ...{ source: "review", reportedIn: null, commit: null, by: "reviewer", agent: "codex", fixTask: null, rounds: 0 },
    ...{ isRetry: false, fixedIn: null, fixedBy: null, waivedBy: null, reason: null, createdAt: at, updatedAt: at },
    ...change,
  }
}
