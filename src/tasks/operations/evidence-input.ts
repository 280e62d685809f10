import * as v from "valibot"
import { AppError } from "../../kernel/errors.ts"
import { choice, type InputOf, list, number } from "../../lib/schema.ts"
import { type Settings, textField } from "../../store/operation.ts"
import { EVIDENCE_TYPES, type EvidenceFacts, FILE_ACTIONS, findPattern, type NewEvidence } from "../evidence.ts"

/**
 * Each text of `addEvidence` is an entry, and there may be one structured entry. All of it is `reported`; only
 * teamwork attests.
 */
export const evidenceFields = {
  addEvidence: v.optional(list(textField("text"), "what was done and seen; may be repeated")),
  evidenceType: v.optional(choice(EVIDENCE_TYPES, "structured entry")),
  command: v.optional(textField("command that was run")),
  exitCode: v.optional(number("its exit code", { isInteger: true })),
  output: v.optional(textField("its output")),
  path: v.optional(textField("file that was changed", 4096)),
  action: v.optional(choice(FILE_ACTIONS, "what happened to the file")),
  passed: v.optional(number("tests that passed", { min: 0, isInteger: true })),
  failed: v.optional(number("tests that failed", { min: 0, isInteger: true })),
}

export type EvidenceInput = InputOf<typeof evidenceFields>

const REQUIRED = {
  command: ["command", "exitCode"],
  file: ["path", "action"],
  test: ["passed", "failed"],
  note: [],
} as const satisfies Record<NewEvidence["type"], readonly (keyof EvidenceInput)[]>

export function readEvidence(input: EvidenceInput, settings: Settings): NewEvidence[] {
  const texts = input.addEvidence ?? []
  const { command, exitCode, output, path, action, passed, failed } = input
  const facts: EvidenceFacts = { command, exitCode, output, path, action, passed, failed }
  const type = input.evidenceType ?? guessType(input)
  const entry = (type: NewEvidence["type"], text: string, facts: EvidenceFacts): NewEvidence => ({
    type,
    trust: "reported",
    text,
    facts,
    blockedPattern: findPattern(text, settings.blockedPatterns) ?? null,
  })
  const notes = (list: readonly string[]) => list.map((text) => entry("note", text, {}))
  if (type === undefined) return notes(texts)
  for (const need of REQUIRED[type]) {
    if (input[need] === undefined)
      throw new AppError("usage", (say) => `evidence of type ${type} needs ${say.field(need)}`)
  }
  // The first text belongs to the structured entry.
  return [entry(type, texts[0] ?? "", facts), ...notes(texts.slice(1))]
}

/** The facts show the type where none is given. */
function guessType(input: EvidenceInput): NewEvidence["type"] | undefined {
  if (input.command !== undefined || input.exitCode !== undefined) return "command"
  if (input.path !== undefined || input.action !== undefined) return "file"
  if (input.passed !== undefined || input.failed !== undefined) return "test"
  return undefined
}

export function warnOfEvidence(entries: readonly NewEvidence[], settings: Settings): string[] {
  const warnings = entries.flatMap((entry) => {
    const pattern = findPattern(entry.text, settings.warnPatterns)
    return pattern === undefined ? [] : [`evidence says "${pattern}"; say what is still missing`]
  })
  const blocked = entries.find((entry) => entry.blockedPattern !== null)?.blockedPattern
  if (blocked !== undefined) warnings.push(`evidence says "${blocked}"; the task cannot be resolved with it`)
  return warnings
}

export function assertNotBlocked(entries: readonly NewEvidence[]): void {
  const entry = entries.find((each) => each.blockedPattern !== null)
  if (entry === undefined) return
  throw new AppError(
    "evidence.blocked",
    `evidence says "${entry.blockedPattern}", which is not proof; run the check and report what it printed`,
    { pattern: entry.blockedPattern },
  )
}
