// Whole teams, made up: anything a store could hold, in all its oddity. And their export, kept in memory.
import fc from "fast-check"
import type { TeamFacts } from "../../src/files/own/facts.ts"
import type { Folder, OutFile } from "../../src/files/own/folder.ts"
import {
  allFiles,
  EVENTS_LOG,
  eventLine,
  MESSAGES_LOG,
  messageLine,
  RECORDS_LOG,
  recordLine,
  VERDICTS_LOG,
  verdictLine,
} from "../../src/files/own/render.ts"
import type {
  PastEvent,
  SnapshotMessage,
  SnapshotTask,
  SnapshotTeam,
  SnapshotWave,
  SnapshotWorker,
  TeamSnapshot,
} from "../../src/files/snapshot.ts"
import type { Document } from "../../src/kernel/document.ts"
import { EVENTS, type EventType, readEvent } from "../../src/kernel/events.ts"
import { isId, type TaskId, type WorkerId } from "../../src/kernel/ids.ts"
import { PHASES, PROTOCOLS } from "../../src/kernel/phase.ts"
import { RECORD_KINDS, type TeamRecord } from "../../src/kernel/record.ts"
import { SCHEDULES, TEAM_MODES, TEAM_PHASES, TEAM_STATUSES } from "../../src/kernel/team.ts"
import { describeField, type Field, type Fields } from "../../src/lib/schema.ts"
import { MESSAGE_TYPES } from "../../src/messages/message.ts"
import { EXCEPTION_STATUSES, type Exception } from "../../src/ownership/exception.ts"
import { VERDICT_SCOPES, VERDICT_STATUSES, type Verdict } from "../../src/quality/verdict.ts"
import type { LoopState } from "../../src/sessions/loop-state.ts"
import { EFFORTS } from "../../src/tasks/effort.ts"
import {
  EVIDENCE_TRUSTS,
  EVIDENCE_TYPES,
  type Evidence,
  type EvidenceFacts,
  type EvidenceType,
  FILE_ACTIONS,
} from "../../src/tasks/evidence.ts"
import { layerTasks } from "../../src/tasks/layers.ts"
import { QA_STATES } from "../../src/tasks/qa-state.ts"
import { COMPLEXITIES, NO_WORK, ROLES, TASK_STATUSES, type Work } from "../../src/tasks/task.ts"
import { WORKER_AVAILABILITIES } from "../../src/workers/worker.ts"

export interface WholeTeam {
  readonly snapshot: TeamSnapshot
  readonly history: PastEvent[]
}

/** A team that a store could hold: unique ids, needs without circles, claims that fit the status. */
export function arbitrarySnapshot(): fc.Arbitrary<WholeTeam> {
  return fc
    .record({
      team: team(),
      taskIds: uniqueIds(8),
      workerIds: uniqueIds(4),
      names: fc.uniqueArray(fc.oneof(id(), oddName()), { minLength: 1, maxLength: 4, selector: lower }),
      history: fc.array(event(), { maxLength: 12 }),
      documents: documents(),
    })
    .chain(({ team, taskIds, workerIds, names, history, documents }) =>
      fc
        .record({
          tasks: tasks(taskIds as TaskId[], workerIds as WorkerId[]),
          workers: workers(workerIds as WorkerId[]),
          messages: messages(["orchestrator", ...workerIds, ...names]),
          verdicts: fc.array(verdict(taskIds), { maxLength: 6 }),
          records: records(taskIds as TaskId[]),
          loops: loops(team, names),
          waveWords: fc.record({ verified: fc.nat(4), isFailed: fc.boolean(), at: time() }),
          hasWaves: fc.boolean(),
        })
        .map(({ tasks, waveWords, hasWaves, ...rest }) => ({
          snapshot: { team, ...layOut(tasks, waveWords, hasWaves), ...rest, documents },
          history,
        })),
    )
}

/** Text of every kind, well-formed and without NUL, which no database keeps. */
export function anyText(maxLength = 30): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: "grapheme-ascii", maxLength }),
    fc.string({ unit: "grapheme", maxLength }),
    fc.string({ unit: "binary", maxLength }).map((text) => text.replaceAll("\0", "")),
    fc.constantFrom(
      "__proto__",
      "constructor",
      "\ufeffmarked",
      "a\r\nb\tc",
      "\u2028\u2029",
      "{}",
      '"',
      "| a | b |",
      "# x",
    ),
  )
}

const HOSTILE_NAMES = [".", "..", "...", "../up", "/etc/passwd", "a/b", "a\\b", "%2e", "con", "日本", "e\u0301", "\n"]

function oddName(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...HOSTILE_NAMES, "x".repeat(300), "y".repeat(300)),
    anyText().filter((text) => text !== ""),
  )
}

const ID_LETTERS = "abcxyzABC0123456789._-"

function id(): fc.Arbitrary<string> {
  const free = fc.string({ unit: fc.constantFrom(...ID_LETTERS), minLength: 1, maxLength: 12 }).filter(isId)
  return fc.oneof(
    fc.integer({ min: 1, max: 99 }).map(String),
    fc.integer({ min: 1, max: 9 }).map((number) => `w${number}`),
    free,
  )
}

/** Not even alike but for case: on some disks such files would be one. */
function uniqueIds(maxLength: number): fc.Arbitrary<string[]> {
  return fc.uniqueArray(id(), { maxLength, selector: lower })
}

function lower(text: string): string {
  return text.toLowerCase()
}

function time(): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 4_000_000_000_000 }).map((ms) => new Date(ms).toISOString())
}

function orNull<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.option(value, { nil: null })
}

const count = (min = 0) => fc.integer({ min, max: 1_000_000 })
const texts = () => fc.array(anyText(), { maxLength: 3 })

function records(taskIds: readonly TaskId[]): fc.Arbitrary<TeamRecord[]> {
  const each = fc.record({
    kind: fc.constantFrom(...RECORD_KINDS),
    taskId: taskIds.length === 0 ? fc.constant(null) : orNull(fc.constantFrom(...taskIds)),
    attempt: orNull(fc.integer({ min: 1, max: 3 })),
    status: anyText(),
    data: fc.dictionary(fc.constantFrom("text", "list", "count"), fc.oneof(anyText(), texts(), count())),
    by: anyText(),
    createdAt: time(),
    updatedAt: time(),
  })
  return fc.array(each, { maxLength: 6 }).map((all) => {
    const numbers = new Map<string, number>()
    return all.map((record) => {
      const number = (numbers.get(record.kind) ?? 0) + 1
      numbers.set(record.kind, number)
      return { ...record, number }
    })
  })
}

function team(): fc.Arbitrary<SnapshotTeam> {
  return fc.record({
    project: id(),
    team: id(),
    run: count(1),
    goal: anyText(80),
    phase: fc.constantFrom(...TEAM_PHASES),
    status: fc.constantFrom(...TEAM_STATUSES),
    pauseReason: orNull(anyText()),
    mode: fc.constantFrom(...TEAM_MODES),
    schedule: fc.constantFrom(...SCHEDULES),
    protocol: fc.constantFrom(...PROTOCOLS),
    hasQa: fc.boolean(),
    createdAt: time(),
    updatedAt: time(),
    nextTask: count(1),
    nextWorker: count(1),
  })
}

/** Needs lead only to tasks before in `ids`, so that there is no circle; they are created in any order. */
function tasks(ids: readonly TaskId[], workerIds: readonly WorkerId[]): fc.Arbitrary<SnapshotTask[]> {
  const each = ids.map((id, index) =>
    fc.subarray(ids.slice(0, index)).chain((needs) => task(id, needs.toSorted(), workerIds)),
  )
  return fc
    .tuple(...each)
    .chain((tasks) => fc.shuffledSubarray(tasks, { minLength: tasks.length, maxLength: tasks.length }))
}

function work(id: TaskId): fc.Arbitrary<Work> {
  const said = fc.record({
    agent: orNull(anyText()),
    model: orNull(anyText()),
    effort: orNull(fc.constantFrom(...EFFORTS)),
    commands: texts(),
    repair: texts(),
    cascadeOf: orNull(fc.constant(id)),
    cascadeDepth: count(),
  })
  return fc.oneof(fc.constant(NO_WORK), said)
}

function task(id: TaskId, needs: readonly TaskId[], workerIds: readonly WorkerId[]): fc.Arbitrary<SnapshotTask> {
  const worker = workerIds.length === 0 ? fc.constant(null) : orNull(fc.constantFrom(...workerIds))
  return fc
    .record({
      title: anyText(),
      description: anyText(80),
      role: fc.constantFrom(...ROLES),
      complexity: fc.constantFrom(...COMPLEXITIES),
      acceptance: texts(),
      checks: texts(),
      files: texts(),
      agentType: orNull(anyText()),
      assignee: worker,
      work: work(id),
      priority: fc.integer({ min: -100, max: 100 }),
      status: fc.constantFrom(...TASK_STATUSES),
      pausedFrom: fc.constantFrom("open" as const, "in_progress" as const, "in_review" as const),
      pauseReason: orNull(anyText()),
      attempt: fc.integer({ min: 1, max: 3 }),
      result: orNull(anyText()),
      phase: orNull(fc.constantFrom(...PHASES)),
      qa: orNull(fc.constantFrom(...QA_STATES)),
      owner: anyText().filter((text) => text !== ""),
      claimedAt: time(),
      claimToken: fc.integer({ min: 1, max: 9 }),
      leaseUntil: time(),
      leaseMs: count(),
      workerId: worker,
      previousOwner: orNull(anyText()),
      version: count(1),
      createdAt: time(),
      updatedAt: time(),
      completedAt: time(),
      evidence: fc.array(evidence(id), { maxLength: 4 }),
      exceptions: fc.array(exception(id), { maxLength: 2 }),
    })
    .map(({ owner, ...given }) => {
      const isPaused = given.status === "paused"
      const isHeld = given.status !== "open" && !(isPaused && given.pausedFrom === "open")
      const isOver = ["resolved", "failed", "skipped"].includes(given.status)
      return {
        ...given,
        id,
        blockedBy: needs,
        wave: null,
        height: 0,
        pausedFrom: isPaused ? given.pausedFrom : null,
        pauseReason: isPaused ? given.pauseReason : null,
        claimedBy: isHeld ? owner : null,
        claimedAt: isHeld ? given.claimedAt : null,
        workerId: isHeld ? given.workerId : null,
        leaseUntil: given.status === "in_progress" ? given.leaseUntil : null,
        completedAt: isOver ? given.completedAt : null,
        evidence: given.evidence.map((entry, index) => ({ ...entry, number: index + 1, attempt: given.attempt })),
        exceptions: given.exceptions.map((entry, index) => ({ ...entry, number: index + 1 })),
      }
    })
}

function evidence(taskId: TaskId): fc.Arbitrary<Evidence> {
  return fc.constantFrom(...EVIDENCE_TYPES).chain((type) =>
    fc.record({
      number: fc.constant(1),
      taskId: fc.constant(taskId),
      attempt: fc.constant(1),
      type: fc.constant(type),
      trust: fc.constantFrom(...EVIDENCE_TRUSTS),
      text: anyText(),
      facts: facts(type),
      blockedPattern: orNull(anyText()),
      by: anyText(),
      timestamp: time(),
      withdrawnAt: orNull(time()),
    }),
  )
}

function exception(taskId: TaskId): fc.Arbitrary<Exception> {
  return fc
    .record({
      number: fc.constant(1),
      taskId: fc.constant(taskId),
      attempt: fc.integer({ min: 1, max: 3 }),
      pattern: anyText(),
      reason: anyText(),
      askedBy: anyText(),
      askedAt: time(),
      status: fc.constantFrom(...EXCEPTION_STATUSES),
      decidedBy: anyText(),
      decidedAt: time(),
      decision: orNull(anyText()),
    })
    .map((entry) => (entry.status === "asked" ? { ...entry, decidedBy: null, decidedAt: null, decision: null } : entry))
}

function facts(type: EvidenceType): fc.Arbitrary<EvidenceFacts> {
  switch (type) {
    case "command":
      return fc.record(
        {
          command: anyText(),
          exitCode: fc.integer({ min: -1, max: 255 }),
          output: anyText(80),
          outputHash: fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 64, maxLength: 64 }),
          durationMs: count(),
          commit: fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 40, maxLength: 40 }),
          isDirty: fc.boolean(),
        },
        { requiredKeys: ["command", "exitCode"] },
      )
    case "file":
      return fc.record({ path: anyText(), action: fc.constantFrom(...FILE_ACTIONS) })
    case "test":
      return fc.record({ passed: count(), failed: count() })
    case "note":
      return fc.constant({})
  }
}

/** Waves and heights as planning would give them. */
function layOut(
  tasks: readonly SnapshotTask[],
  words: { verified: number; isFailed: boolean; at: string },
  hasWaves: boolean,
): { tasks: SnapshotTask[]; waves: SnapshotWave[] } {
  if (!hasWaves) return { tasks: [...tasks], waves: [] }
  const { layers, height } = layerTasks(tasks)
  const waveOf = new Map(layers.flatMap((ids, index) => ids.map((id) => [id, index + 1] as const)))
  const waves = layers.map((_, index): SnapshotWave => {
    const verdict = index < words.verified ? "verified" : index === words.verified && words.isFailed ? "failed" : null
    const startedAt = index <= words.verified ? words.at : null
    return { number: index + 1, verdict, startedAt, verifiedAt: verdict === "verified" ? words.at : null }
  })
  return {
    tasks: tasks.map((task) => ({ ...task, wave: waveOf.get(task.id) ?? 1, height: height.get(task.id) ?? 0 })),
    waves,
  }
}

function workers(ids: readonly WorkerId[]): fc.Arbitrary<SnapshotWorker[]> {
  const each = ids.map((id) =>
    fc.record({
      id: fc.constant(id),
      role: orNull(fc.constantFrom(...ROLES)),
      sessionId: orNull(anyText()),
      pane: orNull(anyText()),
      worktree: orNull(anyText()),
      branch: orNull(anyText()),
      availability: fc.constantFrom(...WORKER_AVAILABILITIES),
      heartbeatAt: time(),
      createdAt: time(),
    }),
  )
  return fc
    .tuple(...each)
    .map((workers) =>
      workers.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1)),
    )
}

function messages(names: readonly string[]): fc.Arbitrary<SnapshotMessage[]> {
  const name = fc.constantFrom(...new Map(names.map((name) => [lower(name), name])).values())
  const message = fc
    .record({
      id: fc.oneof(fc.uuid(), id()),
      from: name,
      to: name,
      type: fc.constantFrom(...MESSAGE_TYPES),
      payload: payload(),
      timestamp: time(),
      deliveredAt: orNull(time()),
      readAt: orNull(time()),
    })
    .map((message) => ({
      ...message,
      deliveredAt: message.deliveredAt ?? message.readAt,
      read: message.readAt !== null,
    }))
  return fc.uniqueArray(message, { maxLength: 12, selector: (each) => each.id })
}

/** Any object that JSON can hold; through JSON once, as a store would. */
function payload(): fc.Arbitrary<Record<string, unknown>> {
  const plain = fc.oneof(anyText(), fc.integer(), fc.boolean(), fc.constant(null))
  const value = fc.oneof(plain, fc.array(plain, { maxLength: 3 }), fc.dictionary(anyText(), plain, { maxKeys: 3 }))
  return fc
    .array(fc.tuple(anyText(), value), { maxLength: 4 })
    .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))))
}

function verdict(taskIds: readonly string[]): fc.Arbitrary<Verdict> {
  const taskId = taskIds.length === 0 ? fc.constant("1") : fc.constantFrom(...taskIds)
  const check = fc.record(
    {
      name: anyText(),
      status: fc.constantFrom(...VERDICT_STATUSES),
      evidence: anyText(),
      firstFailure: fc.record({
        test: anyText(),
        file: orNull(anyText()),
        line: orNull(count()),
        message: orNull(anyText()),
      }),
      baseline: fc.record({
        before: orNull(count()),
        now: orNull(count()),
        broken: texts(),
        asked: texts(),
        flaky: orNull(texts()),
      }),
    },
    { requiredKeys: ["name", "status"] },
  )
  return fc
    .record({
      scope: fc.constantFrom(...VERDICT_SCOPES),
      task: taskId,
      wave: fc.integer({ min: 1, max: 4 }),
      status: fc.constantFrom(...VERDICT_STATUSES),
      checks: fc.array(check, { maxLength: 3 }),
      issues: texts(),
      by: anyText(),
      timestamp: time(),
    })
    .map(({ task, wave, ...rest }) => {
      const subject = rest.scope === "wave" ? String(wave) : rest.scope === "task" || rest.scope === "qa" ? task : null
      return { ...rest, subject }
    })
}

function loops({ project, team }: SnapshotTeam, names: readonly string[]): fc.Arbitrary<LoopState[]> {
  const each = names.toSorted().map((terminalId) =>
    fc.record({
      active: fc.boolean(),
      project: fc.constant(project),
      team: fc.constant(team),
      role: orNull(fc.constantFrom(...ROLES)),
      startedAt: time(),
      terminalId: fc.constant(terminalId),
    }),
  )
  return fc.tuple(...each).chain((all) => fc.subarray(all))
}

const DOCUMENT_PATHS = [
  "wisdom/learnings.md",
  "wisdom",
  "Wisdom/Learnings.md",
  "role-specs/backend.md",
  "artifacts/plan.bin",
  "project.json",
  "Project.JSON",
  "tasks/1.json",
  "tasks",
  "documents.json/x",
  "documents/%41",
  "documents/a",
  "events.jsonl",
  "verification/verdicts.jsonl",
  ".loop-state/t1.json",
  ".git/config",
  "w1.md",
  "",
  "/",
  "a//b",
  "a/",
]

function documents(): fc.Arbitrary<Document[]> {
  const path = fc.oneof(fc.constantFrom(...DOCUMENT_PATHS), oddName())
  const base64 = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64"))
  const content = fc.oneof(
    fc.record({ encoding: fc.constant("utf8" as const), content: anyText(80) }),
    fc.record({ encoding: fc.constant("base64" as const), content: base64 }),
  )
  const document = fc
    .record({ path, content, by: anyText(), createdAt: time(), updatedAt: time() })
    .map(({ content, ...rest }) => ({ ...rest, ...content }))
  return fc
    .uniqueArray(document, { maxLength: 6, selector: (each) => each.path })
    .map((all) => all.sort((a, b) => (a.path < b.path ? -1 : 1)))
}

function event(): fc.Arbitrary<PastEvent> {
  return fc
    .constantFrom(...(Object.keys(EVENTS) as EventType[]))
    .chain((type) =>
      fc.record({
        type: fc.constant(type),
        version: fc.constant(EVENTS[type].version),
        timestamp: time(),
        by: anyText(),
        data: eventData(EVENTS[type].fields),
      }),
    )
    .map((stored) => readEvent(stored))
}

/** What may be left out is there or not; what may be null is always there. */
function eventData(fields: Fields): fc.Arbitrary<Record<string, unknown>> {
  const requiredKeys = Object.keys(fields).filter((name) => fields[name]?.type !== "optional")
  return fc.record(Object.fromEntries(Object.entries(fields).map(eventField)), { requiredKeys })
}

function eventField([name, field]: [string, Field<unknown>]): [string, fc.Arbitrary<unknown>] {
  const { kind, choices } = describeField(field)
  const word = choices === undefined ? anyText() : fc.constantFrom(...choices)
  const values = { text: word, number: count(), flag: fc.boolean(), list: texts(), record: payload() }
  const value: fc.Arbitrary<unknown> = values[kind]
  return [name, field.type === "nullish" ? orNull(value) : value]
}

const LATEST_SHOWN = 10

/** What the files of a team are made from, when all of it is at hand. */
export function factsOf({ snapshot, history }: WholeTeam): TeamFacts {
  return {
    ...snapshot,
    tasks: new Map(snapshot.tasks.map((task) => [task.id, task])),
    latestEvents: history.filter((event) => !event.type.startsWith("message.")).slice(-LATEST_SHOWN),
    setbacks: history.filter((event) => event.type === "task.setback"),
  }
}

/** Every file of the team's export, logs included. */
export function filesOf(whole: WholeTeam): OutFile[] {
  const { messages, verdicts, records } = whole.snapshot
  const log = (path: string, lines: readonly string[]) => ({ path, content: lines.map((line) => `${line}\n`).join("") })
  return [
    ...allFiles(factsOf(whole)),
    log(
      EVENTS_LOG,
      whole.history.map((event, index) => eventLine(event, index + 1)),
    ),
    log(MESSAGES_LOG, messages.map(messageLine)),
    log(VERDICTS_LOG, verdicts.map(verdictLine)),
    log(RECORDS_LOG, records.map(recordLine)),
  ]
}

/** A folder of these files; two of one path are an error, as the second would overwrite the first. */
export function folderOf(files: readonly OutFile[]): Folder {
  const contents = new Map(files.map((file) => [file.path, Buffer.from(file.content as string)]))
  if (contents.size < files.length) throw new Error("two files have the same path")
  return {
    paths: [...contents.keys()].sort(),
    read(path) {
      const content = contents.get(path)
      if (content === undefined) throw Object.assign(new Error(`no file ${path}`), { code: "ENOENT" })
      return content
    },
  }
}
