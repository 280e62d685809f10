import { ENGINE } from "../../kernel/actor.ts"
import type { Event } from "../../kernel/events.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { changeRecord } from "../../store/records.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { type Question, toQuestion, WAITING } from "../question.ts"

/** Oldest first within its kind. */
export async function readQuestions(tx: Tx, key: number): Promise<Question[]> {
  const escalations = await tx.records.list(key, { kind: "escalation", status: WAITING.escalation })
  const approvals = await tx.records.list(key, { kind: "approval", status: WAITING.approval })
  return [...escalations, ...approvals].map(toQuestion)
}

/** Reads again only if a new event is about a record. */
export async function readQuestionsSince(
  tx: Tx,
  key: number,
  { known, events }: { readonly known: readonly Question[] | undefined; readonly events: readonly Event[] },
): Promise<readonly Question[]> {
  return known !== undefined && !events.some(({ type }) => type.startsWith("record.")) ? known : readQuestions(tx, key)
}

/** False if it was told or no longer waits: of several processes one notifies. */
export async function markNotified({ store }: Context, name: TeamName, { kind, number }: Question): Promise<boolean> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const record = await tx.records.find(team.key, kind, number)
    if (record === undefined || record.status !== WAITING[kind] || toQuestion(record).isTold) return false
    const data = { ...record.data, toldAt: new Date(await tx.now()).toISOString() }
    const about = `${kind} ${number}: people were told`
    const changed = await changeRecord(tx, team, { record, to: { status: record.status, data }, by: ENGINE, about })
    return changed !== undefined
  })
}
