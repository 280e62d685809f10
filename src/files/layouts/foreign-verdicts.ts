import { PERSON } from "../../kernel/actor.ts"
import type { Check, Verdict, VerdictStatus } from "../../quality/verdict.ts"
import { compare } from "../own/facts.ts"
import { asLine, asText, asWord, Count, Fields, Id, isRecord, Time } from "./foreign-json.ts"
import type { Source } from "./source.ts"

const STATUSES: Record<VerdictStatus, readonly string[]> = {
  passed: ["passed", "pass", "ok", "success", "succeeded", "verified", "true"],
  failed: ["failed", "fail", "error", "failure", "rejected", "false"],
  skipped: ["skipped", "skip"],
}

export function findVerdictStatus(value: unknown): VerdictStatus | undefined {
  const word = typeof value === "boolean" ? String(value) : asWord(value)
  return (Object.keys(STATUSES) as VerdictStatus[]).find((status) => STATUSES[status].includes(word))
}

/** From `verification/wave-{n}.json` and `verification/final.json`, oldest first. */
export function readVerdicts(source: Source, otherwise: string): Verdict[] {
  const verdicts: Verdict[] = []
  for (const file of source.list(/^verification\/[^/]+\.json$/)) {
    const record = source.record(file)
    if (record === undefined) continue
    const verdict = readVerdict(source, file, { fields: new Fields(record), otherwise })
    if (verdict !== undefined) verdicts.push(verdict)
  }
  return verdicts.sort((a, b) => compare(a.timestamp, b.timestamp) || rank(a) - rank(b))
}

function readVerdict(
  source: Source,
  file: string,
  { fields, otherwise }: { fields: Fields; otherwise: string },
): Verdict | undefined {
  const name = file.slice("verification/".length, -".json".length)
  const wave = fields.read(Count, "wave_id", "wave", "waveId") ?? Number(/^wave-(\d{1,9})$/.exec(name)?.[1] ?? 0)
  const isFinal = name === "final" || (wave === 0 && fields.text("scope") === "final")
  const status = findVerdictStatus(fields.any("status", "verdict", "result"))
  if (status === undefined) source.skip(file, "has no status; passed, failed and skipped are known")
  else if (!isFinal && wave === 0) source.skip(file, "says neither which wave it is about nor that it is the final one")
  else {
    const verdict: Verdict = {
      scope: isFinal ? "final" : "wave",
      subject: isFinal ? null : String(wave),
      status,
      checks: readChecks(fields.any("checks")),
      issues: readIssues(fields.any("issues")),
      by: fields.read(Id, "by", "verified_by", "verifier") ?? PERSON,
      timestamp: fields.read(Time, "verified_at", "verifiedAt", "timestamp", "created_at") ?? otherwise,
    }
    source.takeOver(file, fields)
    return verdict
  }
  return undefined
}

/** A list, or an object with a check under each name. */
function readChecks(given: unknown): Check[] {
  const entries = isRecord(given)
    ? Object.entries(given).map(([name, value]) => (isRecord(value) ? { name, ...value } : { name, status: value }))
    : Array.isArray(given)
      ? given
      : []
  return entries.map((entry, index) => {
    if (!isRecord(entry)) return { name: asLine(entry), status: "skipped" }
    const fields = new Fields(entry)
    const name = asLine(fields.any("name", "check", "id")) || `check ${index + 1}`
    const status = findVerdictStatus(fields.any("status", "verdict", "result", "passed")) ?? "skipped"
    const evidence = fields.any("evidence", "details", "message")
    const rest = fields.rest()
    const said = [evidence === undefined ? "" : (asText(evidence) ?? JSON.stringify(evidence))]
    if (Object.keys(rest).length > 0) said.push(JSON.stringify(rest))
    const text = said.filter((part) => part !== "").join("\n")
    return { name, status, ...(text === "" ? {} : { evidence: text }) }
  })
}

function readIssues(given: unknown): string[] {
  const entries = Array.isArray(given) ? given : given === undefined ? [] : [given]
  return entries.map((entry) => asText(entry) ?? JSON.stringify(entry)).filter((issue) => issue !== "")
}

/** For equal times: waves by number, the final verdict last. */
function rank(verdict: Verdict): number {
  return verdict.subject === null ? Number.POSITIVE_INFINITY : Number(verdict.subject)
}
