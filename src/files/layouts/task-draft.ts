import { isId, type TaskId } from "../../kernel/ids.ts"
import { COMPLEXITIES, GENERIC_ROLE, ROLES } from "../../tasks/task.ts"
import type { SnapshotTask } from "../snapshot.ts"
import { asText, asWord, Count, choice, Fields, Id, Ids, type Json, Texts, Time } from "./foreign-json.ts"
import { badId } from "./source.ts"

/** `held`: a session worked on it that is gone now. */
export type TaskState = "open" | "held" | "paused" | "resolved" | "failed" | "skipped"

type Kept =
  | ("id" | "title" | "description" | "role" | "agentType" | "complexity" | "acceptance" | "checks" | "files")
  | ("pauseReason" | "wave" | "result" | "claimedBy" | "claimedAt" | "claimToken" | "version" | "completedAt")

/** A task as in its file: needs, wave and times may not fit the rest yet. */
export interface TaskDraft extends Pick<SnapshotTask, Kept> {
  readonly file: string
  readonly foreignRole: string | null
  readonly needs: readonly string[]
  readonly hasUnreadableNeeds: boolean
  readonly state: TaskState
  readonly foreignStatus: string | null
  readonly workerId: string | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly evidence: unknown
}

export interface TaskHints {
  readonly file: string
  /** For a record without id or title. */
  readonly id?: string
  readonly title?: string
}

export type TaskReading =
  | { readonly ok: true; readonly task: TaskDraft; readonly fields: Fields }
  | { readonly ok: false; readonly why: string }

const NEEDS = ["blocked_by", "blockedBy", "depends_on", "dependsOn", "dependencies", "deps", "needs"]

const complexity = choice(COMPLEXITIES)

export function readTask(record: Json, hints: TaskHints): TaskReading {
  const fields = new Fields(record)
  const id = (fields.text("id", "task_id", "taskId") ?? hints.id ?? "").trim()
  if (!isId(id)) return { ok: false, why: id === "" ? "has no id" : badId(id) }
  const texts = readTexts(fields, hints.title)
  if (texts === undefined) return { ok: false, why: "has no title" }
  const task: TaskDraft = {
    file: hints.file,
    id: id as TaskId,
    ...texts,
    ...readRole(fields),
    ...readState(fields),
    claimedBy: fields.read(Id, "claimed_by", "claimedBy", "owner") ?? null,
    claimedAt: fields.read(Time, "claimed_at", "claimedAt") ?? null,
    claimToken: fields.read(Count, "claim_token") ?? 0,
    workerId: fields.read(Id, "worker_id", "workerId") ?? null,
    complexity: fields.read(complexity, "complexity") ?? "standard",
    needs: fields.read(Ids, ...NEEDS) ?? [],
    hasUnreadableNeeds: fields.wrong.some((wrong) => NEEDS.some((name) => wrong.startsWith(`${name} `))),
    acceptance: fields.read(Texts, "acceptance", "acceptance_criteria", "acceptanceCriteria") ?? [],
    checks: fields.read(Texts, "checks") ?? [],
    files: fields.read(Texts, "files", "exclusiveFiles", "owned_files", "fileOwnership", "file_ownership") ?? [],
    wave: fields.read(Count, "wave") ?? null,
    result: fields.text("result", "result_summary", "resultSummary") ?? null,
    version: Math.max(fields.read(Count, "version") ?? 1, 1),
    createdAt: fields.read(Time, "created_at", "createdAt") ?? null,
    updatedAt: fields.read(Time, "updated_at", "updatedAt", "lastUpdate") ?? null,
    completedAt: fields.read(Time, "completed_at", "completedAt", "resolved_at") ?? null,
    evidence: fields.any("evidence"),
  }
  return { ok: true, task, fields }
}

const LONGEST_TITLE = 500

/** A title is one line; the rest goes to the description. */
function readTexts(fields: Fields, otherwise: string | undefined): { title: string; description: string } | undefined {
  const description = fields.text("description", "desc", "details") ?? ""
  const wanted = (fields.text("title", "subject", "name") ?? "").trim()
  const title = firstLine(wanted) || firstLine(description) || firstLine(otherwise ?? "")
  if (title === "") return undefined
  const isCut = wanted !== "" && title !== wanted
  return { title, description: isCut ? [wanted, description].filter(Boolean).join("\n\n") : description }
}

export function firstLine(text: string): string {
  const trimmed = text.trim()
  const end = trimmed.search(/[\r\n]/)
  const line = end === -1 ? trimmed : trimmed.slice(0, end)
  return line.slice(0, LONGEST_TITLE).trim().toWellFormed()
}

function readRole(fields: Fields): Pick<TaskDraft, "role" | "foreignRole" | "agentType"> {
  const named = fields.text("role")?.trim() ?? ""
  const agentType = fields.text("agent_type", "agentType") ?? null
  const role = ROLES.find((each) => each === asWord(named))
  if (role !== undefined) return { role, foreignRole: null, agentType }
  const foreignRole = named === "" ? null : named
  return { role: GENERIC_ROLE, foreignRole, agentType: agentType ?? foreignRole }
}

const STATES: Record<TaskState, string> = {
  open: "open pending todo ready new blocked planned queued waiting not_started idle",
  held: "in_progress in_review running working active claimed assigned started review pending_verification under_verification returned_for_fix qa_planning qa_validating",
  paused: "paused on_hold",
  resolved: "resolved completed complete done closed finished verified qa_completed",
  failed: "failed error permanently_failed",
  skipped: "skipped cancelled canceled obsolete",
}

const STATE_OF = new Map([
  ["", "open" as TaskState],
  ...Object.entries(STATES).flatMap(([state, words]) =>
    words.split(" ").map((word) => [word, state as TaskState] as const),
  ),
])

function readState(fields: Fields): Pick<TaskDraft, "state" | "foreignStatus" | "pauseReason"> {
  const status = fields.any("status", "state")
  const state = STATE_OF.get(asWord(status))
  const known = state !== undefined && (status === undefined || asText(status) !== undefined)
  return {
    state: known ? state : "open",
    foreignStatus: known ? null : (asText(status) ?? JSON.stringify(status)),
    pauseReason: fields.text("pause_reason", "pauseReason", "pausedReason") ?? null,
  }
}
