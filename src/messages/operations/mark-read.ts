import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { inboxName } from "../message.ts"

/** Messages that were read before keep their time. */
export async function markRead(
  { store }: Context,
  { project, team, run, inbox: name, ids }: TeamName & { readonly inbox: string; readonly ids: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return
  const inbox = inboxName(name)
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    const taken = await tx.messages.take(key, inbox, { unreadOnly: true, ids })
    const read = taken.map((message) => message.id)
    if (read.length > 0) await tx.events.append(key, inbox, { type: "message.read", data: { inbox, ids: read } })
  })
}
