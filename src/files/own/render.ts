// Equal facts give equal bytes, whichever store they came from.
import { toStored } from "../../kernel/events.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { PastEvent, SnapshotMessage, SnapshotTask } from "../snapshot.ts"
import { documentFiles } from "./document-files.ts"
import { compare, findCurrentWave, listWaves, listWorkers, reportSwarm, sortWorkers, type TeamFacts } from "./facts.ts"
import { toFile } from "./file-schema.ts"
import type { OutFile } from "./folder.ts"
import {
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
import { jsonFile, sortKeys } from "./json.ts"
import { fileName } from "./names.ts"
import { overviewFiles } from "./overview.ts"

/** Newest messages in an inbox file; the log has all of them. */
export const MAX_INBOX = 500

export const EVENTS_LOG = "events.jsonl"
export const MESSAGES_LOG = "messages.jsonl"
export const VERDICTS_LOG = "verification/verdicts.jsonl"
export const RECORDS_LOG = "records.jsonl"

export function* allFiles(facts: TeamFacts): Iterable<OutFile> {
  yield projectFile(facts)
  const waves = wavesFile(facts)
  if (waves !== undefined) yield waves
  let place = 0
  for (const task of facts.tasks.values()) {
    place += 1
    yield taskFile(task, place)
  }
  yield swarmFile(facts)
  yield* workerFiles(facts)
  yield* inboxFiles(facts)
  yield* verificationFiles(facts)
  yield* loopFiles(facts)
  yield* documentFiles(facts)
  yield* overviewFiles(facts)
}

export function projectFile({ team, tasks }: TeamFacts): OutFile {
  const counts = { open: 0, in_progress: 0, resolved: 0 }
  for (const task of tasks.values()) counts[oldStatus(task)] += 1
  const stats = { ...counts, total: tasks.size, inProgress: counts.in_progress }
  return jsonFile("project.json", toFile(ProjectFile, { ...team, stats, teamwork: { ...team, format: FORMAT } }))
}

/** `place`: in order of creation, from 1. */
export function taskFile(task: SnapshotTask, place: number): OutFile {
  const content = {
    ...task,
    status: oldStatus(task),
    blockedBy: task.blockedBy.toSorted(compare),
    evidence: task.evidence.map(({ facts, ...entry }) => ({ ...entry, ...facts })),
    teamwork: { ...task, place },
  }
  return jsonFile(`tasks/${task.id}.json`, toFile(TaskFile, content))
}

/** Undefined without waves: readers of the older formats then assume a single phase. */
export function wavesFile(facts: TeamFacts): OutFile | undefined {
  if (facts.waves.length === 0) return undefined
  const totals = { version: "1.0", totalWaves: facts.waves.length, currentWave: findCurrentWave(facts) }
  return jsonFile("waves.json", toFile(WavesFile, { ...totals, waves: listWaves(facts) }))
}

export function swarmFile(facts: TeamFacts): OutFile {
  const { session, status, createdAt, currentWave, paused } = reportSwarm(facts)
  return jsonFile("swarm/swarm.json", {
    session,
    status,
    created_at: createdAt,
    workers: sortWorkers(facts.workers).map((worker) => worker.id),
    current_wave: currentWave,
    paused,
    use_worktree: facts.workers.some((worker) => worker.worktree !== null),
    source_dir: null,
  })
}

export function workerFiles(facts: TeamFacts): OutFile[] {
  const availability = new Map(facts.workers.map((worker) => [worker.id, worker.availability]))
  return listWorkers(facts).map((worker) => {
    const teamwork = { availability: availability.get(worker.id), createdAt: worker.createdAt }
    const status = worker.currentTask === null ? "idle" : "working"
    return jsonFile(`swarm/workers/${worker.id}.json`, toFile(WorkerFile, { ...worker, status, teamwork }))
  })
}

/** One for each name that ever got a message, or only for `names`. */
export function inboxFiles(facts: TeamFacts, names?: ReadonlySet<string>): OutFile[] {
  const wanted = names === undefined ? facts.messages : facts.messages.filter((message) => names.has(message.to))
  const inboxes = [...Map.groupBy(wanted, (message) => message.to)].sort(([a], [b]) => compare(a, b))
  return inboxes.map(([name, messages]) =>
    jsonFile(
      `inboxes/${fileName(name)}.json`,
      toFile(InboxFile, { messages: messages.slice(-MAX_INBOX).map(sortPayload) }),
    ),
  )
}

function sortPayload(message: SnapshotMessage): SnapshotMessage {
  return { ...message, payload: sortKeys(message.payload) }
}

/** The latest verdict on each wave and on the whole. */
export function verificationFiles(facts: TeamFacts): OutFile[] {
  const waves = new Map<number, Verdict>()
  let final: Verdict | undefined
  for (const verdict of facts.verdicts) {
    if (verdict.scope === "final") final = verdict
    if (verdict.scope === "wave" && /^[1-9]\d{0,8}$/.test(verdict.subject ?? "")) {
      waves.set(Number(verdict.subject), verdict)
    }
  }
  const tasks = Map.groupBy(facts.tasks.values(), (task) => task.wave)
  const files = [...waves]
    .sort(([a], [b]) => a - b)
    .map(([waveId, verdict]) => {
      const tasksVerified = (tasks.get(waveId) ?? []).map((task) => task.id)
      const content = { ...verification(verdict), waveId, tasksVerified }
      return jsonFile(`verification/wave-${waveId}.json`, toFile(WaveVerification, content))
    })
  if (final === undefined) return files
  const content = { ...verification(final), tasksVerified: [...facts.tasks.keys()] }
  return [...files, jsonFile("verification/final.json", toFile(FinalVerification, content))]
}

function verification({ timestamp: verifiedAt, status, checks, issues, ...teamwork }: Verdict) {
  return { verifiedAt, status, checks, issues, teamwork }
}

export function loopFiles(facts: TeamFacts): OutFile[] {
  return facts.loops
    .toSorted((a, b) => compare(a.terminalId, b.terminalId))
    .map((loop) => jsonFile(`.loop-state/${fileName(loop.terminalId)}.json`, toFile(LoopFile, loop)))
}

/** `place` counts from 1. */
export function eventLine(event: PastEvent, place: number): string {
  const stored = toStored(event)
  return JSON.stringify(toFile(EventLine, { ...event, ...stored, place, data: sortKeys(stored.data) }))
}

export function recordLine(record: TeamRecord): string {
  return JSON.stringify(toFile(RecordLine, { ...record, task: record.taskId, data: sortKeys(record.data) }))
}

export function messageLine(message: SnapshotMessage): string {
  return JSON.stringify(toFile(MessageLine, sortPayload(message)))
}

export function verdictLine(verdict: Verdict): string {
  return JSON.stringify(toFile(VerdictLine, verdict))
}
