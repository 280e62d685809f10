// The files of a team's export. Field names and their order are those of the formats before us; whatever these have no
// place for is under the one key `teamwork`. Equal facts give equal bytes, whichever store they came from.
import { toStored } from "../../kernel/events.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import type { FirstFailure } from "../../quality/first-failure.ts"
import type { AgainstBaseline, Verdict } from "../../quality/verdict.ts"
import type { PastEvent, SnapshotMessage } from "../snapshot.ts"
import { documentFiles } from "./document-files.ts"
import { compare, findCurrentWave, listWaves, listWorkers, reportSwarm, sortWorkers, type TeamFacts } from "./facts.ts"
import type { OutFile } from "./folder.ts"
import { jsonFile, sortKeys } from "./json.ts"
import { fileName } from "./names.ts"
import { overviewFiles } from "./overview.ts"
import { oldStatus, taskFile } from "./task-file.ts"

export type { TeamFacts }
export { documentFiles, overviewFiles, taskFile }

/** Raised when readers of today would misunderstand the files. */
export const FORMAT = 1

/** How many of the newest messages an inbox file holds; the log has all of them. */
export const MAX_INBOX = 500

export const EVENTS_LOG = "events.jsonl"
export const MESSAGES_LOG = "messages.jsonl"
export const VERDICTS_LOG = "verification/verdicts.jsonl"
export const RECORDS_LOG = "records.jsonl"

/** Every file of the team that is no log. */
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
  const stats = { total: tasks.size, open: 0, in_progress: 0, resolved: 0 }
  for (const task of tasks.values()) stats[oldStatus(task)] += 1
  return jsonFile("project.json", {
    project: team.project,
    team: team.team,
    goal: team.goal,
    phase: team.phase,
    created_at: team.createdAt,
    updated_at: team.updatedAt,
    stats,
    teamwork: {
      format: FORMAT,
      status: team.status,
      pause_reason: team.pauseReason,
      mode: team.mode,
      schedule: team.schedule,
      ...(team.protocol === "none" ? {} : { protocol: team.protocol }),
      ...(team.hasQa ? { has_qa: true } : {}),
      ...(team.run === 1 ? {} : { run: team.run }),
      next_task: team.nextTask,
      next_worker: team.nextWorker,
    },
  })
}

/** None without waves: then the old readers take the team for one with a single phase. */
export function wavesFile(facts: TeamFacts): OutFile | undefined {
  if (facts.waves.length === 0) return undefined
  return jsonFile("waves.json", {
    version: "1.0",
    total_waves: facts.waves.length,
    current_wave: findCurrentWave(facts),
    waves: listWaves(facts).map((wave) => ({
      id: wave.id,
      status: wave.status,
      tasks: wave.tasks,
      started_at: wave.startedAt,
      verified_at: wave.verifiedAt,
    })),
  })
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
  return listWorkers(facts).map((worker) =>
    jsonFile(`swarm/workers/${worker.id}.json`, {
      id: worker.id,
      role: worker.role,
      pane: worker.pane,
      worktree: worker.worktree,
      branch: worker.branch,
      session_id: worker.sessionId,
      status: worker.currentTask === null ? "idle" : "working",
      current_task: worker.currentTask,
      tasks_completed: worker.tasksCompleted,
      last_heartbeat: worker.lastHeartbeat,
      teamwork: { availability: availability.get(worker.id), created_at: worker.createdAt },
    }),
  )
}

/** One for everybody who ever got a message; only those of `names`, when given. */
export function inboxFiles(facts: TeamFacts, names?: ReadonlySet<string>): OutFile[] {
  const wanted = names === undefined ? facts.messages : facts.messages.filter((message) => names.has(message.to))
  const inboxes = [...Map.groupBy(wanted, (message) => message.to)].sort(([a], [b]) => compare(a, b))
  return inboxes.map(([name, messages]) =>
    jsonFile(`inboxes/${fileName(name)}.json`, { messages: messages.slice(-MAX_INBOX).map(messageEntry) }),
  )
}

/** The latest word on each wave and on the whole. */
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
    .map(([wave, verdict]) => {
      const verified = (tasks.get(wave) ?? []).map((task) => task.id)
      return jsonFile(`verification/wave-${wave}.json`, { wave_id: wave, ...verification(verdict, verified) })
    })
  if (final === undefined) return files
  return [...files, jsonFile("verification/final.json", verification(final, [...facts.tasks.keys()]))]
}

function verification(verdict: Verdict, tasks: readonly string[]): Record<string, unknown> {
  return {
    status: verdict.status,
    verified_at: verdict.timestamp,
    tasks_verified: tasks,
    checks: verdict.checks.map(checkEntry),
    issues: verdict.issues,
    teamwork: {
      by: verdict.by,
      ...(verdict.scope === "final" ? { subject: verdict.subject } : {}),
      commit: verdict.commit,
      tree: verdict.tree,
    },
  }
}

function checkEntry(check: Verdict["checks"][number]): Record<string, unknown> {
  const { name, status, evidence, command, durationMs, outputFile, firstFailure, baseline } = check
  const ran = { command, duration_ms: durationMs, output_file: outputFile, first_failure: failureEntry(firstFailure) }
  return { name, status, evidence, ...ran, baseline: baselineEntry(baseline) }
}

function baselineEntry(against: AgainstBaseline | undefined): AgainstBaseline | undefined {
  if (against === undefined) return undefined
  const { before, now, broken, asked, flaky } = against
  return { before, now, broken, asked, flaky }
}

/** In one order, whichever a store gives. */
function failureEntry(failure: FirstFailure | undefined): FirstFailure | undefined {
  if (failure === undefined) return undefined
  const { test, file, line, message } = failure
  return { test, file, line, message }
}

export function loopFiles(facts: TeamFacts): OutFile[] {
  return facts.loops
    .toSorted((a, b) => compare(a.terminalId, b.terminalId))
    .map((loop) =>
      jsonFile(`.loop-state/${fileName(loop.terminalId)}.json`, {
        active: loop.active,
        project: loop.project,
        team: loop.team,
        role: loop.role,
        started_at: loop.startedAt,
        terminal_id: loop.terminalId,
      }),
    )
}

/** `place` counts from 1. */
export function eventLine(event: PastEvent, place: number): string {
  const { type, version, data } = toStored(event)
  const { timestamp, by } = event
  return JSON.stringify({ place, type, version, timestamp, by, data: sortKeys(data) })
}

/** One line each, in the order in which they came. */
export function recordLine(record: TeamRecord): string {
  return JSON.stringify({
    kind: record.kind,
    number: record.number,
    task: record.taskId,
    attempt: record.attempt,
    status: record.status,
    data: sortKeys(record.data),
    by: record.by,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  })
}

export function messageLine(message: SnapshotMessage): string {
  return JSON.stringify(messageEntry(message))
}

function messageEntry(message: SnapshotMessage): Record<string, unknown> {
  return {
    id: message.id,
    from: message.from,
    to: message.to,
    type: message.type,
    payload: sortKeys(message.payload),
    timestamp: message.timestamp,
    read: message.read,
    delivered_at: message.deliveredAt,
    read_at: message.readAt,
  }
}

export function verdictLine({ checks, ...verdict }: Verdict): string {
  const { scope, subject, status, issues, by, timestamp, commit, tree } = verdict
  const entries = checks.map(checkEntry)
  return JSON.stringify({ scope, subject, status, checks: entries, issues, by, timestamp, commit, tree })
}
