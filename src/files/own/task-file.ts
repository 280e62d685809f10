import type { Exception } from "../../ownership/exception.ts"
import type { Evidence } from "../../tasks/evidence.ts"
import type { TaskStatus, Work } from "../../tasks/task.ts"
import type { SnapshotTask } from "../snapshot.ts"
import { compare } from "./facts.ts"
import type { OutFile } from "./folder.ts"
import { jsonFile } from "./json.ts"

/** The only statuses that readers of the old format know. */
export const OLD_STATUSES = ["open", "in_progress", "resolved"] as const
export type OldStatus = (typeof OLD_STATUSES)[number]

const OLD_STATUS_OF = {
  open: "open",
  in_progress: "in_progress",
  in_review: "in_progress",
  failed: "in_progress",
  resolved: "resolved",
  skipped: "resolved",
} as const satisfies Record<Exclude<TaskStatus, "paused">, OldStatus>

export function oldStatus(task: Pick<SnapshotTask, "status" | "pausedFrom">): OldStatus {
  if (task.status !== "paused") return OLD_STATUS_OF[task.status]
  return task.pausedFrom === "in_progress" || task.pausedFrom === "in_review" ? "in_progress" : "open"
}

/** `place` is the task's among those of its team, in the order in which they were created; it counts from 1. */
export function taskFile(task: SnapshotTask, place: number): OutFile {
  return jsonFile(`tasks/${task.id}.json`, {
    id: task.id,
    title: task.title,
    description: task.description,
    role: task.role,
    complexity: task.complexity,
    status: oldStatus(task),
    blocked_by: task.blockedBy.toSorted(compare),
    ...(task.wave === null ? {} : { wave: task.wave }),
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    claimed_by: task.claimedBy,
    claimed_at: task.claimedAt,
    completed_at: task.completedAt,
    evidence: task.evidence.map(evidenceEntry),
    version: task.version,
    teamwork: {
      place,
      status: task.status,
      paused_from: task.pausedFrom,
      pause_reason: task.pauseReason,
      acceptance: task.acceptance,
      checks: task.checks,
      files: task.files,
      agent_type: task.agentType,
      assignee: task.assignee,
      ...workEntry(task.work),
      ...(task.priority === 0 ? {} : { priority: task.priority }),
      attempt: task.attempt,
      result: task.result,
      ...(task.phase === null ? {} : { phase: task.phase }),
      ...(task.qa === null ? {} : { qa: task.qa }),
      claim_token: task.claimToken,
      lease_until: task.leaseUntil,
      lease_ms: task.leaseMs,
      previous_owner: task.previousOwner,
      worker_id: task.workerId,
      height: task.height,
      ...(task.exceptions.length === 0 ? {} : { exceptions: task.exceptions.map(exceptionEntry) }),
    },
  })
}

/** What nobody said is not written. */
function workEntry({ agent, model, effort, commands, repair, cascadeOf, cascadeDepth }: Work): Record<string, unknown> {
  const work = {
    ...(agent === null ? {} : { agent }),
    ...(model === null ? {} : { model }),
    ...(effort === null ? {} : { effort }),
    ...(commands.length === 0 ? {} : { commands }),
    ...(repair.length === 0 ? {} : { repair }),
    ...(cascadeOf === null ? {} : { cascade_of: cascadeOf }),
    ...(cascadeDepth === 0 ? {} : { cascade_depth: cascadeDepth }),
  }
  return Object.keys(work).length === 0 ? {} : { work }
}

function exceptionEntry(entry: Exception): Record<string, unknown> {
  return {
    number: entry.number,
    attempt: entry.attempt,
    pattern: entry.pattern,
    reason: entry.reason,
    asked_by: entry.askedBy,
    asked_at: entry.askedAt,
    status: entry.status,
    decided_by: entry.decidedBy,
    decided_at: entry.decidedAt,
    decision: entry.decision,
  }
}

/** A fact that was not given is not written either. */
function evidenceEntry({ facts, ...entry }: Evidence): Record<string, unknown> {
  return {
    type: entry.type,
    command: facts.command,
    output: facts.output,
    exit_code: facts.exitCode,
    action: facts.action,
    path: facts.path,
    passed: facts.passed,
    failed: facts.failed,
    text: entry.text,
    timestamp: entry.timestamp,
    number: entry.number,
    attempt: entry.attempt,
    by: entry.by,
    trust: entry.trust,
    blocked_pattern: entry.blockedPattern,
    withdrawn_at: entry.withdrawnAt,
    output_hash: facts.outputHash,
    duration_ms: facts.durationMs,
    commit: facts.commit,
    is_dirty: facts.isDirty,
  }
}
