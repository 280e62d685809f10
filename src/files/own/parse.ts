import type { Document } from "../../kernel/document.ts"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput, type WorkerId } from "../../kernel/ids.ts"
import { PROTOCOLS } from "../../kernel/phase.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import { SCHEDULES, TEAM_MODES, TEAM_PHASES, TEAM_STATUSES } from "../../kernel/team.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { LoopState } from "../../sessions/loop-state.ts"
import { ROLES } from "../../tasks/task.ts"
import { WAVE_STATUSES } from "../../tasks/wave.ts"
import { WORKER_AVAILABILITIES } from "../../workers/worker.ts"
import type { FileNote, FoundTeam } from "../layouts/found-team.ts"
import type { SnapshotMessage, SnapshotTask, SnapshotTeam, SnapshotWave, SnapshotWorker } from "../snapshot.ts"
import {
  choice,
  decodeText,
  id,
  type Json,
  object,
  objects,
  orNull,
  orSkip,
  Problem,
  readBytes,
  readObject,
  text,
  time,
  whole,
  yesOrNo,
} from "./checked.ts"
import { projectPage } from "./document-files.ts"
import { compare, sortWorkers } from "./facts.ts"
import type { Folder } from "./folder.ts"
import { mendNeeds } from "./mend-needs.ts"
import { fileName } from "./names.ts"
import { parseMessage, parseRecord, parseVerdict, parseVerification, readEvents, readLines } from "./parse-logs.ts"
import { type FoundTask, parseTask } from "./parse-task.ts"
import { FORMAT } from "./render.ts"
import { oldStatus } from "./task-file.ts"

/** Reads our own export back. Files that cannot be used are named and left out; only `project.json` must be whole. */
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
    history: found.paths("events").flatMap((path) => readEvents(folder, path, found.skipped)),
    skipped: found.skipped,
    changed: found.changed,
  }
}

interface Found {
  readonly folder: Folder
  readonly team: SnapshotTeam
  readonly skipped: FileNote[]
  readonly changed: FileNote[]
  /** The files of a kind. */
  readonly paths: (kind: Kind | "other") => readonly string[]
}

const KINDS = {
  task: /^tasks\/[^/]+\.json$/,
  worker: /^swarm\/workers\/[^/]+\.json$/,
  inbox: /^inboxes\/[^/]+\.json$/,
  loop: /^\.loop-state\/[^/]+\.json$/,
  verification: /^verification\/(?:wave-[1-9]\d{0,8}|final)\.json$/,
  waves: /^waves\.json$/,
  documents: /^documents\.json$/,
  events: /^events\.jsonl$/,
  messages: /^messages\.jsonl$/,
  verdicts: /^verification\/verdicts\.jsonl$/,
  records: /^records\.jsonl$/,
  /** Made from the others, or none of our concern: never read. */
  derived:
    /^(?:(?:WHITEBOARD\.md|agent-status\.json|team-session\.json|swarm\/swarm\.json|project\.json)$|(?:worktrees|edited|replaced|runs)\/|\.teamwork)/,
} as const
type Kind = keyof typeof KINDS

function kindOf(path: string): Kind | "other" {
  for (const kind in KINDS) if (KINDS[kind as Kind].test(path)) return kind as Kind
  return "other"
}

function readTeam(folder: Folder): SnapshotTeam {
  const problems: FileNote[] = []
  const team = orSkip(problems, "project.json", () => parseTeam(readObject(folder, "project.json")))
  if (team !== undefined) return team
  throw new AppError("input.invalid", `project.json cannot be used: ${problems[0]?.what}`, { file: "project.json" })
}

function parseTeam(from: Json): SnapshotTeam {
  const more = object(from, "teamwork")
  const format = whole(more, "format", 1)
  if (format > FORMAT) {
    throw new AppError(
      "input.invalid",
      `project.json is of format ${format}, and this version of teamwork reads formats up to ${FORMAT}; update teamwork`,
      { file: "project.json", format },
    )
  }
  return {
    project: id(from, "project"),
    team: id(from, "team"),
    run: more.run === undefined ? 1 : whole(more, "run", 1),
    goal: text(from, "goal"),
    phase: choice(from, "phase", TEAM_PHASES),
    status: choice(more, "status", TEAM_STATUSES),
    pauseReason: orNull(more, "pause_reason", text),
    mode: choice(more, "mode", TEAM_MODES),
    schedule: choice(more, "schedule", SCHEDULES),
    protocol: more.protocol === undefined ? "none" : choice(more, "protocol", PROTOCOLS),
    hasQa: more.has_qa === undefined ? false : yesOrNo(more, "has_qa"),
    createdAt: time(from, "created_at"),
    updatedAt: time(from, "updated_at"),
    nextTask: whole(more, "next_task", 1),
    nextWorker: whole(more, "next_worker", 1),
  }
}

/** Takes one value out of each file of a kind. */
function readEach<Value>(found: Found, kind: Kind, take: (from: Json, path: string) => Value): Value[] {
  const values: Value[] = []
  for (const path of found.paths(kind)) {
    const value = orSkip(found.skipped, path, () => take(readObject(found.folder, path), path))
    if (value !== undefined) values.push(value)
  }
  return values
}

function assertName(path: string, name: string): void {
  if (path.endsWith(`/${name}.json`)) return
  throw new Problem(`is not named after its content, which would make it ${name}.json`)
}

function readTasks(found: Found): readonly SnapshotTask[] {
  const tasks = readEach(found, "task", (from, path) => {
    const task = parseTask(from)
    assertName(path, task.task.id)
    return task
  })
  for (const each of tasks) noteOtherStatus(found, each)
  tasks.sort(
    (a, b) => a.place - b.place || compare(a.task.createdAt, b.task.createdAt) || compare(a.task.id, b.task.id),
  )
  return mendNeeds(
    tasks.map((each) => each.task),
    found.changed,
  )
}

/** Somebody changed what the old readers see, and not the status itself. */
function noteOtherStatus(found: Found, { task, oldStatus: seen }: FoundTask): void {
  if (oldStatus(task) === seen) return
  const what = `its status is ${seen}, but that in "teamwork", which counts, is ${task.status}`
  found.changed.push({ file: `tasks/${task.id}.json`, what })
}

/** Only a gate's word is kept of a wave's status; the rest follows from the tasks. */
function readWaves(found: Found): SnapshotWave[] {
  const waves = readEach(found, "waves", (from) =>
    objects(from, "waves").map((wave) => {
      const status = choice(wave, "status", WAVE_STATUSES)
      return {
        number: whole(wave, "id", 1),
        verdict: status === "verified" || status === "failed" ? status : null,
        startedAt: orNull(wave, "started_at", time),
        verifiedAt: orNull(wave, "verified_at", time),
      }
    }),
  ).flat()
  const byNumber = new Map(waves.map((wave) => [wave.number, wave]))
  if (byNumber.size < waves.length)
    found.changed.push({ file: "waves.json", what: "of waves with one id, the last counts" })
  return [...byNumber.values()].sort((a, b) => a.number - b.number)
}

function readWorkers(found: Found): SnapshotWorker[] {
  const workers = readEach(found, "worker", (from, path): SnapshotWorker => {
    const more = object(from, "teamwork")
    const workerId = id<WorkerId>(from, "id")
    assertName(path, workerId)
    return {
      id: workerId,
      role: orNull(from, "role", role),
      sessionId: orNull(from, "session_id", text),
      pane: orNull(from, "pane", text),
      worktree: orNull(from, "worktree", text),
      branch: orNull(from, "branch", text),
      availability: choice(more, "availability", WORKER_AVAILABILITIES),
      heartbeatAt: time(from, "last_heartbeat"),
      createdAt: time(more, "created_at"),
    }
  })
  return sortWorkers(workers)
}

function role(from: Json, key: string) {
  return choice(from, key, ROLES)
}

function readLoops(found: Found): LoopState[] {
  const { project, team } = found.team
  const loops = readEach(found, "loop", (from, path): LoopState => {
    const loop = {
      active: yesOrNo(from, "active"),
      project: text(from, "project"),
      team: text(from, "team"),
      role: orNull(from, "role", role),
      startedAt: time(from, "started_at"),
      terminalId: text(from, "terminal_id"),
    }
    assertName(path, fileName(loop.terminalId))
    if (loop.project !== project || loop.team !== team) throw new Problem("belongs to another team")
    return loop
  })
  return loops.sort((a, b) => compare(a.terminalId, b.terminalId))
}

/**
 * The log has them all; of several lines with one id the last one counts, so that a message that was read can be
 * written once more. Inboxes fill in what the log lacks.
 */
function readMessages(found: Found): SnapshotMessage[] {
  const messages = new Map<string, SnapshotMessage>()
  for (const path of found.paths("messages")) {
    readLines(found.folder, path, found.skipped, (line) => {
      const message = parseMessage(line)
      messages.set(message.id, message)
    })
  }
  const inboxes = readEach(found, "inbox", (from, path) => {
    const inbox = objects(from, "messages").map(parseMessage)
    for (const message of inbox) assertName(path, fileName(message.to))
    return inbox
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

/** The log has them all; the files of the waves fill in what it lacks. */
function readVerdicts(found: Found): Verdict[] {
  const verdicts: Verdict[] = []
  for (const path of found.paths("verdicts")) {
    readLines(found.folder, path, found.skipped, (line) => {
      verdicts.push(parseVerdict(line))
    })
  }
  const known = new Set(verdicts.map(verdictKey))
  const others = readEach(found, "verification", (from, path) => {
    const wave = /wave-(\d+)\.json$/.exec(path)?.[1]
    return parseVerification(from, wave === undefined ? null : Number(wave))
  }).filter((verdict) => !known.has(verdictKey(verdict)))
  if (others.length === 0) return verdicts
  return [...verdicts, ...others].sort((a, b) => compare(a.timestamp, b.timestamp))
}

function readRecords(found: Found): TeamRecord[] {
  const records = new Map<string, TeamRecord>()
  for (const path of found.paths("records")) {
    readLines(found.folder, path, found.skipped, (line) => {
      const record = parseRecord(line)
      const key = `${record.kind} ${record.number}`
      if (records.has(key)) throw new Problem(`names ${key} twice`)
      records.set(key, record)
    })
  }
  return [...records.values()]
}

function verdictKey(verdict: Verdict): string {
  return JSON.stringify([verdict.scope, verdict.subject, verdict.status, verdict.by, verdict.timestamp])
}

/** Those that `documents.json` names; any other file does not belong to the format. */
function readDocuments(found: Found): Document[] {
  const { folder, skipped } = found
  const here = new Set(folder.paths)
  const used = new Set<string>()
  const documents = new Map<string, Document>()
  for (const entry of readEach(found, "documents", (from) => objects(from, "documents")).flat()) {
    const file = typeof entry.file === "string" && here.has(entry.file) ? entry.file : undefined
    orSkip(skipped, file ?? "documents.json", () => {
      if (file === undefined) throw new Problem(`names the file ${quoteInput(text(entry, "file"))}, which is not there`)
      used.add(file)
      const document = parseDocument(entry, readBytes(folder, file))
      if (documents.has(document.path)) throw new Problem("has the path of another document")
      documents.set(document.path, document)
    })
  }
  for (const path of found.paths("other")) {
    if (!used.has(path)) skipped.push({ file: path, what: "is no file of the format, nor named by documents.json" })
  }
  return [...documents.values()].sort((a, b) => compare(a.path, b.path))
}

function parseDocument(entry: Json, bytes: Uint8Array): Document {
  const encoding = choice(entry, "encoding", ["utf8", "base64"])
  const content = encoding === "base64" ? Buffer.from(bytes).toString("base64") : decodeText(bytes)
  if (encoding === "utf8" && content.includes("\0")) throw new Problem("has a NUL character")
  return {
    path: text(entry, "path"),
    content,
    encoding,
    by: text(entry, "by"),
    createdAt: time(entry, "created_at"),
    updatedAt: time(entry, "updated_at"),
  }
}
