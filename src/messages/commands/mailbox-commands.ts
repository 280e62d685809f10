import { fromOperation } from "../../app/command.ts"
import type { Screen } from "../../lib/text/table.ts"
import type { Message } from "../message.ts"
import { pollMailbox, readMailbox } from "../operations/read-mailbox.ts"
import { sendMessage } from "../operations/send-message.ts"

export const mailboxSend = fromOperation(sendMessage, {
  example: 'teamwork mailbox send --from w1 --to orchestrator --message "Need the schema of items"',
  data: (messages) => (messages.length === 1 ? messages[0] : messages),
  text: (messages) => `Sent to ${messages.map((message) => message.to).join(", ")}`,
})

/** Loaded for people only. */
const text = async (messages: readonly Message[], screen: Screen) =>
  (await import("../../tasks/views/task-view.ts")).renderMessages(messages, screen)

export const mailboxRead = fromOperation(readMailbox, {
  positional: ["inbox"],
  example: "teamwork mailbox read w1",
  text,
})
export const mailboxPoll = fromOperation(pollMailbox, {
  positional: ["inbox"],
  example: "teamwork mailbox poll w1",
  text,
})
