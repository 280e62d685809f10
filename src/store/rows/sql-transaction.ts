import type { EventStore, HotPath, Tx } from "../port.ts"
import { agentFaultStore, agentQuotaStore, rateLimitStore } from "./agent-rows.ts"
import { archiveStore } from "./archive.ts"
import { documentStore } from "./document-rows.ts"
import { evidenceStore } from "./evidence-rows.ts"
import { exceptionStore } from "./exception-rows.ts"
import { leaderStore } from "./leader-rows.ts"
import { messageStore } from "./message-rows.ts"
import { projectStore } from "./project-rows.ts"
import { recordStore } from "./record-rows.ts"
import type { Session } from "./sql-session.ts"
import { taskStore } from "./task-rows.ts"
import { teamStore } from "./team-rows.ts"
import { loopStore, seatStore } from "./terminal-rows.ts"
import { verdictStore } from "./verdict-rows.ts"
import { waveStore } from "./wave-rows.ts"
import { workerStore } from "./worker-rows.ts"

/** Everything one transaction can do: what a dialect brings of its own, and the statements both share. */
export function transactionOf(
  session: Session,
  access: "read" | "write",
  own: HotPath & { readonly events: EventStore },
): Tx {
  return {
    ...own,
    now: session.now,
    projects: projectStore(session),
    teams: teamStore(session, access),
    tasks: taskStore(session),
    waves: waveStore(session),
    workers: workerStore(session),
    messages: messageStore(session, own.events),
    evidence: evidenceStore(session, own.events),
    exceptions: exceptionStore(session),
    verdicts: verdictStore(session),
    records: recordStore(session),
    leaders: leaderStore(session),
    loops: loopStore(session),
    seats: seatStore(session),
    documents: documentStore(session),
    rateLimits: rateLimitStore(session),
    agentFaults: agentFaultStore(session),
    agentQuotas: agentQuotaStore(session),
    archive: archiveStore(session, own.events),
  }
}
