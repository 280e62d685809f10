import { PERSON } from "../../kernel/actor.ts"
import { isId, type WorkerId } from "../../kernel/ids.ts"
import type { TeamPhase, TeamStatus } from "../../kernel/team.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { PastEvent, SnapshotTeam, SnapshotWorker } from "../snapshot.ts"
import { buildTeam, PAUSED_BEFORE } from "./build-team.ts"
import { pastEntry } from "./foreign-history.ts"
import {
  as,
  asLine,
  asText,
  asWord,
  Count,
  Fields,
  Ids,
  idOf,
  isRecord,
  type Json,
  JsonObject,
  List,
  readTimes,
  Texts,
  Time,
} from "./foreign-json.ts"
import { findVerdictStatus } from "./foreign-verdicts.ts"
import type { ParseContext, ParsedTeam } from "./found-team.ts"
import { badId, type Source } from "./source.ts"
import { readTask, type TaskDraft } from "./task-draft.ts"

const MAIN = "team-state.json"

/** One state file, `.forge/team-state.json`, and a note for each worker that failed. */
export function parseForgeTeam(source: Source, context: ParseContext): ParsedTeam {
  const fields = new Fields(source.main(MAIN))
  const times = readTimes(fields, context.nowIso)
  const { updatedAt } = times
  const found = readWorkers(source, fields.read(List, "workers") ?? [], times)
  const tasks = readTasks(source, fields, found.shares)
  const named = fields.text("teamName", "team_name", "name") ?? context.defaultTeam
  const team = {
    project: context.defaultProject,
    team: source.nameOf(MAIN, named, { what: "team name", fallback: context.defaultTeam }),
    goal: fields.text("prompt", "goal", "description") ?? "",
    ...readProgress(fields, tasks),
    ...times,
  }
  const history = [
    ...found.shares.flatMap((share) => describeShare(share, tasks, updatedAt)),
    ...describeFailedCount(fields.any("failedTasks"), updatedAt),
    ...readFailures(source, updatedAt),
  ]
  const verdicts = readVerdict(fields.read(JsonObject, "crossCliVerification"), updatedAt)
  source.noteWrong(MAIN, fields)
  const workerOf = (task: TaskDraft) => found.workers.find((worker) => worker.id === task.claimedBy)?.id ?? null
  const draft = { team, tasks, workers: found.workers, verdicts, history }
  return buildTeam(source, draft, { nowIso: context.nowIso, workerOf })
}

interface Share {
  readonly worker: string
  readonly agentType: string | null
  readonly files: readonly string[]
  readonly tasks: readonly string[]
  readonly done: readonly string[]
  /** Where only the number is known. */
  readonly doneCount: number
  readonly lastActivity: string | undefined
}

function readWorkers(
  source: Source,
  list: readonly unknown[],
  times: { createdAt: string; updatedAt: string },
): { workers: SnapshotWorker[]; shares: Share[] } {
  const workers = new Map<string, SnapshotWorker>()
  const shares: Share[] = []
  for (const [index, entry] of list.entries()) {
    const fields = new Fields(isRecord(entry) ? entry : {})
    const id = fields.text("id", "name") ?? ""
    const share = readShare(fields, id)
    // Its tasks count even when its id cannot be used.
    shares.push(share)
    if (!isId(id)) source.change(MAIN, `worker ${index + 1} was left out: it ${id === "" ? "has no id" : badId(id)}`)
    else if (workers.has(id)) source.change(MAIN, `worker ${id} is there twice; the first one counts`)
    else workers.set(id, readWorker(fields, id as WorkerId, times))
  }
  return { workers: [...workers.values()], shares }
}

function readWorker(fields: Fields, id: WorkerId, times: { createdAt: string; updatedAt: string }): SnapshotWorker {
  return {
    id,
    role: null,
    sessionId: null,
    pane: null,
    worktree: null,
    branch: null,
    availability: "stopped",
    heartbeatAt: fields.read(Time, "lastActivity") ?? times.updatedAt,
    createdAt: fields.read(Time, "spawnedAt") ?? times.createdAt,
  }
}

function readShare(fields: Fields, worker: string): Share {
  const tasks = fields.read(Ids, "taskIds", "tasks") ?? []
  const completed = fields.any("completedTasks")
  const count = as(Count, completed) ?? 0
  const total = fields.read(Count, "totalAssigned") ?? tasks.length
  const all = count > 0 && count >= total
  return {
    worker,
    agentType: fields.text("agentType") ?? null,
    files: fields.read(Texts, "exclusiveFiles") ?? [],
    tasks,
    done: Array.isArray(completed) ? (as(Ids, completed) ?? []) : all ? tasks : [],
    doneCount: Array.isArray(completed) || all ? 0 : count,
    lastActivity: fields.read(Time, "lastActivity"),
  }
}

function readTasks(source: Source, fields: Fields, shares: readonly Share[]): TaskDraft[] {
  const records = new Map<string, Json>()
  for (const entry of fields.read(List, "tasks", "taskList", "subtasks") ?? []) {
    if (!isRecord(entry) || isInternal(entry)) continue
    const id = idOf(entry) ?? ""
    if (records.has(id)) source.change(MAIN, `task ${id} is there twice; the first one counts`)
    else records.set(id, entry)
  }
  const failed = asIdList(fields.any("failedTasks"))
  const done = new Set([...shares.flatMap((share) => share.done), ...asIdList(fields.any("completedTasks"))])
  const drafts: TaskDraft[] = []
  for (const id of new Set([...records.keys(), ...shares.flatMap((share) => share.tasks), ...done, ...failed])) {
    const share = shares.find((each) => each.tasks.includes(id))
    const status = done.has(id) ? { status: "completed" } : failed.includes(id) ? { status: "failed" } : {}
    const read = readTask(
      { id, ...ofShare(share), ...records.get(id), ...status },
      { file: MAIN, title: titleOf(id, share) },
    )
    if (!read.ok) {
      source.change(MAIN, `a task was left out: it ${read.why}`)
      continue
    }
    source.noteWrong(MAIN, read.fields, `task ${id}: `)
    drafts.push(read.task)
  }
  return drafts
}

function asIdList(value: unknown): string[] {
  return Array.isArray(value) ? (as(Ids, value) ?? []) : []
}

function isInternal(entry: Json): boolean {
  return isRecord(entry.metadata) && entry.metadata._internal === true
}

function ofShare(share: Share | undefined): Json {
  if (share === undefined) return {}
  return { agentType: share.agentType, files: share.files, owner: share.worker, updatedAt: share.lastActivity }
}

function titleOf(id: string, share: Share | undefined): string {
  return `Task ${id}${share?.agentType ? ` (${share.agentType})` : ""}`
}

const PHASES: Readonly<Record<string, TeamPhase>> = {
  decomposition: "PLANNING",
  setup: "PLANNING",
  executing: "EXECUTION",
  execution: "EXECUTION",
  integration: "VERIFICATION",
  shutdown: "VERIFICATION",
  complete: "COMPLETE",
  completed: "COMPLETE",
}

function readProgress(
  fields: Fields,
  tasks: readonly TaskDraft[],
): Pick<SnapshotTeam, "phase" | "status" | "pauseReason"> {
  const isDone = tasks.length > 0 && tasks.every((task) => task.state === "resolved" || task.state === "skipped")
  const given = asWord(fields.text("status"))
  const phase = PHASES[asWord(fields.text("phase"))] ?? (isDone ? "VERIFICATION" : "EXECUTION")
  const ended = phase === "COMPLETE" || ["complete", "completed"].includes(given) || (given === "shutdown" && isDone)
  if (ended) return { phase: "COMPLETE", status: "completed", pauseReason: null }
  // Work is left, so it can be resumed.
  if (given === "shutdown") return { phase: "EXECUTION", status: "paused", pauseReason: "the team was shut down" }
  const statuses: readonly TeamStatus[] = ["completing", "failed", "cancelled", "paused"]
  const status = statuses.find((each) => each === given) ?? "active"
  return { phase, status, pauseReason: status === "paused" ? PAUSED_BEFORE : null }
}

function describeShare(share: Share, tasks: readonly TaskDraft[], timestamp: string): PastEvent[] {
  const isKnown = tasks.some((task) => share.tasks.includes(task.id) && task.state !== "open")
  if (share.doneCount === 0 || isKnown) return []
  const line = `${share.worker} had finished ${share.doneCount} of ${share.tasks.length}; which ones is not recorded`
  return [pastEntry(line, share.lastActivity ?? timestamp, share.worker)]
}

function describeFailedCount(failed: unknown, timestamp: string): PastEvent[] {
  const count = as(Count, failed) ?? 0
  return count === 0 ? [] : [pastEntry(`${count} tasks had failed; which ones is not recorded`, timestamp)]
}

function readFailures(source: Source, otherwise: string): PastEvent[] {
  const events: PastEvent[] = []
  for (const file of source.list(/^worker-[^/]*-failure\.json$/)) {
    const record = source.record(file)
    if (record === undefined) continue
    const fields = new Fields(record)
    const worker = fields.text("workerId", "worker", "id") ?? file.replace("-failure.json", "")
    const timestamp = fields.read(Time, "timestamp", "failedAt", "time", "createdAt") ?? otherwise
    const why = fields.any("error", "reason", "message", "failure") ?? fields.rest()
    events.push(pastEntry(`${worker} failed: ${asLine(isRecord(why) ? (why.message ?? why) : why)}`, timestamp, worker))
  }
  return events
}

function readVerdict(check: Json | undefined, timestamp: string): Verdict[] {
  const result = isRecord(check?.result) ? (check.result.status ?? check.result.verdict) : check?.result
  const status = findVerdictStatus(result)
  if (check === undefined || status === undefined) return []
  const verifier = asText(check.verifier) ?? ""
  const by = isId(verifier) ? verifier : PERSON
  return [{ scope: "cross-agent", subject: null, status, checks: [], issues: [], by, timestamp }]
}
