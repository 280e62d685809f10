import { isId, type WorkerId } from "../../kernel/ids.ts"
import { SCHEDULES, TEAM_MODES, TEAM_PHASES, TEAM_STATUSES, type TeamPhase } from "../../kernel/team.ts"
import { inboxName } from "../../messages/message.ts"
import type { LoopState } from "../../sessions/loop-state.ts"
import { ROLES } from "../../tasks/task.ts"
import type { SnapshotMessage, SnapshotTeam, SnapshotWorker } from "../snapshot.ts"
import { buildTeam, PAUSED_BEFORE, type TeamDraft } from "./build-team.ts"
import { choice, Fields, Flag, Id, Ids, isRecord, type Json, List, readTimes, Time } from "./foreign-json.ts"
import { type MessageBox, readMessages } from "./foreign-messages.ts"
import { readVerdicts } from "./foreign-verdicts.ts"
import { readWaves } from "./foreign-waves.ts"
import type { ParseContext, ParsedTeam } from "./found-team.ts"
import { badId, type Source } from "./source.ts"
import { readTask, type TaskDraft } from "./task-draft.ts"

/**
 * The files of the teamwork plugin: `project.json` (v1: `session.json`), one file per task, and since v2 waves,
 * inboxes, verdicts and the swarm, each of which may be missing.
 */
export function parseTeamworkFiles(source: Source, main: string, context: ParseContext): ParsedTeam {
  const record = source.main(main)
  const fields = new Fields(record)
  const names = readNames(source, main, { fields, context })
  const { createdAt, updatedAt } = readTimes(fields, context.nowIso)
  const tasks = readTasks(source)
  const swarm = readSwarm(source)
  const workers = readWorkers(source, { startedAt: swarm.createdAt ?? createdAt, heardAt: updatedAt })
  const phase = fields.read(choice(TEAM_PHASES), "phase") ?? guessPhase(tasks)
  const status = fields.read(choice(TEAM_STATUSES), "status") ?? (phase === "COMPLETE" ? "completed" : "active")
  const isPaused = status === "paused" || (swarm.isPaused && status === "active")
  const team: TeamDraft["team"] = {
    ...names,
    goal: fields.text("goal", "description") ?? "",
    phase,
    status: isPaused ? "paused" : status,
    pauseReason: isPaused ? (fields.text("pause_reason") ?? PAUSED_BEFORE) : null,
    mode: fields.read(choice(TEAM_MODES), "mode") ?? "FULL_AUTO",
    schedule: fields.read(choice(SCHEDULES), "schedule") ?? "waves",
    createdAt,
    updatedAt,
  }
  // Derived from the tasks.
  fields.any("stats")
  source.takeOver(main, fields)
  const draft = {
    team,
    tasks,
    waves: readWaves(source, "waves.json"),
    workers: workers.list,
    messages: readInboxes(source, team),
    verdicts: readVerdicts(source, updatedAt),
    loops: readLoops(source, { record, team, otherwise: createdAt }),
  }
  return buildTeam(source, draft, { nowIso: context.nowIso, workerOf: workers.of })
}

/** The names in the file, else those of the folders. */
function readNames(
  source: Source,
  main: string,
  { fields, context }: { fields: Fields; context: ParseContext },
): { project: string; team: string } {
  const [teamFolder, projectFolder] = source.folders
  const read = (name: string, folder: string | undefined, fallback: string) => {
    const given = fields.text(name) ?? folder ?? fallback
    return source.nameOf(main, given, { what: name, fallback })
  }
  return {
    project: read("project", projectFolder, context.defaultProject),
    team: read("team", teamFolder, context.defaultTeam),
  }
}

function readTasks(source: Source): TaskDraft[] {
  const kept = new Map<string, { readonly task: TaskDraft; readonly fields: Fields }>()
  const losers: TaskDraft[] = []
  for (const file of source.list(/^tasks\/[^/]+\.json$/)) {
    const record = source.record(file)
    if (record === undefined) continue
    const reading = readTask(record, { file, id: nameOf(file) })
    if (!reading.ok) {
      source.skip(file, reading.why)
      continue
    }
    const { id } = reading.task
    const other = kept.get(id)
    // Of several files with one id, the one with that name wins.
    const isBetter = other === undefined || (nameOf(file) === id && nameOf(other.task.file) !== id)
    if (isBetter) kept.set(id, reading)
    const loser = isBetter ? other?.task : reading.task
    if (loser !== undefined) losers.push(loser)
  }
  for (const { file, id } of losers) source.skip(file, `has the same id ${id} as ${kept.get(id)?.task.file}`)
  for (const { task, fields } of kept.values()) source.takeOver(task.file, fields)
  return Array.from(kept.values(), ({ task }) => task).sort((a, b) => byNumber(a.id, b.id))
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1, -".json".length)
}

const COLLATOR = new Intl.Collator("en", { numeric: true })

function byNumber(a: string, b: string): number {
  const numbers = Number(a) - Number(b)
  if (numbers !== 0 && !Number.isNaN(numbers)) return numbers
  return COLLATOR.compare(a, b) || (a < b ? -1 : 1)
}

/** v1 has no phases. */
function guessPhase(tasks: readonly TaskDraft[]): TeamPhase {
  return tasks.some((task) => task.state !== "open" || task.claimedBy !== null) ? "EXECUTION" : "PLANNING"
}

function readSwarm(source: Source): { createdAt: string | undefined; isPaused: boolean } {
  const file = "swarm/swarm.json"
  const record = source.files.includes(file) ? source.record(file) : undefined
  const fields = new Fields(record ?? {})
  return { createdAt: fields.read(Time, "created_at", "createdAt"), isPaused: fields.read(Flag, "paused") ?? false }
}

interface Workers {
  readonly list: readonly SnapshotWorker[]
  readonly of: (task: TaskDraft) => WorkerId | null
}

function readWorkers(source: Source, times: { startedAt: string; heardAt: string }): Workers {
  const list = new Map<string, SnapshotWorker>()
  const completedBy = new Map<string, WorkerId>()
  for (const file of source.list(/^swarm\/workers\/[^/]+\.json$/).sort(byNumber)) {
    const record = source.record(file)
    if (record === undefined) continue
    const fields = new Fields(record)
    const id = fields.text("id", "worker_id") ?? nameOf(file)
    if (!isId(id)) source.skip(file, badId(id))
    else if (list.has(id)) source.skip(file, `is a second worker ${id}`)
    else {
      list.set(id, readWorker(fields, id as WorkerId, times))
      for (const task of fields.read(Ids, "tasks_completed") ?? []) completedBy.set(task, id as WorkerId)
      // Derived from the tasks.
      fields.any("status")
      fields.any("current_task")
      source.takeOver(file, fields)
    }
  }
  const known = (id: string | null) => (id !== null && list.has(id) ? (id as WorkerId) : null)
  return {
    list: [...list.values()],
    of: (task) => completedBy.get(task.id) ?? known(task.workerId) ?? known(task.claimedBy),
  }
}

/** Its session is gone. If not, its next claim revives it. */
function readWorker(fields: Fields, id: WorkerId, times: { startedAt: string; heardAt: string }): SnapshotWorker {
  return {
    id,
    role: fields.read(choice(ROLES), "role") ?? null,
    sessionId: fields.read(Id, "session_id", "sessionId") ?? null,
    pane: fields.text("pane") ?? null,
    worktree: fields.text("worktree") ?? null,
    branch: fields.text("branch") ?? null,
    availability: "dead",
    heartbeatAt: fields.read(Time, "last_heartbeat", "lastHeartbeat") ?? times.heardAt,
    createdAt: fields.read(Time, "created_at", "createdAt") ?? times.startedAt,
  }
}

function readInboxes(source: Source, team: Pick<SnapshotTeam, "project" | "team" | "createdAt">): SnapshotMessage[] {
  const used = new Set<string>()
  const messages: SnapshotMessage[] = []
  for (const file of source.list(/^inboxes\/[^/]+\.json$/)) {
    const name = nameOf(file)
    const content = source.json(file)
    if (content === undefined) continue
    const fields = new Fields(isRecord(content) ? content : { messages: content })
    const entries = fields.read(List, "messages")
    if (!isId(name)) source.skip(file, badId(name, "name"))
    else if (entries === undefined) source.skip(file, "holds no list of messages")
    else {
      const inbox = inboxName(name)
      const seed = `${team.project}/${team.team}\n${inbox}`
      const box: MessageBox = { file, name: seed, inbox, otherwise: team.createdAt, isRead: false }
      const read = readMessages(source, entries, { box, used })
      messages.push(...read.messages)
      source.takeOver(file, fields, ...read.parts)
    }
  }
  return messages
}

/** The shared folder also has loops of other teams. */
function readLoops(
  source: Source,
  { record, team, otherwise }: { record: Json; team: Pick<SnapshotTeam, "project" | "team">; otherwise: string },
): LoopState[] {
  const loops = new Map<string, LoopState>()
  for (const file of source.listAround(".loop-state")) {
    const loop = source.record(file)
    if (loop === undefined) continue
    const fields = new Fields(loop)
    const isOwn = !file.startsWith("../")
    const project = fields.text("project") ?? (isOwn ? team.project : undefined)
    const name = fields.text("team") ?? (isOwn ? team.team : undefined)
    if (!same(project, record.project, team.project) || !same(name, record.team, team.team)) continue
    const terminalId = fields.text("terminal_id", "terminalId", "pid") ?? nameOf(file)
    if (!isId(terminalId)) source.skip(file, badId(terminalId, "terminal id"))
    else if (loops.has(terminalId)) source.skip(file, `is a second loop of terminal ${terminalId}`)
    else {
      loops.set(terminalId, {
        active: fields.read(Flag, "active") ?? false,
        project: team.project,
        team: team.team,
        role: fields.read(choice(ROLES), "role") ?? null,
        startedAt: fields.read(Time, "started_at", "startedAt") ?? otherwise,
        terminalId,
      })
      source.takeOver(file, fields)
    }
  }
  return [...loops.values()]
}

function same(given: unknown, foreign: unknown, ours: string): boolean {
  return given !== undefined && (given === foreign || given === ours)
}
