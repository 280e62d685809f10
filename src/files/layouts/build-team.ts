import { PERSON } from "../../kernel/actor.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import { NO_WORK } from "../../tasks/task.ts"
import { compare } from "../own/facts.ts"
import type {
  PastEvent,
  SnapshotMessage,
  SnapshotTask,
  SnapshotTeam,
  SnapshotWorker,
  TeamSnapshot,
} from "../snapshot.ts"
import { readDocuments } from "./foreign-documents.ts"
import { readEvidence } from "./foreign-evidence.ts"
import { type MendedNeeds, mendNeeds } from "./foreign-needs.ts"
import { placeTasks, type WaveDraft } from "./foreign-waves.ts"
import type { FoundTeam } from "./found-team.ts"
import type { Source } from "./source.ts"
import type { TaskDraft } from "./task-draft.ts"

/** What a reader of a layout found. */
export interface TeamDraft {
  readonly team: Omit<SnapshotTeam, "nextTask" | "nextWorker">
  /** With unique ids. */
  readonly tasks: readonly TaskDraft[]
  readonly waves?: WaveDraft
  readonly workers?: readonly SnapshotWorker[]
  readonly messages?: readonly SnapshotMessage[]
  readonly verdicts?: TeamSnapshot["verdicts"]
  readonly loops?: TeamSnapshot["loops"]
  readonly history: readonly PastEvent[]
}

/** The worker a task is known to be of, beyond what its own file says. */
export type WorkerOf = (task: TaskDraft) => WorkerId | null

/** Makes a team that can be restored out of what a reader found, and tells what had to give way. */
export function buildTeam(
  source: Source,
  draft: TeamDraft,
  { nowIso, workerOf = () => null }: { nowIso: string; workerOf?: WorkerOf },
): Omit<FoundTeam, "layout" | "path"> {
  const { createdAt, updatedAt } = draft.team
  const ordered = draft.tasks.toSorted((a, b) => compare(a.createdAt ?? createdAt, b.createdAt ?? createdAt))
  const mended = mendNeeds(source, ordered)
  for (const task of ordered) noteChanges(source, task)
  const tasks = ordered.map((task) => finishTask(task, { team: draft.team, mended, workerOf }))
  const placed = placeTasks(source, tasks, { draft: draft.waves, updatedAt })
  const released = ordered.filter((task) => task.state === "held").map((task) => releasedEvent(task, nowIso))
  const workers = draft.workers ?? []
  const snapshot: TeamSnapshot = {
    team: {
      ...draft.team,
      nextTask: nextNumber(tasks, /^(\d{1,9})$/),
      nextWorker: nextNumber(workers, /^w(\d{1,9})$/),
    },
    ...placed,
    workers: workers.toSorted((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id)),
    messages: (draft.messages ?? []).toSorted((a, b) => compare(a.timestamp, b.timestamp)),
    verdicts: draft.verdicts ?? [],
    records: placed.tasks.filter(({ status }) => status === "resolved").map(importedRecord),
    loops: (draft.loops ?? []).toSorted((a, b) => compare(a.terminalId, b.terminalId)),
    documents: readDocuments(source, { createdAt, updatedAt }),
  }
  return {
    snapshot,
    history: writeHistory(draft, released),
    skipped: source.skipped,
    changed: source.changed,
  }
}

function noteChanges(source: Source, task: TaskDraft): void {
  if (task.state === "held") {
    const whom = task.claimedBy === null ? "in progress" : `in progress with ${task.claimedBy}`
    source.change(task.file, `task ${task.id} was ${whom} and is open again`)
  }
  if (task.foreignStatus !== null) {
    source.change(task.file, `task ${task.id} had the unknown status ${task.foreignStatus} and is open`)
  }
  if (task.foreignRole !== null) {
    const type = task.agentType === task.foreignRole ? "" : `; its agent type stays ${task.agentType}`
    source.change(task.file, `task ${task.id} has role worker instead of the unknown ${task.foreignRole}${type}`)
  }
}

function finishTask(
  task: TaskDraft,
  { team, mended, workerOf }: { team: TeamDraft["team"]; mended: MendedNeeds; workerOf: WorkerOf },
): SnapshotTask {
  const createdAt = task.createdAt ?? team.createdAt
  const updatedAt = task.updatedAt ?? task.completedAt ?? createdAt
  const { status, pausedFrom, pauseReason } = statusOf(task, mended.pauseReasons.get(task.id))
  const ended = hasEnded(task)
  // An open task may name somebody it was meant for, or who gave it back.
  const wasHeld = task.state !== "open" && (task.claimedBy !== null || task.state !== "skipped")
  return {
    id: task.id,
    title: task.title,
    description: task.description,
    role: task.role,
    complexity: task.complexity,
    blockedBy: (mended.needs.get(task.id) ?? []) as TaskId[],
    acceptance: task.acceptance,
    checks: task.checks,
    files: task.files,
    agentType: task.agentType,
    assignee: null,
    work: NO_WORK,
    priority: 0,
    phase: null,
    qa: null,
    status,
    pausedFrom,
    pauseReason,
    wave: task.wave,
    height: mended.height.get(task.id) ?? 0,
    attempt: 1,
    result: task.result,
    // Whoever held a task that is not done is gone; of one that is done, it stays known.
    claimedBy: ended ? task.claimedBy : null,
    claimedAt: ended ? task.claimedAt : null,
    claimToken: Math.max(task.claimToken, wasHeld ? 1 : 0),
    leaseUntil: null,
    leaseMs: 0,
    workerId: ended ? workerOf(task) : null,
    previousOwner: ended || !wasHeld ? null : task.claimedBy,
    version: task.version,
    createdAt,
    updatedAt,
    completedAt: ended ? (task.completedAt ?? updatedAt) : null,
    evidence: readEvidence(task.evidence, { taskId: task.id, by: task.claimedBy, timestamp: updatedAt }),
    exceptions: [],
  }
}

function hasEnded(task: TaskDraft): boolean {
  return task.state === "resolved" || task.state === "failed" || task.state === "skipped"
}

function statusOf(
  task: TaskDraft,
  reason: string | undefined,
): Pick<SnapshotTask, "status" | "pausedFrom" | "pauseReason"> {
  if (hasEnded(task)) return { status: task.state as SnapshotTask["status"], pausedFrom: null, pauseReason: null }
  if (task.state !== "paused" && reason === undefined) return { status: "open", pausedFrom: null, pauseReason: null }
  const reasons = [
    task.state === "paused" ? (task.pauseReason ?? "it was paused when it was imported") : "",
    reason ?? "",
  ]
  return { status: "paused", pausedFrom: "open", pauseReason: reasons.filter(Boolean).join("; ") }
}

/** What was finished elsewhere counts as done: the gates ask no evidence and no commits of this attempt. */
function importedRecord({ id, attempt, completedAt, updatedAt, claimedBy }: SnapshotTask, index: number): TeamRecord {
  const at = completedAt ?? updatedAt
  const about = { kind: "imported", number: index + 1, taskId: id, attempt, status: "done" } as const
  return { ...about, data: { by: claimedBy }, by: PERSON, createdAt: at, updatedAt: at }
}

function releasedEvent(task: TaskDraft, timestamp: string): PastEvent {
  const data = { task: task.id, owner: task.claimedBy, reason: "imported: its session is gone" }
  return { type: "task.released", version: 1, timestamp, by: PERSON, data }
}

/** Begins with the team, whatever times the rest names. */
function writeHistory(draft: TeamDraft, released: readonly PastEvent[]): PastEvent[] {
  const rest = [...draft.history, ...released].toSorted((a, b) => compare(a.timestamp, b.timestamp))
  const { createdAt } = draft.team
  const [timestamp = createdAt] = [createdAt, rest[0]?.timestamp ?? createdAt].sort()
  return [{ type: "team.created", version: 1, timestamp, by: PERSON, data: { goal: draft.team.goal } }, ...rest]
}

function nextNumber(list: readonly { readonly id: string }[], pattern: RegExp): number {
  return list.reduce((most, { id }) => Math.max(most, Number(pattern.exec(id)?.[1] ?? 0)), 0) + 1
}
