import type { NewEvent } from "../../kernel/events.ts"
import { writtenVersion } from "../../kernel/written-versions.ts"
import type { Session } from "../rows/sql-session.ts"

/** Separate from the event log because a claim only writes events: see `written-versions.ts`. */
export async function appendEvent(session: Session, key: number, by: string, event: NewEvent): Promise<void> {
  await session.run(
    `insert into event (team_id, seq, type, version, recorded_at, actor, data)
     values (?1, (select ifnull(max(seq), 0) + 1 from event where team_id = ?1), ?2, ?3, ?4, ?5, ?6)`,
    [key, event.type, writtenVersion(event.type), await session.now(), by, JSON.stringify(event.data)],
  )
}
