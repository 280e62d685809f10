import type { Tx } from "../port.ts"
import { evidenceStore } from "../sql/evidence.ts"
import { loopStore } from "../sql/loops.ts"
import { messageStore } from "../sql/messages.ts"
import type { Session } from "../sql/session.ts"
import { taskStore } from "../sql/tasks.ts"
import { teamStore } from "../sql/teams.ts"
import { verdictStore } from "../sql/verdicts.ts"
import { waveStore } from "../sql/waves.ts"
import { workerStore } from "../sql/workers.ts"
import { claimTask } from "./claim.ts"
import { eventStore } from "./events.ts"
import { finishTask } from "./finish.ts"

/** Everything one transaction can do. Loaded at the first general read or write: a claim does without it. */
export function transactionOf(session: Session): Tx {
  return {
    now: session.now,
    claimTask: (request) => claimTask(session, request),
    finishTask: (request) => finishTask(session, request),
    teams: teamStore(session),
    tasks: taskStore(session),
    waves: waveStore(session),
    workers: workerStore(session),
    messages: messageStore(session),
    evidence: evidenceStore(session),
    verdicts: verdictStore(session),
    events: eventStore(session),
    loops: loopStore(session),
  }
}
