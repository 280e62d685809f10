// A small team with something of everything, as somebody would make it; the examples in docs/files.md are its export.

import type { SnapshotTask, SnapshotWorker } from "../../src/files/snapshot.ts"
import type { TaskId, WorkerId } from "../../src/kernel/ids.ts"
import { UNGUARDED } from "../../src/kernel/team.ts"
import type { Evidence } from "../../src/tasks/evidence.ts"
import { NO_WORK } from "../../src/tasks/task.ts"
import type { WholeTeam } from "./snapshots.ts"

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute)).toISOString()
const T1 = "1" as TaskId
const W1 = "w1" as WorkerId
const W2 = "w2" as WorkerId

function makeTask(id: string, change: Partial<SnapshotTask>): SnapshotTask {
  return {
    id: id as TaskId,
    title: "",
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
    wave: null,
    height: 0,
    attempt: 1,
    result: null,
    phase: null,
    qa: null,
    claimedBy: null,
    claimedAt: null,
    claimToken: 0,
    leaseUntil: null,
    leaseMs: 0,
    workerId: null,
    previousOwner: null,
    version: 1,
    createdAt: at(1),
    updatedAt: at(1),
    completedAt: null,
    evidence: [],
    exceptions: [],
    ...change,
  }
}

function makeWorker(id: WorkerId, change: Partial<SnapshotWorker>): SnapshotWorker {
  const none = { role: null, sessionId: null, pane: null, worktree: null, branch: null }
  return { id, ...none, availability: "idle", heartbeatAt: at(20), createdAt: at(5), ...change }
}

const EVIDENCE: Evidence = {
  number: 1,
  taskId: "1" as TaskId,
  attempt: 1,
  type: "command",
  trust: "attested",
  text: "",
  facts: {
    command: "npm test",
    exitCode: 0,
    output: "12 passed",
    outputHash: "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab",
    durationMs: 1520,
    commit: "3f786850e387550fdab836ed7e6dc881de23001b",
    isDirty: false,
  },
  blockedPattern: null,
  by: "w1",
  timestamp: at(14),
  withdrawnAt: null,
}

export const SAMPLE_TEAM: WholeTeam = {
  snapshot: {
    team: {
      project: "shop",
      team: "main",
      run: 1,
      goal: "Sell things",
      phase: "EXECUTION",
      status: "active",
      pauseReason: null,
      mode: "FULL_AUTO",
      schedule: "waves",
      ...UNGUARDED,
      createdAt: at(0),
      updatedAt: at(20),
      nextTask: 4,
      nextWorker: 3,
    },
    tasks: [
      makeTask("1", {
        title: "Catalogue",
        description: "List what is for sale.",
        status: "resolved",
        wave: 1,
        height: 1,
        acceptance: ["every article has a price"],
        checks: ["npm test"],
        files: ["src/catalogue/**"],
        claimedBy: "w1",
        claimedAt: at(6),
        claimToken: 1,
        leaseMs: 900_000,
        workerId: W1,
        version: 4,
        updatedAt: at(15),
        completedAt: at(15),
        result: "src/catalogue is done",
        evidence: [EVIDENCE],
      }),
      makeTask("2", {
        title: "Basket",
        role: "frontend",
        blockedBy: ["1" as TaskId],
        status: "in_review",
        wave: 2,
        claimedBy: "w2",
        claimedAt: at(16),
        claimToken: 1,
        leaseMs: 900_000,
        workerId: W2,
        version: 3,
        updatedAt: at(20),
      }),
      makeTask("3", { title: "Manual", role: "docs", blockedBy: ["1" as TaskId], wave: 2 }),
    ],
    waves: [
      { number: 1, verdict: "verified", startedAt: at(4), verifiedAt: at(16) },
      { number: 2, verdict: null, startedAt: at(16), verifiedAt: null },
    ],
    workers: [
      makeWorker(W1, { role: "backend", heartbeatAt: at(15) }),
      makeWorker(W2, { role: "frontend", pane: "%3", worktree: "worktrees/w2", branch: "worker-w2" }),
    ],
    messages: [
      {
        id: "0b9f8a52-4a3e-4c1a-9d0b-6f2f1f0f7a11",
        from: "w1",
        to: "orchestrator",
        type: "idle_notification",
        payload: { completed_status: "resolved", completed_task_id: "1", worker_id: "w1" },
        timestamp: at(15),
        deliveredAt: at(16),
        read: true,
        readAt: at(16),
      },
    ],
    records: [
      {
        kind: "wisdom",
        number: 1,
        taskId: "1" as TaskId,
        attempt: 1,
        status: "kept",
        data: { type: "learning", text: "Prices are in cents" },
        by: "w1",
        createdAt: "2026-03-02T09:14:00.000Z",
        updatedAt: "2026-03-02T09:14:00.000Z",
      },
    ],
    verdicts: [
      {
        scope: "wave",
        subject: "1",
        status: "passed",
        checks: [
          { name: "all_tasks_resolved", status: "passed" },
          {
            ...{ name: "build_succeeds", status: "passed", evidence: "npm run build -> 0" },
            ...{ command: "npm run build", durationMs: 1200, outputFile: "/home/gates/1/output.txt" },
          },
        ],
        issues: [],
        by: "orchestrator",
        timestamp: at(16),
        commit: "1".repeat(40),
        tree: "2".repeat(40),
      },
    ],
    loops: [{ active: true, project: "shop", team: "main", role: "frontend", startedAt: at(5), terminalId: "pane-3" }],
    documents: [
      {
        path: "tasks/old-plan.md",
        content: "# The plan before this one\n",
        encoding: "utf8",
        by: "import",
        createdAt: at(0),
        updatedAt: at(0),
      },
      {
        path: "wisdom/learnings.md",
        content: "Prices are in cents.\n",
        encoding: "utf8",
        by: "w1",
        createdAt: at(12),
        updatedAt: at(12),
      },
    ],
  },
  history: [
    { type: "team.created", version: 1, timestamp: at(0), by: "person", data: { goal: "Sell things" } },
    {
      type: "task.created",
      version: 1,
      timestamp: at(1),
      by: "person",
      data: { blocked_by: [], task: T1, title: "Catalogue" },
    },
    { type: "task.resolved", version: 1, timestamp: at(15), by: "w1", data: { attempt: 1, task: T1, token: 1 } },
  ],
}
