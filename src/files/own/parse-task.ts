import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import { PHASES } from "../../kernel/phase.ts"
import { EXCEPTION_STATUSES, type Exception } from "../../ownership/exception.ts"
import { EFFORTS } from "../../tasks/effort.ts"
import {
  EVIDENCE_TRUSTS,
  EVIDENCE_TYPES,
  type Evidence,
  type EvidenceFacts,
  FILE_ACTIONS,
} from "../../tasks/evidence.ts"
import { QA_STATES } from "../../tasks/qa-state.ts"
import { COMPLEXITIES, MAX_PRIORITY, NO_WORK, ROLES, TASK_STATUSES, type Work } from "../../tasks/task.ts"
import type { SnapshotTask } from "../snapshot.ts"
import {
  choice,
  id,
  ids,
  type Json,
  object,
  objects,
  orNull,
  Problem,
  text,
  texts,
  time,
  whole,
  yesOrNo,
} from "./checked.ts"
import { OLD_STATUSES, type OldStatus } from "./task-file.ts"

export interface FoundTask {
  readonly place: number
  readonly task: SnapshotTask
  /** The one the old readers see; it says nothing that the true one does not. */
  readonly oldStatus: OldStatus
}

/** The task of a file `tasks/{id}.json`. */
export function parseTask(from: Json): FoundTask {
  const more = object(from, "teamwork")
  const taskId = id<TaskId>(from, "id")
  const task: SnapshotTask = {
    id: taskId,
    title: text(from, "title"),
    description: text(from, "description"),
    role: choice(from, "role", ROLES),
    complexity: choice(from, "complexity", COMPLEXITIES),
    blockedBy: ids<TaskId>(from, "blocked_by"),
    wave: from.wave === undefined ? null : whole(from, "wave", 1),
    createdAt: time(from, "created_at"),
    updatedAt: time(from, "updated_at"),
    claimedBy: orNull(from, "claimed_by", text),
    claimedAt: orNull(from, "claimed_at", time),
    completedAt: orNull(from, "completed_at", time),
    evidence: objects(from, "evidence").map((entry, index) => parseEvidence(entry, taskId, index + 1)),
    version: whole(from, "version", 1),
    status: choice(more, "status", TASK_STATUSES),
    pausedFrom: orNull(more, "paused_from", taskStatus),
    pauseReason: orNull(more, "pause_reason", text),
    acceptance: texts(more, "acceptance"),
    checks: texts(more, "checks"),
    files: texts(more, "files"),
    agentType: orNull(more, "agent_type", text),
    assignee: orNull(more, "assignee", id<WorkerId>),
    work: more.work === undefined ? NO_WORK : parseWork(object(more, "work")),
    priority: more.priority === undefined ? 0 : whole(more, "priority", -MAX_PRIORITY),
    attempt: whole(more, "attempt", 1),
    result: orNull(more, "result", text),
    phase: more.phase === undefined ? null : choice(more, "phase", PHASES),
    qa: more.qa === undefined ? null : choice(more, "qa", QA_STATES),
    claimToken: whole(more, "claim_token", 0),
    leaseUntil: orNull(more, "lease_until", time),
    leaseMs: whole(more, "lease_ms", 0),
    previousOwner: orNull(more, "previous_owner", text),
    workerId: orNull(more, "worker_id", id<WorkerId>),
    height: whole(more, "height", 0),
    // Exports of earlier versions have none.
    exceptions:
      more.exceptions === undefined
        ? []
        : objects(more, "exceptions").map((entry, index) => parseException(entry, taskId, index + 1)),
  }
  return { place: whole(more, "place", 1), task, oldStatus: choice(from, "status", OLD_STATUSES) }
}

function parseWork(from: Json): Work {
  const said = (key: string) => from[key] !== undefined
  return {
    agent: said("agent") ? text(from, "agent") : null,
    model: said("model") ? text(from, "model") : null,
    effort: said("effort") ? choice(from, "effort", EFFORTS) : null,
    commands: said("commands") ? texts(from, "commands") : [],
    repair: said("repair") ? texts(from, "repair") : [],
    cascadeOf: said("cascade_of") ? id<TaskId>(from, "cascade_of") : null,
    cascadeDepth: said("cascade_depth") ? whole(from, "cascade_depth", 0) : 0,
  }
}

function taskStatus(from: Json, key: string) {
  return choice(from, key, TASK_STATUSES)
}

/** Entries are numbered by where they stand, as in the store. */
function parseEvidence(from: Json, taskId: TaskId, number: number): Evidence {
  return {
    number,
    taskId,
    attempt: whole(from, "attempt", 1),
    type: choice(from, "type", EVIDENCE_TYPES),
    trust: choice(from, "trust", EVIDENCE_TRUSTS),
    text: text(from, "text"),
    facts: parseFacts(from),
    blockedPattern: orNull(from, "blocked_pattern", text),
    by: text(from, "by"),
    timestamp: time(from, "timestamp"),
    withdrawnAt: orNull(from, "withdrawn_at", time),
  }
}

function parseException(from: Json, taskId: TaskId, number: number): Exception {
  return {
    number,
    taskId,
    attempt: whole(from, "attempt", 1),
    pattern: text(from, "pattern"),
    reason: text(from, "reason"),
    askedBy: text(from, "asked_by"),
    askedAt: time(from, "asked_at"),
    status: choice(from, "status", EXCEPTION_STATUSES),
    decidedBy: orNull(from, "decided_by", text),
    decidedAt: orNull(from, "decided_at", time),
    decision: orNull(from, "decision", text),
  }
}

function parseFacts(from: Json): EvidenceFacts {
  return {
    ...(from.command === undefined ? {} : { command: text(from, "command") }),
    ...(from.output === undefined ? {} : { output: text(from, "output") }),
    ...(from.exit_code === undefined ? {} : { exitCode: whole(from, "exit_code", Number.MIN_SAFE_INTEGER) }),
    ...(from.action === undefined ? {} : { action: choice(from, "action", FILE_ACTIONS) }),
    ...(from.path === undefined ? {} : { path: text(from, "path") }),
    ...(from.passed === undefined ? {} : { passed: whole(from, "passed", 0) }),
    ...(from.failed === undefined ? {} : { failed: whole(from, "failed", 0) }),
    ...(from.output_hash === undefined ? {} : { outputHash: text(from, "output_hash") }),
    ...(from.duration_ms === undefined ? {} : { durationMs: duration(from, "duration_ms") }),
    ...(from.commit === undefined ? {} : { commit: text(from, "commit") }),
    ...(from.is_dirty === undefined ? {} : { isDirty: yesOrNo(from, "is_dirty") }),
  }
}

function duration(from: Json, key: string): number {
  const value = from[key]
  if (typeof value !== "number" || value < 0) throw new Problem(`${key} is not a number from 0 on`)
  return value
}
