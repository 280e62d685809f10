import * as v from "valibot"
import { problemAt } from "../lib/schema.ts"
import { AppError } from "./errors.ts"
import type { TaskId } from "./ids.ts"

/** What a team writes down besides its tasks, messages and verdicts. */
export const RECORD_KINDS = [
  "approval",
  "escalation",
  "feedback",
  "quality",
  "finding",
  "wisdom",
  "exploration",
  "discussion",
  "artifact",
  "skill",
  // A task that another system had finished before the team was imported. Only an import writes it.
  "imported",
] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

/**
 * One entry of a kind. All kinds share how they are numbered, found, changed and kept. The file of the kind, such as
 * `approval.ts`, has the schema of `data` and says which status follows which.
 */
export interface TeamRecord {
  readonly kind: RecordKind
  /** Counts within team and kind, from 1. */
  readonly number: number
  /** Null: the record is about the team as a whole. */
  readonly taskId: TaskId | null
  readonly attempt: number | null
  readonly status: string
  readonly data: Readonly<Record<string, unknown>>
  readonly by: string
  readonly createdAt: string
  readonly updatedAt: string
}

/**
 * Returns the record's data as the schema of its kind describes it; throws when the stored data does not fit. Earlier
 * versions wrote fewer fields, so the schema gives a default to every field that was added later.
 */
export function readRecord<Schema extends v.GenericSchema>(
  schema: Schema,
  { kind, number, data }: Pick<TeamRecord, "kind" | "number" | "data">,
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, data)
  if (read.success) return read.output
  const problem = problemAt(read.issues[0])
  throw new AppError("internal", `${kind} ${number} in the store is damaged: ${problem}`, { kind, number })
}
