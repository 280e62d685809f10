import * as v from "valibot"
import type { SnapshotMessage } from "../../files/snapshot.ts"
import { number } from "../../lib/schema.ts"
import { idField, operation, runFields } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { inboxName, LEAD } from "../message.ts"

/** The lead sees all messages. Listing marks nothing as read. */
export const listMessages = operation({
  name: "messages.list",
  summary: "List what was said in a team, the newest last: all of it for the lead, for others what they sent and got",
  input: {
    ...runFields,
    who: idField("who wants to see it"),
    last: v.optional(number("at most this many, the newest", { isInteger: true, min: 1 }), 20),
  },
  run: ({ store }, { who, last, ...name }): Promise<SnapshotMessage[]> =>
    store.read(async (tx) => {
      const all = await tx.archive.messages((await getTeam(tx, name)).key, 0)
      const me = inboxName(who)
      const seen = me === LEAD ? all : all.filter(({ from, to }) => from === me || to === me)
      return seen.slice(-last)
    }),
})
