import type { EventStore, HotPath, Tx } from "../port.ts"
import { archiveStore } from "./archive.ts"
import { documentStore } from "./documents.ts"
import { evidenceStore } from "./evidence.ts"
import { exceptionStore } from "./exceptions.ts"
import { leaderStore } from "./leaders.ts"
import { loopStore } from "./loops.ts"
import { messageStore } from "./messages.ts"
import { rateLimitStore } from "./rate-limits.ts"
import { recordStore } from "./records.ts"
import { seatStore } from "./seats.ts"
import type { Session } from "./session.ts"
import { taskStore } from "./tasks.ts"
import { teamStore } from "./teams.ts"
import { verdictStore } from "./verdicts.ts"
import { waveStore } from "./waves.ts"
import { workerStore } from "./workers.ts"

/** Everything one transaction can do: what a dialect brings of its own, and the statements both share. */
export function transactionOf(session: Session, own: HotPath & { readonly events: EventStore }): Tx {
  return {
    ...own,
    now: session.now,
    teams: teamStore(session),
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
    archive: archiveStore(session, own.events),
  }
}
