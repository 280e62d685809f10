import type { SnapshotMessage } from "../../files/snapshot.ts"
import type { Message, MessageType } from "../../messages/message.ts"
import type { EventStore, MessageFilter, MessageStore } from "../port.ts"
import { iso, isoOrNull, type Param, type Session } from "./sql-session.ts"

interface MessageRow {
  id: string
  sender: string
  recipient: string
  type: MessageType
  payload: string
  sent_at: number
  delivered_at: number | null
  read_at: number | null
}

const COLUMNS = "id, sender, recipient, type, payload, sent_at, delivered_at, read_at"

export function messageStore(session: Session, events: Pick<EventStore, "append">): MessageStore {
  return {
    async send(key, by, message) {
      const row = await session.get<MessageRow>(
        `insert into message (id, team_id, sender, recipient, type, payload, sent_at) values (?, ?, ?, ?, ?, ?, ?)
         returning ${COLUMNS}`,
        [message.id, key, message.from, message.to, message.type, JSON.stringify(message.payload), await session.now()],
      )
      if (row === undefined) throw new Error("insert returned no row")
      const { id, from, to, type } = message
      await events.append(key, by, { type: "message.sent", data: { id, from, to, type } })
      return toMessage(row)
    },
    list: (key, inbox, filter) => select(session, { key, inbox, filter, lock: "" }),
    async take(key, inbox, filter) {
      const messages = await select(session, { key, inbox, filter, lock: session.forUpdate })
      const ids = messages.filter((message) => !message.read).map((message) => message.id)
      const now = await session.now()
      for (const id of ids) {
        await session.run(
          "update message set read_at = ?, delivered_at = coalesce(delivered_at, ?) where team_id = ? and id = ?",
          [now, now, key, id],
        )
      }
      return messages
    },
    countUnread: (key) =>
      session.all<{ inbox: string; unread: number }>(
        `select recipient as inbox, count(*) as unread from message where team_id = ? and read_at is null
         group by recipient order by recipient`,
        [key],
      ),
    async senders(key) {
      const sql = "select distinct sender from message where team_id = ? order by sender"
      return (await session.all<{ sender: string }>(sql, [key])).map(({ sender }) => sender)
    },
  }
}

async function select(
  session: Session,
  { key, inbox, filter, lock }: { key: number; inbox: string; filter: MessageFilter; lock: string },
): Promise<Message[]> {
  const params: Param[] = [key, inbox]
  const unread = filter.unreadOnly === true ? " and read_at is null" : ""
  const type = filter.type === undefined ? "" : " and type = ?"
  if (filter.type !== undefined) params.push(filter.type)
  const ids = filter.ids === undefined ? "" : ` and id in (${filter.ids.map(() => "?").join(", ")})`
  params.push(...(filter.ids ?? []))
  const limit = filter.limit === undefined ? "" : ` limit ${Math.trunc(filter.limit)}`
  const rows = await session.all<MessageRow>(
    `select ${COLUMNS} from message where team_id = ? and recipient = ?${unread}${type}${ids} order by seq${limit}${lock}`,
    params,
  )
  return rows.map(toMessage)
}

/** All but the first `from` of a team, whoever they are for. */
export async function listMessages(session: Session, key: number, from: number): Promise<SnapshotMessage[]> {
  const rows = await session.all<MessageRow>(
    `select ${COLUMNS} from message where team_id = ? order by seq limit 1000000000 offset ${Math.trunc(from)}`,
    [key],
  )
  return rows.map((row) => ({ ...toMessage(row), readAt: isoOrNull(row.read_at) }))
}

function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    from: row.sender,
    to: row.recipient,
    type: row.type,
    payload: JSON.parse(row.payload),
    timestamp: iso(row.sent_at),
    deliveredAt: isoOrNull(row.delivered_at),
    read: row.read_at !== null,
  }
}
