import type { TaskId } from "../../kernel/ids.ts"
import type { Exception } from "../../ownership/exception.ts"
import type { ExceptionStore } from "../port.ts"
import { insertRow, returned, type Session } from "./sql-session.ts"
import { listNumbered, nthOf, table, time, timeOrNull } from "./sql-table.ts"

export const EXCEPTION = table<Omit<Exception, "number">>("file_exception", {
  taskId: "task_id",
  attempt: "attempt",
  pattern: "pattern",
  reason: "reason",
  askedBy: "asked_by",
  askedAt: time("asked_at"),
  status: "status",
  decidedBy: "decided_by",
  decidedAt: timeOrNull("decided_at"),
  decision: "decision",
})

export function exceptionStore(session: Session): ExceptionStore {
  return {
    async ask(key, { by, ...asked }) {
      const row = EXCEPTION.toRow({ ...asked, askedBy: by, askedAt: await session.now(), status: "asked" })
      await insertRow(session, "file_exception", { team_id: key, ...row })
      return returned((await listExceptions(session, key, asked.taskId)).at(-1))
    },
    list: (key, taskId) => listExceptions(session, key, taskId),
    async decide(key, { taskId, number }, { status, by, decision, attempt }) {
      await session.run(
        `update file_exception set status = ?, decided_by = ?, decided_at = ?, decision = ?, attempt = ?
         where ${nthOf("file_exception")}`,
        [status, by, await session.now(), decision, attempt, key, taskId, number - 1],
      )
    },
  }
}

/** Of one task, or of all of them. */
export function listExceptions(session: Session, key: number, taskId?: TaskId): Promise<Exception[]> {
  return listNumbered(EXCEPTION, session, key, taskId)
}
