import { PERSON } from "../../kernel/actor.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import { UNGUARDED } from "../../kernel/team.ts"
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
import { placeTasks, type WaveDraft } from "./foreign-waves.ts"
import type { ParsedTeam } from "./found-team.ts"
import { type DroppedNeed, type MendedNeeds, mendNeeds } from "./mend-needs.ts"
import type { Source } from "./source.ts"
import type { TaskDraft } from "./task-draft.ts"

export interface TeamDraft {
  readonly team: Pick<
    SnapshotTeam,
    "project" | "team" | "goal" | "phase" | "status" | "pauseReason" | "createdAt" | "updatedAt"
  > &
    Partial<Pick<SnapshotTeam, "mode" | "schedule">>
  /** With unique ids. */
  readonly tasks: readonly TaskDraft[]
  readonly waves?: WaveDraft
  readonly workers?: readonly SnapshotWorker[]
  readonly messages?: readonly SnapshotMessage[]
  readonly verdicts?: TeamSnapshot["verdicts"]
  readonly loops?: TeamSnapshot["loops"]
  readonly history?: readonly PastEvent[]
}

/** From files other than the task's own. */
export type WorkerOf = (task: TaskDraft) => WorkerId | null

export const PAUSED_BEFORE = "it was paused when it was imported"

export function buildTeam(
  source: Source,
  draft: TeamDraft,
  { nowIso, workerOf = () => null }: { nowIso: string; workerOf?: WorkerOf },
): ParsedTeam {
  const { createdAt, updatedAt } = draft.team
  const ordered = draft.tasks.toSorted((a, b) => compare(a.createdAt ?? createdAt, b.createdAt ?? createdAt))
  const mended = mendNeeds(ordered)
  const files = new Map<string, string>(ordered.map(({ id, file }) => [id, file]))
  for (const { id, note } of mended.dropped) source.change(files.get(id) ?? "", note)
  const dropped = Map.groupBy(mended.dropped, ({ id }) => id)
  for (const task of ordered) noteChanges(source, task)
  const tasks = ordered.map((task) =>
    finishTask(task, { createdAt, mended, dropped: dropped.get(task.id) ?? [], workerOf }),
  )
  const placed = placeTasks(source, tasks, { draft: draft.waves, updatedAt })
  const released = ordered.filter((task) => task.state === "held").map((task) => releasedEvent(task, nowIso))
  const workers = draft.workers ?? []
  const snapshot: TeamSnapshot = {
    team: {
      mode: "FULL_AUTO",
      schedule: "waves",
      ...UNGUARDED,
      run: 1,
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

const UNSAID = {
  assignee: null,
  work: NO_WORK,
  priority: 0,
  phase: null,
  qa: null,
  attempt: 1,
  leaseUntil: null,
  leaseMs: 0,
  exceptions: [],
} as const

interface Surroundings {
  readonly createdAt: string
  readonly mended: MendedNeeds
  readonly dropped: readonly DroppedNeed[]
  readonly workerOf: WorkerOf
}

function finishTask(task: TaskDraft, { mended, dropped, workerOf, ...team }: Surroundings): SnapshotTask {
  const { id, title, description, role, complexity, acceptance, checks, files, agentType, wave, result, version } = task
  const createdAt = task.createdAt ?? team.createdAt
  const updatedAt = task.updatedAt ?? task.completedAt ?? createdAt
  const ended = hasEnded(task)
  // An open task may name its intended or its previous worker.
  const wasHeld = task.state !== "open" && (task.claimedBy !== null || task.state !== "skipped")
  return {
    ...UNSAID,
    id,
    title,
    description,
    role,
    complexity,
    acceptance,
    checks,
    files,
    agentType,
    wave,
    result,
    version,
    blockedBy: (mended.needs.get(id) ?? []) as TaskId[],
    height: mended.height.get(id) ?? 0,
    ...statusOf(task, dropped),
    // The holder of an unfinished task is gone.
    claimedBy: ended ? task.claimedBy : null,
    claimedAt: ended ? task.claimedAt : null,
    claimToken: Math.max(task.claimToken, wasHeld ? 1 : 0),
    workerId: ended ? workerOf(task) : null,
    previousOwner: ended || !wasHeld ? null : task.claimedBy,
    createdAt,
    updatedAt,
    completedAt: ended ? (task.completedAt ?? updatedAt) : null,
    evidence: readEvidence(task.evidence, { taskId: id, by: task.claimedBy, timestamp: updatedAt }),
  }
}

function hasEnded(task: TaskDraft): boolean {
  return task.state === "resolved" || task.state === "failed" || task.state === "skipped"
}

function statusOf(
  task: TaskDraft,
  dropped: readonly DroppedNeed[],
): Pick<SnapshotTask, "status" | "pausedFrom" | "pauseReason"> {
  if (hasEnded(task)) return { status: task.state as SnapshotTask["status"], pausedFrom: null, pauseReason: null }
  const reasons = [
    ...(task.state === "paused" ? [task.pauseReason ?? PAUSED_BEFORE] : []),
    ...(task.hasUnreadableNeeds ? ["its needs could not be read"] : []),
    ...dropped.map(({ reason }) => reason),
  ]
  return reasons.length === 0
    ? { status: "open", pausedFrom: null, pauseReason: null }
    : { status: "paused", pausedFrom: "open", pauseReason: reasons.join("; ") }
}

/** Work that was finished elsewhere counts as done: the gates ask for no evidence or commits of this attempt. */
function importedRecord({ id, attempt, completedAt, updatedAt, claimedBy }: SnapshotTask, index: number): TeamRecord {
  const at = completedAt ?? updatedAt
  const about = { kind: "imported", number: index + 1, taskId: id, attempt, status: "done" } as const
  return { ...about, data: { by: claimedBy }, by: PERSON, createdAt: at, updatedAt: at }
}

function releasedEvent(task: TaskDraft, timestamp: string): PastEvent {
  const data = { task: task.id, owner: task.claimedBy, reason: "imported: its session is gone" }
  return { type: "task.released", version: 1, timestamp, by: PERSON, data }
}

/** Begins with the creation of the team, whatever times the other events have. */
function writeHistory(draft: TeamDraft, released: readonly PastEvent[]): PastEvent[] {
  const rest = [...(draft.history ?? []), ...released].toSorted((a, b) => compare(a.timestamp, b.timestamp))
  const { createdAt } = draft.team
  const [timestamp = createdAt] = [createdAt, rest[0]?.timestamp ?? createdAt].sort()
  return [{ type: "team.created", version: 1, timestamp, by: PERSON, data: { goal: draft.team.goal } }, ...rest]
}

function nextNumber(list: readonly { readonly id: string }[], pattern: RegExp): number {
  return list.reduce((most, { id }) => Math.max(most, Number(pattern.exec(id)?.[1] ?? 0)), 0) + 1
}
