import type { TaskId } from "../../kernel/ids.ts"
import type { Evidence, EvidenceTrust, EvidenceType } from "../../tasks/evidence.ts"
import type { EventStore, EvidenceStore } from "../port.ts"
import { iso, isoOrNull, type Session } from "./sql-session.ts"

interface EvidenceRow {
  seq: number
  task_id: TaskId
  attempt: number
  type: EvidenceType
  trust: EvidenceTrust
  text: string
  facts: string
  blocked_pattern: string | null
  author: string
  recorded_at: number
  withdrawn_at: number | null
}

const COLUMNS = "seq, task_id, attempt, type, trust, text, facts, blocked_pattern, author, recorded_at, withdrawn_at"

export function evidenceStore(session: Session, events: Pick<EventStore, "append">): EvidenceStore {
  return {
    async add(key, { taskId, attempt, by, entries }) {
      for (const entry of entries) {
        await session.run(
          `insert into evidence (team_id, task_id, attempt, type, trust, text, facts, blocked_pattern, author, recorded_at)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          [
            key,
            taskId,
            attempt,
            entry.type,
            entry.trust,
            entry.text,
            JSON.stringify(entry.facts),
            entry.blockedPattern,
            by,
            await session.now(),
          ],
        )
        const data = { task: taskId, type: entry.type, trust: entry.trust }
        await events.append(key, by, { type: "evidence.added", data })
      }
    },
    list: (key, taskId) => listEvidence(session, key, taskId),
    async withdraw(key, taskId, number) {
      // Entries are never removed, so the n-th of a task stays the n-th.
      await session.run(
        `update evidence set withdrawn_at = ? where seq = (
           select seq from evidence where team_id = ? and task_id = ? order by seq limit 1 offset ?)`,
        [await session.now(), key, taskId, number - 1],
      )
    },
  }
}

/** Of one task, or of all of them. */
export async function listEvidence(session: Session, key: number, taskId?: TaskId): Promise<Evidence[]> {
  const rows = await session.all<EvidenceRow>(
    `select ${COLUMNS} from evidence where team_id = ?${taskId === undefined ? "" : " and task_id = ?"} order by seq`,
    taskId === undefined ? [key] : [key, taskId],
  )
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const number = (counts.get(row.task_id) ?? 0) + 1
    counts.set(row.task_id, number)
    return toEvidence(row, number)
  })
}

function toEvidence(row: EvidenceRow, number: number): Evidence {
  return {
    number,
    taskId: row.task_id,
    attempt: row.attempt,
    type: row.type,
    trust: row.trust,
    text: row.text,
    facts: JSON.parse(row.facts),
    blockedPattern: row.blocked_pattern,
    by: row.author,
    timestamp: iso(row.recorded_at),
    withdrawnAt: isoOrNull(row.withdrawn_at),
  }
}
