import { PERSON } from "../../kernel/actor.ts"
import { isId, quoteInput } from "../../kernel/ids.ts"
import { EVERYBODY, inboxName, MESSAGE_TYPES, type MessageType } from "../../messages/message.ts"
import type { SnapshotMessage } from "../snapshot.ts"
import { asLine, asText, asWord, Fields, Flag, isRecord, type Json, Time } from "./foreign-json.ts"
import { makeId, type Source } from "./source.ts"

export interface MessageBox {
  readonly file: string
  /** Messages without a usable id get one from this name and their place. */
  readonly name: string
  /** `null` for a log, where each message names its own. */
  readonly inbox: string | null
  readonly otherwise: string
  readonly isRead: boolean
}

export function readMessages(
  source: Source,
  entries: readonly unknown[],
  { box, used }: { box: MessageBox; used: Set<string> },
): { messages: SnapshotMessage[]; parts: Fields[] } {
  const messages: SnapshotMessage[] = []
  const parts: Fields[] = []
  let timestamp = box.otherwise
  for (const [index, entry] of entries.entries()) {
    if (!isRecord(entry)) {
      source.change(box.file, `message ${index + 1} is not an object and was left out`)
      continue
    }
    const fields = new Fields(entry)
    // Without a time it came right after the previous message.
    timestamp = fields.read(Time, "timestamp", "ts", "time", "created_at", "sent_at") ?? timestamp
    const message = readMessage(fields, { box, used, timestamp, index })
    noteNames(source, box, { entry, message, index })
    messages.push(message)
    parts.push(fields)
  }
  return { messages, parts }
}

function readMessage(
  fields: Fields,
  { box, used, timestamp, index }: { box: MessageBox; used: Set<string>; timestamp: string; index: number },
): SnapshotMessage {
  const given = fields.text("id", "message_id") ?? ""
  const to = fields.text("to", "recipient")
  const readAt = fields.read(Time, "read_at", "readAt")
  const isRead = fields.read(Flag, "read") ?? (readAt !== undefined || box.isRead)
  const deliveredAt = fields.read(Time, "delivered_at") ?? null
  return {
    id: takeId(given, `${box.name}\n${index}\n${given}`, used),
    from: participant(fields.text("from", "sender", "role")),
    to: box.inbox ?? participant(to ?? "coordinator"),
    ...readContent(fields, box.inbox === null),
    timestamp,
    deliveredAt: isRead ? (deliveredAt ?? readAt ?? timestamp) : deliveredAt,
    read: isRead,
    readAt: isRead ? (readAt ?? timestamp) : null,
  }
}

function noteNames(
  source: Source,
  box: MessageBox,
  { entry, message, index }: { entry: Json; message: SnapshotMessage; index: number },
): void {
  const [from, to] = [asText(entry.from), asText(entry.to)]
  const note = (what: string) => source.change(box.file, `message ${index + 1} ${what}`)
  if (from !== undefined && inboxName(from) !== message.from) note(`is from ${quoteInput(from)}, now ${message.from}`)
  if (to !== undefined && to !== EVERYBODY && inboxName(to) !== message.to) {
    note(`is to ${quoteInput(to)}, now ${message.to}`)
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function takeId(given: string, seed: string, used: Set<string>): string {
  const wanted = given.toLowerCase()
  const id = UUID.test(wanted) && !used.has(wanted) ? wanted : makeUuid(seed)
  used.add(id)
  return id
}

/** The same id for the same text, so that a second import adds no message again. */
function makeUuid(text: string): string {
  const hex = new Bun.CryptoHasher("sha256").update(text).digest("hex")
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-")
}

function participant(name: string | undefined): string {
  return inboxName(isId(name ?? "") ? (name ?? "") : makeId(name ?? "", PERSON))
}

const FITS: Record<MessageType, (payload: Json) => boolean> = {
  text: (payload) => typeof payload.message === "string",
  idle_notification: (payload) => typeof payload.worker_id === "string",
  shutdown_request: (payload) => typeof payload.request_id === "string",
  shutdown_response: (payload) => typeof payload.request_id === "string" && typeof payload.approved === "boolean",
}

/** Other types become a text with `original_type`. In a log all other fields are content too. */
function readContent(fields: Fields, isLog: boolean): Pick<SnapshotMessage, "type" | "payload"> {
  const named = fields.text("type") ?? "text"
  const given = fields.any("payload", "data")
  const said = fields.text("summary", "message", "content", "text")
  const payload: Json = {
    ...(isRecord(given) ? given : given === undefined ? {} : { message: asText(given) ?? asLine(given) }),
    ...(said === undefined ? {} : { message: said }),
    ...(isLog ? takeRest(fields) : {}),
  }
  const type = MESSAGE_TYPES.find((each) => each === asWord(named))
  if (type !== undefined && FITS[type](payload)) return { type, payload }
  const message = typeof payload.message === "string" ? payload.message : JSON.stringify(payload)
  const original = asWord(named) === "text" ? {} : { original_type: named }
  return { type: "text", payload: { ...payload, message, ...original } }
}

function takeRest(fields: Fields): Json {
  const rest = fields.rest()
  for (const name of Object.keys(rest)) fields.any(name)
  return rest
}
