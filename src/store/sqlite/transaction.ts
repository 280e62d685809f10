import type { Tx } from "../port.ts"
import type { Session } from "../rows/sql-session.ts"
import { transactionOf } from "../rows/sql-transaction.ts"
import { claimTask } from "./claim.ts"
import { eventStore } from "./event-log.ts"
import { finishTask } from "./finish.ts"

/** Loaded at the first general read or write. */
export function openTransaction(session: Session, access: "read" | "write"): Tx {
  return transactionOf(session, access, {
    claimTask: (request) => claimTask(session, request),
    finishTask: (request) => finishTask(session, request),
    events: eventStore(session),
  })
}
