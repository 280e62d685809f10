import * as v from "valibot"
import { AppError } from "../domain/errors.ts"
import { EVERYBODY, inboxName, LEAD, MESSAGE_TYPES, type Message, type MessageType } from "../domain/message.ts"
import type { StoredTeam, Tx } from "../store/port.ts"
import { getTeam } from "./lookup.ts"
import { idField, operation, teamFields, textField } from "./operation.ts"

const text = v.pipe(v.string(), v.nonEmpty())

/** What each type of message carries; more keys are kept as they are. */
const PAYLOADS = {
  text: v.looseObject({ message: v.string() }),
  idle_notification: v.looseObject({
    worker_id: text,
    completed_task_id: v.optional(text),
    completed_status: v.optional(text),
    failure_reason: v.optional(text),
  }),
  shutdown_request: v.looseObject({ request_id: text, reason: v.optional(v.string()) }),
  shutdown_response: v.looseObject({ request_id: text, approved: v.boolean(), decline_reason: v.optional(v.string()) }),
} as const satisfies Record<MessageType, v.GenericSchema>

const input = v.object({
  ...teamFields,
  from: idField("from", "who sends"),
  to: idField("to", `who receives; the lead writes to everybody with "${EVERYBODY}"`),
  type: v.optional(v.pipe(v.picklist(MESSAGE_TYPES), v.description(`type: ${MESSAGE_TYPES.join(", ")}`)), "text"),
  payload: v.optional(
    v.pipe(v.record(v.string(), v.unknown()), v.description('content as JSON, for text {"message": "..."}')),
  ),
  message: v.optional(textField("content of a text message, without the JSON")),
})

export const sendMessage = operation({
  name: "mailbox.send",
  summary: "Send a message to a worker or to the lead",
  input,
  async run({ store, ids }, input): Promise<Message[]> {
    const payload = readPayload(input)
    const from = inboxName(input.from)
    return store.write(async (tx) => {
      const team = await getTeam(tx, input)
      const sent: Message[] = []
      for (const to of await recipients(tx, team, from, inboxName(input.to))) {
        const message = { id: ids.uuid(), from, to, type: input.type }
        sent.push(await tx.messages.send(team.key, { ...message, payload }))
        await tx.events.append(team.key, from, { type: "message.sent", data: message })
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
    throw new AppError("usage", "--message is the whole content of a text message; use --payload for anything else")
  }
  const payload = input.message === undefined ? input.payload : { message: input.message }
  const checked = v.safeParse(PAYLOADS[input.type] as v.GenericSchema<unknown, Record<string, unknown>>, payload ?? {})
  if (checked.success) return checked.output
  const issue = checked.issues[0]
  const key = issue.path?.map((part) => String(part.key)).join(".") ?? ""
  throw new AppError(
    "input.invalid",
    `payload of a ${input.type} message: ${key === "" ? "" : `${key}: `}${issue.message}`,
  )
}

/** A message to everybody is one message to each worker, and the lead's privilege: workers write to one at a time. */
async function recipients(tx: Tx, team: StoredTeam, from: string, to: string): Promise<string[]> {
  if (to !== EVERYBODY) return [to]
  if (from !== LEAD) {
    throw new AppError("message.not_allowed", `only the lead (--from ${LEAD}) writes to everybody; name one recipient`)
  }
  const workers = (await tx.workers.list(team.key)).filter(
    (worker) => worker.status !== "stopped" && worker.status !== "dead",
  )
  if (workers.length === 0)
    throw new AppError("worker.not_found", "there are no workers yet; nobody would get the message")
  return workers.map((worker) => worker.id)
}
