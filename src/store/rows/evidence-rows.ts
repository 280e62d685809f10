import type { TaskId } from "../../kernel/ids.ts"
import type { Evidence } from "../../tasks/evidence.ts"
import type { EventStore, EvidenceStore } from "../port.ts"
import { insertRow, type Session } from "./sql-session.ts"
import { json, listNumbered, nthOf, table, time, timeOrNull } from "./sql-table.ts"

export const EVIDENCE = table<Omit<Evidence, "number">>("evidence", {
  taskId: "task_id",
  attempt: "attempt",
  type: "type",
  trust: "trust",
  text: "text",
  facts: json("facts"),
  blockedPattern: "blocked_pattern",
  by: "author",
  timestamp: time("recorded_at"),
  withdrawnAt: timeOrNull("withdrawn_at"),
})

export function evidenceStore(session: Session, events: Pick<EventStore, "append">): EvidenceStore {
  return {
    async add(key, { taskId, attempt, by, entries }) {
      for (const entry of entries) {
        const row = EVIDENCE.toRow({ ...entry, taskId, attempt, by, timestamp: await session.now() })
        await insertRow(session, "evidence", { team_id: key, ...row })
        const data = { task: taskId, type: entry.type, trust: entry.trust }
        await events.append(key, by, { type: "evidence.added", data })
      }
    },
    list: (key, taskId) => listEvidence(session, key, taskId),
    async withdraw(key, taskId, number) {
      await session.run(`update evidence set withdrawn_at = ? where ${nthOf("evidence")}`, [
        await session.now(),
        key,
        taskId,
        number - 1,
      ])
    },
  }
}

/** Of one task, or of all of them. */
export function listEvidence(session: Session, key: number, taskId?: TaskId): Promise<Evidence[]> {
  return listNumbered(EVIDENCE, session, key, taskId)
}
