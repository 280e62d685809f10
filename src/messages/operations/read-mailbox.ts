import * as v from "valibot"
import { choice, flag, type InputOf, number } from "../../lib/schema.ts"
import { type Context, idField, operation, runFields } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { inboxName, MESSAGE_TYPES, type Message } from "../message.ts"

const inboxFields = {
  ...runFields,
  inbox: idField("whose inbox"),
  type: v.optional(choice(MESSAGE_TYPES, "only this type")),
  markRead: flag("mark what is shown as read"),
}

const readInput = {
  ...inboxFields,
  unreadOnly: flag("only messages that were not read yet"),
  limit: v.optional(number("at most this many, oldest first", { isInteger: true, min: 1 })),
}

export const readMailbox = operation({
  name: "mailbox.read",
  summary: "Read an inbox",
  input: readInput,
  run: (context, input): Promise<Message[]> => readInbox(context, input),
})

/** Waits without polling: reads again after each commit. */
export const pollMailbox = operation({
  name: "mailbox.poll",
  summary: "Wait for unread messages",
  input: {
    ...inboxFields,
    timeout: v.optional(number("seconds to wait at most", { min: 0, max: 86_400 }), 30),
  },
  async run(context, input): Promise<Message[]> {
    await using watch = await context.store.watch()
    const deadline = performance.now() + input.timeout * 1000
    for (;;) {
      const messages = await readInbox(context, { ...input, unreadOnly: true })
      const left = deadline - performance.now()
      if (messages.length > 0 || left <= 0) return messages
      await watch.next(left)
    }
  },
})

async function readInbox({ store }: Context, input: InputOf<typeof readInput>): Promise<Message[]> {
  const inbox = inboxName(input.inbox)
  const filter = { unreadOnly: input.unreadOnly, type: input.type, limit: input.limit }
  const seen = await store.read(async (tx) => tx.messages.list((await getTeam(tx, input)).key, inbox, filter))
  if (input.markRead !== true || seen.every((message) => message.read)) return seen
  return store.write(async (tx) => {
    const team = await getTeam(tx, input)
    const messages = await tx.messages.take(team.key, inbox, filter)
    const ids = messages.filter((message) => !message.read).map((message) => message.id)
    if (ids.length > 0) await tx.events.append(team.key, inbox, { type: "message.read", data: { inbox, ids } })
    return messages
  })
}
