import * as v from "valibot"
import { AppError } from "../kernel/errors.ts"
import type { RecordKind, TeamRecord } from "../kernel/record.ts"
import type { Remedy } from "../kernel/remedy.ts"
import { idField } from "./operation.ts"
import type { StoredTeam, Tx } from "./port.ts"

/** Who writes a record. */
export function byField(who: string) {
  return v.optional(idField(`${who}; without it a person does`))
}

type NewRecord = Omit<TeamRecord, "number" | "createdAt" | "updatedAt">

/** Adds a record with its event. The team must be locked. `about` describes it in a few words for readers of events. */
export async function addRecord(tx: Tx, team: StoredTeam, record: NewRecord, about: string): Promise<TeamRecord> {
  const added = await tx.records.add(team.key, record)
  await tx.events.append(team.key, record.by, { type: "record.added", data: describe(added, about) })
  return added
}

interface RecordChange {
  readonly record: Pick<TeamRecord, "kind" | "number" | "status">
  readonly to: Pick<TeamRecord, "status"> & Partial<Pick<TeamRecord, "data">>
  readonly by: string
  readonly about: string
}

/** Returns undefined, without any change, when the record has another status by now. */
export async function changeRecord(
  tx: Tx,
  team: StoredTeam,
  { record, to, by, about }: RecordChange,
): Promise<TeamRecord | undefined> {
  const changed = await tx.records.change(team.key, record, to)
  if (changed === undefined) return undefined
  await tx.events.append(team.key, by, { type: "record.changed", data: describe(changed, about) })
  return changed
}

export async function removeRecord(
  tx: Tx,
  team: StoredTeam,
  { kind, number }: Pick<TeamRecord, "kind" | "number">,
  by: string,
): Promise<void> {
  await tx.records.remove(team.key, kind, number)
  await tx.events.append(team.key, by, { type: "record.removed", data: { kind, number } })
}

export async function getRecord(tx: Tx, key: number, kind: RecordKind, number: number): Promise<TeamRecord> {
  const found = await tx.records.find(key, kind, number)
  if (found !== undefined) return found
  const remedy = LISTED_BY[kind]
  throw new AppError("record.not_found", `there is no ${kind} ${number}`, { kind, number }, { remedy })
}

const LISTED_BY: Readonly<Record<RecordKind, Remedy>> = {
  approval: { operation: "approvals", to: "see" },
  escalation: { operation: "escalations", to: "see" },
  feedback: { operation: "feedback", fields: { list: true }, to: "see" },
  quality: { operation: "quality", to: "see" },
  finding: { operation: "findings", to: "see" },
  wisdom: { operation: "wisdom list", to: "see" },
  exploration: { operation: "explore list", to: "see" },
  discussion: { operation: "discuss list", to: "see" },
  artifact: { operation: "artifact list", to: "see" },
  skill: { operation: "skill list", to: "see" },
  imported: { operation: "task list", to: "see" },
}

function describe({ kind, number, taskId, status }: TeamRecord, about: string) {
  return { kind, number, task: taskId, status, about }
}
