import { readEvent, UNRECOGNIZED } from "../../kernel/events.ts"
import { quoteInput, type TaskId } from "../../kernel/ids.ts"
import { RECORD_KINDS, type TeamRecord } from "../../kernel/record.ts"
import { MESSAGE_TYPES } from "../../messages/message.ts"
import type { FirstFailure } from "../../quality/first-failure.ts"
import {
  type AgainstBaseline,
  type Check,
  type Judged,
  VERDICT_SCOPES,
  VERDICT_STATUSES,
  type Verdict,
} from "../../quality/verdict.ts"
import type { FileNote } from "../layouts/found-team.ts"
import type { PastEvent, SnapshotMessage } from "../snapshot.ts"
import {
  anyObject,
  choice,
  decodeText,
  id,
  type Json,
  object,
  objects,
  orNull,
  orSkip,
  Problem,
  parseObject,
  readBytes,
  text,
  texts,
  time,
  whole,
} from "./checked.ts"
import type { Folder } from "./folder.ts"

/** Bad lines of one file that are named one by one; of a file that is all wrong a few are enough. */
const MAX_NAMED = 20
const NEWLINE = 10

/** Hands every line of a log to `take`; a line that it refuses is named and left out. */
export function readLines(folder: Folder, file: string, skipped: FileNote[], take: (line: Json) => void): void {
  const bytes = orSkip(skipped, file, () => readBytes(folder, file))
  if (bytes === undefined) return
  const bad: FileNote[] = []
  for (const { line, number, isWhole } of splitLines(bytes)) {
    const notes: FileNote[] = []
    // By the line, because one that was cut inside of a letter must not spoil the others.
    orSkip(notes, file, () => take(parseObject(decodeText(line))))
    for (const { what } of notes)
      bad.push({ file, what: `line ${number}${isWhole ? "" : ", which is cut off"}: ${what}` })
  }
  skipped.push(...bad.slice(0, MAX_NAMED))
  const more = bad.length - MAX_NAMED
  if (more > 0) skipped.push({ file, what: `${more} more lines cannot be used either` })
}

function* splitLines(bytes: Uint8Array): Iterable<{ line: Uint8Array; number: number; isWhole: boolean }> {
  let number = 0
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start)
    const line = bytes.subarray(start, end === -1 ? bytes.length : end)
    number += 1
    start = end === -1 ? bytes.length : end + 1
    if (line.length > 0) yield { line, number, isWhole: end !== -1 }
  }
}

/** The history, in order. A line that was written twice counts once. */
export function readEvents(folder: Folder, file: string, skipped: FileNote[]): PastEvent[] {
  const events = new Map<number, PastEvent>()
  let last = 0
  let isSorted = true
  readLines(folder, file, skipped, (line) => {
    const place = whole(line, "place", 1)
    const event = parseEvent(line)
    const before = events.get(place)
    if (before !== undefined && !Bun.deepEquals(before, event)) throw new Problem(`has the place ${place} of another`)
    events.set(place, event)
    if (place < last) isSorted = false
    last = place
  })
  return isSorted ? [...events.values()] : [...events].sort(([a], [b]) => a - b).map(([, event]) => event)
}

function parseEvent(line: Json): PastEvent {
  const type = text(line, "type")
  const stored = { type, version: whole(line, "version", 1), data: anyObject(line, "data") }
  const place = { timestamp: time(line, "timestamp"), by: text(line, "by") }
  const event = readStored({ ...stored, ...place })
  // A newer program wrote it, and a file is not the place to guess what it means.
  if (event.type === UNRECOGNIZED) throw new Problem(`is of the unknown type ${quoteInput(type)}`)
  return event
}

function readStored(stored: Parameters<typeof readEvent>[0] & Pick<PastEvent, "timestamp" | "by">): PastEvent {
  try {
    return readEvent(stored)
  } catch (error) {
    const what = error instanceof Error ? error.message : error
    throw new Problem(`does not fit its type: event ${stored.type}: ${what}`)
  }
}

export function parseMessage(from: Json): SnapshotMessage {
  const readAt = orNull(from, "read_at", time)
  return {
    id: text(from, "id"),
    from: text(from, "from"),
    to: text(from, "to"),
    type: choice(from, "type", MESSAGE_TYPES),
    payload: anyObject(from, "payload"),
    timestamp: time(from, "timestamp"),
    deliveredAt: orNull(from, "delivered_at", time),
    read: readAt !== null,
    readAt,
  }
}

export function parseRecord(from: Json): TeamRecord {
  return {
    kind: choice(from, "kind", RECORD_KINDS),
    number: whole(from, "number", 1),
    taskId: orNull(from, "task", id<TaskId>),
    attempt: orNull(from, "attempt", (object, key) => whole(object, key, 1)),
    status: text(from, "status"),
    data: anyObject(from, "data"),
    by: text(from, "by"),
    createdAt: time(from, "created_at"),
    updatedAt: time(from, "updated_at"),
  }
}

export function parseVerdict(from: Json): Verdict {
  return {
    scope: choice(from, "scope", VERDICT_SCOPES),
    subject: orNull(from, "subject", text),
    status: choice(from, "status", VERDICT_STATUSES),
    checks: objects(from, "checks").map(parseCheck),
    issues: texts(from, "issues"),
    by: text(from, "by"),
    timestamp: time(from, "timestamp"),
    ...parseJudged(from),
  }
}

function parseCheck(from: Json): Check {
  return {
    name: text(from, "name"),
    status: choice(from, "status", VERDICT_STATUSES),
    ...(from.evidence === undefined ? {} : { evidence: text(from, "evidence") }),
    ...(from.command === undefined ? {} : { command: text(from, "command") }),
    ...(from.duration_ms === undefined ? {} : { durationMs: whole(from, "duration_ms", 0) }),
    ...(from.output_file === undefined ? {} : { outputFile: text(from, "output_file") }),
    ...(from.first_failure === undefined ? {} : { firstFailure: parseFailure(object(from, "first_failure")) }),
    ...(from.baseline === undefined ? {} : { baseline: parseBaseline(object(from, "baseline")) }),
  }
}

function parseBaseline(from: Json): AgainstBaseline {
  const tests = (each: Json, key: string) => whole(each, key, 0)
  return {
    before: orNull(from, "before", tests),
    now: orNull(from, "now", tests),
    broken: texts(from, "broken"),
    asked: texts(from, "asked"),
    flaky: orNull(from, "flaky", texts),
  }
}

function parseFailure(from: Json): FirstFailure {
  return {
    test: text(from, "test"),
    file: orNull(from, "file", text),
    line: orNull(from, "line", (each, key) => whole(each, key, 0)),
    message: orNull(from, "message", text),
  }
}

function parseJudged(from: Json): Partial<Judged> {
  return {
    ...(from.commit === undefined ? {} : { commit: text(from, "commit") }),
    ...(from.tree === undefined ? {} : { tree: text(from, "tree") }),
  }
}

/** The verdict of a file `verification/wave-{n}.json` or `verification/final.json`. */
export function parseVerification(from: Json, wave: number | null): Verdict {
  if (wave !== null && whole(from, "wave_id", 1) !== wave) throw new Problem("is named after another wave")
  const more = object(from, "teamwork")
  return {
    scope: wave === null ? "final" : "wave",
    subject: wave === null ? orNull(more, "subject", text) : String(wave),
    status: choice(from, "status", VERDICT_STATUSES),
    checks: objects(from, "checks").map(parseCheck),
    issues: texts(from, "issues"),
    by: text(more, "by"),
    timestamp: time(from, "verified_at"),
    ...parseJudged(more),
  }
}
