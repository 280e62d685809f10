// The exported files that are read back, one schema each. Field names and order are those of the older formats; our
// additions are under the one key `teamwork`.
import * as v from "valibot"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import { PHASES, PROTOCOLS } from "../../kernel/phase.ts"
import { RECORD_KINDS } from "../../kernel/record.ts"
import { SCHEDULES, TEAM_MODES, TEAM_PHASES, TEAM_STATUSES } from "../../kernel/team.ts"
import { MESSAGE_TYPES } from "../../messages/message.ts"
import { EXCEPTION_STATUSES } from "../../ownership/exception.ts"
import { VERDICT_SCOPES, VERDICT_STATUSES } from "../../quality/verdict.ts"
import { EFFORTS } from "../../tasks/effort.ts"
import { EVIDENCE_TRUSTS, EVIDENCE_TYPES, FILE_ACTIONS } from "../../tasks/evidence.ts"
import { QA_STATES } from "../../tasks/qa-state.ts"
import { COMPLEXITIES, MAX_PRIORITY, ROLES, TASK_STATUSES, type TaskStatus } from "../../tasks/task.ts"
import { WAVE_STATUSES } from "../../tasks/wave.ts"
import { WORKER_AVAILABILITIES } from "../../workers/worker.ts"
import type { SnapshotTask } from "../snapshot.ts"
import { anyObject, choice, derived, fields, flag, id, list, orAbsent, text, time, whole } from "./file-schema.ts"

/** Raise it when current readers would misunderstand the files. */
export const FORMAT = 1

const taskId = id<TaskId>()
const workerId = id<WorkerId>()
const texts = list(text)
const count = whole(0)

export const ProjectFile = fields({
  project: id(),
  team: id(),
  goal: text,
  phase: choice(TEAM_PHASES),
  created_at: time,
  updated_at: time,
  stats: derived(v.object({ total: count, open: count, in_progress: count, resolved: count }), {
    total: 0,
    open: 0,
    in_progress: 0,
    resolved: 0,
  }),
  teamwork: fields({
    format: whole(1),
    status: choice(TEAM_STATUSES),
    pause_reason: v.nullable(text),
    mode: choice(TEAM_MODES),
    schedule: choice(SCHEDULES),
    protocol: v.optional(choice(PROTOCOLS), "none"),
    has_qa: v.optional(flag, false),
    run: v.optional(whole(1), 1),
    next_task: whole(1),
    next_worker: whole(1),
  }),
})

export const WavesFile = fields({
  version: derived(v.literal("1.0"), "1.0"),
  total_waves: derived(count, 0),
  current_wave: derived(count, 0),
  waves: list(
    fields({
      id: whole(1),
      status: choice(WAVE_STATUSES),
      tasks: derived(list(taskId), []),
      started_at: v.nullable(time),
      verified_at: v.nullable(time),
    }),
  ),
})

/** The only statuses of tasks that readers of the older formats know. */
const OLD_STATUSES = ["open", "in_progress", "resolved"] as const
type OldStatus = (typeof OLD_STATUSES)[number]

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

const Evidence = fields({
  type: choice(EVIDENCE_TYPES),
  command: v.optional(text),
  output: v.optional(text),
  exit_code: v.optional(whole(Number.MIN_SAFE_INTEGER)),
  action: v.optional(choice(FILE_ACTIONS)),
  path: v.optional(text),
  passed: v.optional(count),
  failed: v.optional(count),
  text,
  timestamp: time,
  number: derived(whole(1), 1),
  attempt: whole(1),
  by: text,
  trust: choice(EVIDENCE_TRUSTS),
  blocked_pattern: v.nullable(text),
  withdrawn_at: v.nullable(time),
  output_hash: v.optional(text),
  duration_ms: v.optional(v.pipe(v.number("is not a number"), v.minValue(0, "is not a number from 0 on"))),
  commit: v.optional(text),
  is_dirty: v.optional(flag),
})

const Exception = fields({
  number: derived(whole(1), 1),
  attempt: whole(1),
  pattern: text,
  reason: text,
  asked_by: text,
  asked_at: time,
  status: choice(EXCEPTION_STATUSES),
  decided_by: v.nullable(text),
  decided_at: v.nullable(time),
  decision: v.nullable(text),
})

const Work = fields({
  agent: orAbsent(text),
  model: orAbsent(text),
  effort: orAbsent(choice(EFFORTS)),
  commands: v.optional(texts, []),
  repair: v.optional(texts, []),
  cascade_of: orAbsent(taskId),
  cascade_depth: v.optional(count, 0),
})

export const TaskFile = fields({
  id: taskId,
  title: text,
  description: text,
  role: choice(ROLES),
  complexity: choice(COMPLEXITIES),
  status: choice(OLD_STATUSES),
  // Sorted without duplicates: neither has a meaning.
  blocked_by: v.pipe(
    list(taskId),
    v.transform((ids) => [...new Set(ids)].sort()),
  ),
  wave: orAbsent(whole(1)),
  created_at: time,
  updated_at: time,
  claimed_by: v.nullable(text),
  claimed_at: v.nullable(time),
  completed_at: v.nullable(time),
  evidence: list(Evidence),
  version: whole(1),
  teamwork: fields({
    place: whole(1),
    status: choice(TASK_STATUSES),
    paused_from: v.nullable(choice(TASK_STATUSES)),
    pause_reason: v.nullable(text),
    acceptance: texts,
    checks: texts,
    files: texts,
    agent_type: v.nullable(text),
    assignee: v.nullable(workerId),
    work: v.optional(Work, {}),
    priority: v.optional(whole(-MAX_PRIORITY), 0),
    attempt: whole(1),
    result: v.nullable(text),
    phase: orAbsent(choice(PHASES)),
    qa: orAbsent(choice(QA_STATES)),
    claim_token: count,
    lease_until: v.nullable(time),
    lease_ms: count,
    previous_owner: v.nullable(text),
    worker_id: v.nullable(workerId),
    height: count,
    exceptions: v.optional(list(Exception), []),
  }),
})

export const WorkerFile = fields({
  id: workerId,
  role: v.nullable(choice(ROLES)),
  pane: v.nullable(text),
  worktree: v.nullable(text),
  branch: v.nullable(text),
  session_id: v.nullable(text),
  status: derived(choice(["idle", "working"]), "idle"),
  current_task: derived(v.nullable(taskId), null),
  tasks_completed: derived(list(taskId), []),
  last_heartbeat: time,
  teamwork: fields({ availability: choice(WORKER_AVAILABILITIES), created_at: time }),
})

export const LoopFile = fields({
  active: flag,
  project: text,
  team: text,
  role: v.nullable(choice(ROLES)),
  started_at: time,
  terminal_id: text,
})

export const MessageLine = fields({
  id: text,
  from: text,
  to: text,
  type: choice(MESSAGE_TYPES),
  payload: anyObject,
  timestamp: time,
  read: derived(flag, false),
  delivered_at: v.nullable(time),
  read_at: v.nullable(time),
})

export const InboxFile = fields({ messages: list(MessageLine) })

const Check = fields({
  name: text,
  status: choice(VERDICT_STATUSES),
  evidence: v.optional(text),
  command: v.optional(text),
  duration_ms: v.optional(count),
  output_file: v.optional(text),
  first_failure: v.optional(
    fields({ test: text, file: v.nullable(text), line: v.nullable(count), message: v.nullable(text) }),
  ),
  baseline: v.optional(
    fields({
      before: v.nullable(count),
      now: v.nullable(count),
      broken: texts,
      asked: texts,
      flaky: v.nullable(texts),
    }),
  ),
})

export const VerdictLine = fields({
  scope: choice(VERDICT_SCOPES),
  subject: v.nullable(text),
  status: choice(VERDICT_STATUSES),
  checks: list(Check),
  issues: texts,
  by: text,
  timestamp: time,
  commit: v.optional(text),
  tree: v.optional(text),
})

const verification = {
  status: choice(VERDICT_STATUSES),
  verified_at: time,
  tasks_verified: derived(list(taskId), []),
  checks: list(Check),
  issues: texts,
}
const judged = { commit: v.optional(text), tree: v.optional(text) }

export const WaveVerification = fields({
  wave_id: whole(1),
  ...verification,
  teamwork: fields({ by: text, ...judged }),
})

export const FinalVerification = fields({
  ...verification,
  teamwork: fields({ by: text, subject: v.nullable(text), ...judged }),
})

export const RecordLine = fields({
  kind: choice(RECORD_KINDS),
  number: whole(1),
  task: v.nullable(taskId),
  attempt: v.nullable(whole(1)),
  status: text,
  data: anyObject,
  by: text,
  created_at: time,
  updated_at: time,
})

export const EventLine = fields({
  place: whole(1),
  type: text,
  version: whole(1),
  timestamp: time,
  by: text,
  data: anyObject,
})

/** Each entry is read by itself, so that a bad one does not spoil the others. */
export const DocumentsFile = fields({ documents: list(anyObject) })

export const DocumentEntry = fields({
  path: text,
  file: text,
  encoding: choice(["utf8", "base64"]),
  by: text,
  created_at: time,
  updated_at: time,
})
