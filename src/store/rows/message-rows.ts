import type { SnapshotMessage } from "../../files/snapshot.ts"
import type { Message } from "../../messages/message.ts"
import type { EventStore, MessageFilter, MessageStore } from "../port.ts"
import { insertRow, type Param, placeholders, returned, type Session } from "./sql-session.ts"
import { json, table, time, timeOrNull } from "./sql-table.ts"

type MessageRow = Omit<SnapshotMessage, "read">

export const MESSAGE = table<MessageRow>("message", {
  id: "id",
  from: "sender",
  to: "recipient",
  type: "type",
  payload: json("payload"),
  timestamp: time("sent_at"),
  deliveredAt: timeOrNull("delivered_at"),
  readAt: timeOrNull("read_at"),
})

export function messageStore(session: Session, events: Pick<EventStore, "append">): MessageStore {
  return {
    async send(key, by, message) {
      const row = { team_id: key, ...MESSAGE.toRow({ ...message, timestamp: await session.now() }) }
      const sent = returned(await insertRow<object>(session, "message", row, `returning ${MESSAGE.columns}`))
      const { id, from, to, type } = message
      await events.append(key, by, { type: "message.sent", data: { id, from, to, type } })
      return toMessage(MESSAGE.read(sent))
    },
    list: (key, inbox, filter) => select(session, { key, inbox, filter, lock: "" }),
    async take(key, inbox, filter) {
      const messages = await select(session, { key, inbox, filter, lock: session.forUpdate })
      const now = await session.now()
      for (const { id } of messages.filter((message) => !message.read)) {
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
  const ids = filter.ids === undefined ? "" : ` and id in (${placeholders(filter.ids.length)})`
  params.push(...(filter.ids ?? []))
  const limit = filter.limit === undefined ? "" : ` limit ${Math.trunc(filter.limit)}`
  const where = `where team_id = ? and recipient = ?${unread}${type}${ids} order by seq${limit}${lock}`
  return (await MESSAGE.list(session, where, params)).map(toMessage)
}

/** All messages of a team but the first `from`. */
export async function listMessages(session: Session, key: number, from: number): Promise<SnapshotMessage[]> {
  const where = `where team_id = ? order by seq limit 1000000000 offset ${Math.trunc(from)}`
  return (await MESSAGE.list(session, where, [key])).map((row) => ({ ...toMessage(row), readAt: row.readAt }))
}

function toMessage({ readAt, ...message }: MessageRow): Message {
  return { ...message, read: readAt !== null }
}
