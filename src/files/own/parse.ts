import type * as v from "valibot"
import type { Document } from "../../kernel/document.ts"
import { AppError } from "../../kernel/errors.ts"
import { readEvent, UNRECOGNIZED } from "../../kernel/events.ts"
import { quoteInput, type TaskId } from "../../kernel/ids.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { LoopState } from "../../sessions/loop-state.ts"
import type { FileNote, FoundTeam } from "../layouts/found-team.ts"
import { mendNeeds } from "../layouts/mend-needs.ts"
import type {
  PastEvent,
  SnapshotMessage,
  SnapshotTask,
  SnapshotTeam,
  SnapshotWave,
  SnapshotWorker,
} from "../snapshot.ts"
import { projectPage } from "./document-files.ts"
import { compare, sortWorkers } from "./facts.ts"
import { isObject, Problem, readAs } from "./file-schema.ts"
import type { Folder } from "./folder.ts"
import {
  DocumentEntry,
  DocumentsFile,
  EventLine,
  FinalVerification,
  FORMAT,
  InboxFile,
  LoopFile,
  MessageLine,
  oldStatus,
  ProjectFile,
  RecordLine,
  TaskFile,
  VerdictLine,
  WavesFile,
  WaveVerification,
  WorkerFile,
} from "./format.ts"
import { fileName } from "./names.ts"
import { decodeText, orSkip, parseJson, readBytes, readLines } from "./read-file.ts"

/** Names and leaves out unusable files; only `project.json` must be whole. */
export function parseExport(folder: Folder): FoundTeam {
  const team = readTeam(folder)
  const page = projectPage(team.project)
  const files = Map.groupBy(folder.paths, (path) => (path === page ? "derived" : kindOf(path)))
  const found: Found = { folder, team, skipped: [], changed: [], paths: (kind) => files.get(kind) ?? [] }
  return {
    layout: "export",
    path: "",
    snapshot: {
      team,
      tasks: readTasks(found),
      waves: readWaves(found),
      workers: readWorkers(found),
      messages: readMessages(found),
      verdicts: readVerdicts(found),
      records: readRecords(found),
      loops: readLoops(found),
      documents: readDocuments(found),
    },
    history: readHistory(found),
    skipped: found.skipped,
    changed: found.changed,
  }
}

interface Found {
  readonly folder: Folder
  readonly team: SnapshotTeam
  readonly skipped: FileNote[]
  readonly changed: FileNote[]
  readonly paths: (kind: Kind | "other") => readonly string[]
}

const KINDS = {
  task: /^tasks\/[^/]+\.json$/,
  worker: /^swarm\/workers\/[^/]+\.json$/,
  inbox: /^inboxes\/[^/]+\.json$/,
  loop: /^\.loop-state\/[^/]+\.json$/,
  waveVerification: /^verification\/wave-[1-9]\d{0,8}\.json$/,
  finalVerification: /^verification\/final\.json$/,
  waves: /^waves\.json$/,
  documents: /^documents\.json$/,
  events: /^events\.jsonl$/,
  messages: /^messages\.jsonl$/,
  verdicts: /^verification\/verdicts\.jsonl$/,
  records: /^records\.jsonl$/,
  /** Made from the others or not part of the format: never read. */
  derived:
    /^(?:(?:WHITEBOARD\.md|agent-status\.json|team-session\.json|swarm\/swarm\.json|project\.json)$|(?:worktrees|edited|replaced|runs)\/|\.teamwork)/,
} as const
type Kind = keyof typeof KINDS

function kindOf(path: string): Kind | "other" {
  for (const kind in KINDS) if (KINDS[kind as Kind].test(path)) return kind as Kind
  return "other"
}

function readTeam(folder: Folder): SnapshotTeam {
  const file = "project.json"
  const problems: FileNote[] = []
  const project = orSkip(problems, file, () => {
    const json = parseJson(readBytes(folder, file))
    assertFormat(json)
    return readAs(ProjectFile, json)
  })
  if (project === undefined)
    throw new AppError("input.invalid", `${file} cannot be used: ${problems[0]?.what}`, { file })
  const { stats: _, teamwork, ...team } = project
  const { format: __, ...more } = teamwork
  return { ...team, ...more }
}

/** Checked first: a newer format may not fit our schema. */
function assertFormat(json: unknown): void {
  const teamwork = isObject(json) && isObject(json.teamwork) ? json.teamwork : {}
  const format = Number.isSafeInteger(teamwork.format) ? Number(teamwork.format) : 0
  if (format <= FORMAT) return
  throw new AppError(
    "input.invalid",
    `project.json is of format ${format}, and this version of teamwork reads formats up to ${FORMAT}; update teamwork`,
    { file: "project.json", format },
  )
}

/** `take` may refuse a file with a Problem. */
function readEach<Schema extends v.GenericSchema, Value>(
  { folder, skipped, paths }: Found,
  kind: Kind,
  schema: Schema,
  take: (content: v.InferOutput<Schema>, path: string) => Value,
): Value[] {
  const values: Value[] = []
  for (const path of paths(kind)) {
    const value = orSkip(skipped, path, () => take(readAs(schema, parseJson(readBytes(folder, path))), path))
    if (value !== undefined) values.push(value)
  }
  return values
}

function readEachLine<Schema extends v.GenericSchema>(
  { folder, skipped, paths }: Found,
  kind: Kind,
  schema: Schema,
  take: (content: v.InferOutput<Schema>) => void,
): void {
  for (const path of paths(kind)) readLines(folder, path, skipped, (line) => take(readAs(schema, line)))
}

function assertName(path: string, name: string): void {
  if (path.endsWith(`/${name}.json`)) return
  throw new Problem(`is not named after its content, which would make it ${name}.json`)
}

function readTasks({ changed, ...found }: Found): readonly SnapshotTask[] {
  const tasks = readEach({ changed, ...found }, "task", TaskFile, (content, path) => {
    assertName(path, content.id)
    const { place, ...task } = toTask(content)
    if (oldStatus(task) !== content.status) {
      const what = `its status is ${content.status}, but that in "teamwork", which counts, is ${task.status}`
      changed.push({ file: path, what })
    }
    return { place, task }
  })
  tasks.sort(
    (a, b) => a.place - b.place || compare(a.task.createdAt, b.task.createdAt) || compare(a.task.id, b.task.id),
  )
  return keepMeetableNeeds(
    tasks.map(({ task }) => task),
    changed,
  )
}

/** Drops needs that can never be met. A task that could then start too early is paused: a person decides. */
function keepMeetableNeeds(tasks: readonly SnapshotTask[], changed: FileNote[]): readonly SnapshotTask[] {
  const { needs, dropped } = mendNeeds(tasks.map(({ id, blockedBy }) => ({ id, needs: blockedBy })))
  if (dropped.length === 0) return tasks
  for (const { id, note } of dropped) changed.push({ file: `tasks/${id}.json`, what: note })
  const reasons = Map.groupBy(dropped, ({ id }) => id)
  return tasks.map((task) => {
    const lost = reasons.get(task.id)
    if (lost === undefined) return task
    const mended = { ...task, blockedBy: (needs.get(task.id) ?? []) as TaskId[] }
    if (task.status !== "open") return mended
    return { ...mended, status: "paused", pausedFrom: "open", pauseReason: lost.map(({ reason }) => reason).join("; ") }
  })
}

/** The place in the list numbers evidence and exceptions, as in the store. */
function toTask({ teamwork, ...task }: v.InferOutput<typeof TaskFile>): SnapshotTask & { readonly place: number } {
  const taskId = task.id
  return {
    ...task,
    ...teamwork,
    evidence: task.evidence.map((entry, index) => {
      const { type, text, timestamp, number: _, attempt, by, trust, blockedPattern, withdrawnAt, ...facts } = entry
      const about = { number: index + 1, taskId, attempt, by, timestamp, withdrawnAt }
      return { ...about, type, trust, text, facts, blockedPattern }
    }),
    exceptions: teamwork.exceptions.map((entry, index) => ({ ...entry, taskId, number: index + 1 })),
  }
}

/** Keeps only a gate's verdict of a wave's status; the rest follows from the tasks. */
function readWaves(found: Found): SnapshotWave[] {
  const waves = readEach(found, "waves", WavesFile, (content) => content.waves).flat()
  const byNumber = new Map(
    waves.map(({ id: number, status, startedAt, verifiedAt }) => [
      number,
      { number, verdict: status === "verified" || status === "failed" ? status : null, startedAt, verifiedAt },
    ]),
  )
  if (byNumber.size < waves.length)
    found.changed.push({ file: "waves.json", what: "of waves with one id, the last counts" })
  return [...byNumber.values()].sort((a, b) => a.number - b.number)
}

function readWorkers(found: Found): SnapshotWorker[] {
  const workers = readEach(found, "worker", WorkerFile, (content, path): SnapshotWorker => {
    const { status: _, currentTask: __, tasksCompleted: ___, lastHeartbeat, teamwork, ...worker } = content
    assertName(path, worker.id)
    return { ...worker, ...teamwork, heartbeatAt: lastHeartbeat }
  })
  return sortWorkers(workers)
}

function readLoops(found: Found): LoopState[] {
  const { project, team } = found.team
  const loops = readEach(found, "loop", LoopFile, (loop, path) => {
    assertName(path, fileName(loop.terminalId))
    if (loop.project !== project || loop.team !== team) throw new Problem("belongs to another team")
    return loop
  })
  return loops.sort((a, b) => compare(a.terminalId, b.terminalId))
}

/**
 * The log has all messages. Of several lines with one id the last counts, so a message can be written again when it
 * is read. Inboxes add what the log lacks.
 */
function readMessages(found: Found): SnapshotMessage[] {
  const messages = new Map<string, SnapshotMessage>()
  const toMessage = (content: v.InferOutput<typeof MessageLine>) => ({ ...content, read: content.readAt !== null })
  readEachLine(found, "messages", MessageLine, (line) => messages.set(line.id, toMessage(line)))
  const inboxes = readEach(found, "inbox", InboxFile, (content, path) => {
    for (const message of content.messages) assertName(path, fileName(message.to))
    return content.messages.map(toMessage)
  })
  let isComplete = true
  for (const message of inboxes.flat()) {
    const logged = messages.get(message.id)
    if (logged === undefined) isComplete = false
    if (logged === undefined || isLater(message, logged)) messages.set(message.id, message)
  }
  const all = [...messages.values()]
  return isComplete ? all : all.sort((a, b) => compare(a.timestamp, b.timestamp))
}

function isLater(message: SnapshotMessage, logged: SnapshotMessage): boolean {
  if (message.to !== logged.to || message.timestamp !== logged.timestamp) return false
  return (
    (message.readAt !== null && logged.readAt === null) || (message.deliveredAt !== null && logged.deliveredAt === null)
  )
}

/** The log has all verdicts; the files of the waves add what it lacks. */
function readVerdicts(found: Found): Verdict[] {
  const verdicts: Verdict[] = []
  readEachLine(found, "verdicts", VerdictLine, (line) => verdicts.push(line))
  const known = new Set(verdicts.map(verdictKey))
  const others = [
    ...readEach(found, "finalVerification", FinalVerification, (file): Verdict => {
      const { verifiedAt: timestamp, tasksVerified: _, teamwork, ...verdict } = file
      return { scope: "final", ...verdict, ...teamwork, timestamp }
    }),
    ...readEach(found, "waveVerification", WaveVerification, (file, path): Verdict => {
      const { waveId, verifiedAt: timestamp, tasksVerified: _, teamwork, ...verdict } = file
      if (!path.endsWith(`wave-${waveId}.json`)) throw new Problem("is named after another wave")
      return { scope: "wave", subject: String(waveId), ...verdict, ...teamwork, timestamp }
    }),
  ].filter((verdict) => !known.has(verdictKey(verdict)))
  if (others.length === 0) return verdicts
  return [...verdicts, ...others].sort((a, b) => compare(a.timestamp, b.timestamp))
}

function verdictKey(verdict: Verdict): string {
  return JSON.stringify([verdict.scope, verdict.subject, verdict.status, verdict.by, verdict.timestamp])
}

function readRecords(found: Found): TeamRecord[] {
  const records = new Map<string, TeamRecord>()
  readEachLine(found, "records", RecordLine, ({ task: taskId, ...record }) => {
    const key = `${record.kind} ${record.number}`
    if (records.has(key)) throw new Problem(`names ${key} twice`)
    records.set(key, { ...record, taskId })
  })
  return [...records.values()]
}

/** A line that was written twice counts once. */
function readHistory(found: Found): PastEvent[] {
  const events = new Map<number, PastEvent>()
  readEachLine(found, "events", EventLine, ({ place, ...stored }) => {
    const event = toEvent(stored)
    const before = events.get(place)
    if (before !== undefined && !Bun.deepEquals(before, event)) throw new Problem(`has the place ${place} of another`)
    events.set(place, event)
  })
  return [...events].sort(([a], [b]) => a - b).map(([, event]) => event)
}

function toEvent(stored: Omit<v.InferOutput<typeof EventLine>, "place">): PastEvent {
  let event: ReturnType<typeof readEvent<typeof stored>>
  try {
    event = readEvent(stored)
  } catch (error) {
    const what = error instanceof Error ? error.message : error
    throw new Problem(`does not fit its type: event ${stored.type}: ${what}`)
  }
  // A newer program wrote it, and we cannot know what it means.
  if (event.type === UNRECOGNIZED) throw new Problem(`is of the unknown type ${quoteInput(stored.type)}`)
  return event
}

/** Other files than those in `documents.json` do not belong to the format. */
function readDocuments(found: Found): Document[] {
  const { folder, skipped } = found
  const here = new Set(folder.paths)
  const used = new Set<string>()
  const documents = new Map<string, Document>()
  for (const entry of readEach(found, "documents", DocumentsFile, (content) => content.documents).flat()) {
    const file = typeof entry.file === "string" && here.has(entry.file) ? entry.file : undefined
    orSkip(skipped, file ?? "documents.json", () => {
      if (file === undefined) {
        const named = readAs(DocumentEntry, entry).file
        throw new Problem(`names the file ${quoteInput(named)}, which is not there`)
      }
      used.add(file)
      const document = toDocument(entry, readBytes(folder, file))
      if (documents.has(document.path)) throw new Problem("has the path of another document")
      documents.set(document.path, document)
    })
  }
  for (const path of found.paths("other")) {
    if (!used.has(path)) skipped.push({ file: path, what: "is no file of the format, nor named by documents.json" })
  }
  return [...documents.values()].sort((a, b) => compare(a.path, b.path))
}

function toDocument(entry: object, bytes: Uint8Array): Document {
  const { file: _, ...document } = readAs(DocumentEntry, entry)
  if (document.encoding === "base64") return { ...document, content: Buffer.from(bytes).toString("base64") }
  const content = decodeText(bytes)
  if (content.includes("\0")) throw new Problem("has a NUL character")
  return { ...document, content }
}
