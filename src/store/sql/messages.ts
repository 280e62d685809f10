import type { Message, MessageType } from "../../domain/message.ts"
import type { MessageStore } from "../port.ts"
import { iso, isoOrNull, type Param, placeholders, type Session } from "./session.ts"

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

export function messageStore(session: Session): MessageStore {
  return {
    async send(key, message) {
      const row = await session.get<MessageRow>(
        `insert into message (id, team_id, sender, recipient, type, payload, sent_at) values (?, ?, ?, ?, ?, ?, ?)
         returning ${COLUMNS}`,
        [message.id, key, message.from, message.to, message.type, JSON.stringify(message.payload), await session.now()],
      )
      if (row === undefined) throw new Error("insert returned no row")
      return toMessage(row)
    },
    async list(key, inbox, filter) {
      const params: Param[] = [key, inbox]
      const unread = filter.unreadOnly === true ? " and read_at is null" : ""
      const type = filter.type === undefined ? "" : " and type = ?"
      if (filter.type !== undefined) params.push(filter.type)
      const limit = filter.limit === undefined ? "" : ` limit ${Math.trunc(filter.limit)}`
      const rows = await session.all<MessageRow>(
        `select ${COLUMNS} from message where team_id = ? and recipient = ?${unread}${type} order by seq${limit}`,
        params,
      )
      return rows.map(toMessage)
    },
    async markRead(key, inbox, ids) {
      if (ids.length === 0) return
      const now = await session.now()
      await session.run(
        `update message set read_at = ?, delivered_at = coalesce(delivered_at, ?)
         where team_id = ? and recipient = ? and read_at is null and id in (${placeholders(ids.length)})`,
        [now, now, key, inbox, ...ids],
      )
    },
    countUnread: (key) =>
      session.all<{ inbox: string; unread: number }>(
        `select recipient as inbox, count(*) as unread from message where team_id = ? and read_at is null
         group by recipient order by recipient`,
        [key],
      ),
  }
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
