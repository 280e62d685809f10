import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { Phase } from "../../kernel/phase.ts"
import type { QaState } from "../../tasks/qa-state.ts"
import { type Complexity, NO_WORK, type Role, type Task, type TaskStatus, type Work } from "../../tasks/task.ts"
import { iso, isoOrNull } from "./sql-session.ts"

export interface TaskRow {
  seq: number
  id: TaskId
  title: string
  description: string
  role: Role
  complexity: Complexity
  acceptance: string
  checks: string
  files: string
  agent_type: string | null
  assignee: string
  work: string
  priority: number
  status: TaskStatus
  paused_from: TaskStatus | null
  pause_reason: string | null
  unmet: number
  wave: number
  attempt: number
  result: string | null
  protocol_phase: Phase | ""
  qa: QaState | ""
  claimed_by: string | null
  claimed_at: number | null
  claim_token: number
  lease_until: number | null
  worker_id: WorkerId | null
  previous_owner: string | null
  version: number
  created_at: number
  updated_at: number
  completed_at: number | null
}

export const TASK_COLUMNS = `seq, id, title, description, role, complexity, acceptance, checks, files, agent_type, assignee,
  work, priority, status, paused_from, pause_reason, unmet, wave, attempt, result, protocol_phase, qa, claimed_by, claimed_at, claim_token, lease_until,
  worker_id, previous_owner, version, created_at, updated_at, completed_at`

export function toTask(row: TaskRow, needs: readonly TaskId[]): Task {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    role: row.role,
    complexity: row.complexity,
    status: row.status,
    blockedBy: needs,
    wave: row.wave === 0 ? null : row.wave,
    acceptance: parseList(row.acceptance),
    checks: parseList(row.checks),
    files: parseList(row.files),
    agentType: row.agent_type,
    assignee: row.assignee === "" ? null : (row.assignee as WorkerId),
    work: parseWork(row.work),
    priority: row.priority,
    pausedFrom: row.paused_from,
    pauseReason: row.pause_reason,
    unmet: row.unmet,
    attempt: row.attempt,
    result: row.result,
    phase: row.protocol_phase === "" ? null : row.protocol_phase,
    qa: row.qa === "" ? null : row.qa,
    claimedBy: row.claimed_by,
    claimedAt: isoOrNull(row.claimed_at),
    claimToken: row.claim_token,
    leaseUntil: isoOrNull(row.lease_until),
    workerId: row.worker_id,
    version: row.version,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    completedAt: isoOrNull(row.completed_at),
  }
}

const EMPTY: readonly string[] = Object.freeze([])

/** Most lists are empty, and one empty list serves them all. */
export function parseList(text: string): readonly string[] {
  return text === "[]" ? EMPTY : JSON.parse(text)
}

/** Only what was said, so that most tasks have the shortest text and share one value. */
export function formatWork(work: Work): string {
  if (work === NO_WORK) return "{}"
  const said = Object.entries(work).filter(([name, value]) => !Bun.deepEquals(value, NO_WORK[name as keyof Work]))
  return JSON.stringify(Object.fromEntries(said))
}

function parseWork(text: string): Work {
  return text === "{}" ? NO_WORK : { ...NO_WORK, ...JSON.parse(text) }
}
