import type { WorkerId } from "../../kernel/ids.ts"
import type { Message } from "../../messages/message.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { renewHeld } from "../../tasks/operations/held-tasks.ts"
import { nameOf, type Seat } from "../seat.ts"

export function keepSeat({ store }: Pick<Context, "store">, seat: Seat): Promise<void> {
  return store.write(async (tx) => {
    const team = await tx.teams.find(seat)
    if (team !== undefined && seat.worker !== null) await renewHeld(tx, team.key, seat.worker)
  })
}

/**
 * Returns new messages for a turn that begins, and marks them as read, so that each is delivered once. After a
 * prompt by a person, a hook may keep the session from ending again.
 */
export function openTurn(
  { store, ids }: Pick<Context, "store" | "ids">,
  seat: Seat,
  { isPersons }: { readonly isPersons: boolean },
): Promise<Message[]> {
  return store.write(async (tx) => {
    const team = await tx.teams.find(seat)
    if (team === undefined) return []
    if (seat.worker !== null) await renewHeld(tx, team.key, seat.worker)
    const memory = (await tx.seats.find(seat.terminalId))?.memory
    if (isPersons && memory !== undefined && memory.stops > 0)
      await tx.seats.remember(seat.terminalId, { ...memory, stops: 0 })
    const asked = seat.worker === null ? [] : await answerShutdowns(tx, team, { ids, worker: seat.worker })
    if (asked.length > 0) await tx.loops.remove(seat.terminalId)
    return [...(await takeInbox(tx, team, nameOf(seat))), ...asked]
  })
}

/** Agrees to the lead's shutdown requests, as every worker does, and marks them as read. */
export async function answerShutdowns(
  tx: Tx,
  team: StoredTeam,
  { ids, worker }: { readonly ids: Context["ids"]; readonly worker: WorkerId },
): Promise<Message[]> {
  const requests = await takeInbox(tx, team, worker, "shutdown_request")
  for (const { from, payload } of requests) {
    const answer = { request_id: String(payload.request_id), approved: true }
    const response = { id: ids.uuid(), from: worker, to: from, type: "shutdown_response", payload: answer } as const
    await tx.messages.send(team.key, worker, response)
  }
  return requests
}

export async function takeInbox(
  tx: Tx,
  { key }: StoredTeam,
  inbox: string,
  type?: Message["type"],
): Promise<Message[]> {
  const messages = await tx.messages.take(key, inbox, { unreadOnly: true, type })
  const ids = messages.map(({ id }) => id)
  if (ids.length > 0) await tx.events.append(key, inbox, { type: "message.read", data: { inbox, ids } })
  return messages
}
