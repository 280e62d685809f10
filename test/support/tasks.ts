import type { TaskId } from "../../src/kernel/ids.ts"
import { NO_WORK, type Task } from "../../src/tasks/task.ts"

/** An open task that nobody has touched. */
export function makeTask(change: Partial<Task> = {}): Task {
  return {
    id: "1" as TaskId,
    title: "Paint",
    description: "",
    role: "backend",
    complexity: "standard",
    blockedBy: [],
    acceptance: [],
    checks: [],
    files: [],
    agentType: null,
    assignee: null,
    work: NO_WORK,
    priority: 0,
    status: "open",
    pausedFrom: null,
    pauseReason: null,
    unmet: 0,
    wave: null,
    attempt: 1,
    result: null,
    phase: null,
    qa: null,
    claimedBy: null,
    claimedAt: null,
    claimToken: 0,
    leaseUntil: null,
    workerId: null,
    version: 1,
    createdAt: "2026-01-02T03:04:05.678Z",
    updatedAt: "2026-01-02T03:04:05.678Z",
    completedAt: null,
    ...change,
  }
}
