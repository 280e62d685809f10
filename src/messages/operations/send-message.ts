import * as v from "valibot"
import { AppError } from "../../kernel/errors.ts"
import { checkFields, choice, type Fields, record, text } from "../../lib/schema.ts"
import { idField, operation, teamFields, textField } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { EVERYBODY, inboxName, LEAD, MESSAGE_TYPES, type Message, type MessageType } from "../message.ts"
import { findRecipients } from "./find-recipients.ts"

/** Keys by type; more keys are kept as they are. */
const PAYLOADS = {
  text: { message: text("what to say") },
  idle_notification: {
    worker_id: text("who is idle"),
    completed_task_id: v.optional(text("task")),
    completed_status: v.optional(text("its status")),
    failure_reason: v.optional(text("why it failed")),
  },
  shutdown_request: { request_id: text("id of the request"), reason: v.optional(text("why")) },
  shutdown_response: {
    request_id: text("id of the request"),
    approved: v.boolean(),
    decline_reason: v.optional(text("why not")),
  },
} as const satisfies Record<MessageType, Fields>

const input = {
  ...teamFields,
  from: idField("who sends"),
  to: idField(
    `who receives: a worker, ${LEAD}, or the id of a task for its current owner; the lead writes to all with "${EVERYBODY}"`,
  ),
  type: v.optional(choice(MESSAGE_TYPES, "type"), "text"),
  payload: v.optional(record('content as JSON, for text {"message": "..."}')),
  message: v.optional(textField("content of a text message, without the JSON")),
}

export const sendMessage = operation({
  name: "mailbox.send",
  summary: "Send a message to a worker or to the lead",
  input,
  async run({ store, ids }, input): Promise<Message[]> {
    const payload = readPayload(input)
    const from = inboxName(input.from)
    if (input.type === "shutdown_request" && from !== LEAD)
      throw new AppError(
        "message.not_allowed",
        (say) => `only the lead (${say.field("from")} ${LEAD}) asks a worker to stop; ask the lead instead`,
      )
    return store.write(async (tx) => {
      const team = await getTeam(tx, input)
      const sent: Message[] = []
      for (const to of await findRecipients(tx, team, { from, to: inboxName(input.to) })) {
        sent.push(await tx.messages.send(team.key, from, { id: ids.uuid(), from, to, type: input.type, payload }))
      }
      return sent
    })
  },
})

function readPayload(input: {
  type: MessageType
  payload?: Record<string, unknown>
  message?: string
}): Record<string, unknown> {
  if (input.message !== undefined && (input.type !== "text" || input.payload !== undefined)) {
    throw new AppError(
      "usage",
      (say) =>
        `${say.field("message")} is the whole content of a text message; use ${say.field("payload")} for anything else`,
    )
  }
  const payload = input.message === undefined ? input.payload : { message: input.message }
  const checked = checkFields(PAYLOADS[input.type] as Fields, payload ?? {})
  if (checked.ok) return payload ?? {}
  throw new AppError("input.invalid", `payload of a ${input.type} message: ${checked.field} ${checked.problem}`)
}
