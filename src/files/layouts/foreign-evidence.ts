import { PERSON } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import {
  EVIDENCE_TYPES,
  type Evidence,
  type EvidenceFacts,
  type EvidenceType,
  FILE_ACTIONS,
} from "../../tasks/evidence.ts"
import { asLine, asText, asWord, Count, choice, Fields, Flag, Id, Integer, isRecord, Time } from "./foreign-json.ts"

interface Surroundings {
  readonly taskId: TaskId
  readonly by: string | null
  readonly timestamp: string
}

/** Teamwork did not run it, so it counts as reported only. */
export function readEvidence(given: unknown, surroundings: Surroundings): Evidence[] {
  const entries = Array.isArray(given) ? given : given === undefined || given === null ? [] : [given]
  return entries
    .filter((entry) => entry !== null && entry !== "")
    .map((entry, index) => ({
      number: index + 1,
      taskId: surroundings.taskId,
      attempt: 1,
      trust: "reported",
      // Blocked patterns do not apply: a resolved task stays resolved.
      blockedPattern: null,
      by: surroundings.by ?? PERSON,
      timestamp: surroundings.timestamp,
      withdrawnAt: null,
      ...(isRecord(entry) ? readEntry(new Fields(entry)) : note(asText(entry) ?? asLine(entry))),
    }))
}

type EntryParts = Pick<Evidence, "type" | "text" | "facts"> &
  Partial<Pick<Evidence, "by" | "timestamp" | "withdrawnAt">>

function note(text: string): EntryParts {
  return { type: "note", text, facts: {} }
}

function readEntry(fields: Fields): EntryParts {
  const wanted = fields.text("type")
  const facts = readFacts(fields)
  const text = fields.text("text", "message", "note", "description", "content", "summary") ?? ""
  const timestamp = fields.read(Time, "timestamp", "recorded_at", "created_at")
  const withdrawnAt = fields.read(Time, "withdrawn_at")
  const by = fields.read(Id, "by", "author")
  const type = chooseType(asWord(wanted), facts)
  const rest = { ...(wanted === undefined || asWord(wanted) === type ? {} : { type: wanted }), ...fields.rest() }
  const more = Object.keys(rest).length === 0 ? "" : JSON.stringify(rest)
  return {
    type,
    text: [text, more].filter((part) => part !== "").join("\n"),
    facts,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(withdrawnAt === undefined ? {} : { withdrawnAt }),
    ...(by === undefined ? {} : { by }),
  }
}

function readFacts(fields: Fields): EvidenceFacts {
  const facts: EvidenceFacts = {
    command: fields.text("command"),
    exitCode: fields.read(Integer, "exit_code", "exitCode"),
    output: fields.text("output"),
    outputHash: fields.text("output_hash", "outputHash"),
    durationMs: fields.read(Count, "duration_ms", "durationMs"),
    commit: fields.text("commit"),
    isDirty: fields.read(Flag, "is_dirty", "isDirty"),
    path: fields.text("path"),
    action: fields.read(choice(FILE_ACTIONS), "action"),
    passed: fields.read(Count, "passed", "pass"),
    failed: fields.read(Count, "failed", "fail"),
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

/** The named type, if the entry has the facts that it requires. */
function chooseType(wanted: string, facts: EvidenceFacts): EvidenceType {
  const fitting: Record<EvidenceType, boolean> = {
    command: facts.command !== undefined,
    file: facts.path !== undefined,
    test: facts.passed !== undefined || facts.failed !== undefined,
    note: true,
  }
  const type = EVIDENCE_TYPES.find((each) => each === wanted && fitting[each])
  return type ?? (wanted === "" ? (EVIDENCE_TYPES.find((each) => fitting[each]) ?? "note") : "note")
}
