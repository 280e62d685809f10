import type { Document } from "../kernel/document.ts"
import type { Event } from "../kernel/events.ts"
import type { WorkerId } from "../kernel/ids.ts"
import type { TeamRecord } from "../kernel/record.ts"
import type { Team } from "../kernel/team.ts"
import type { Message } from "../messages/message.ts"
import type { Exception } from "../ownership/exception.ts"
import type { Verdict } from "../quality/verdict.ts"
import type { LoopState } from "../sessions/loop-state.ts"
import type { Evidence } from "../tasks/evidence.ts"
import type { Role, Task } from "../tasks/task.ts"
import type { WaveVerdict } from "../tasks/wave.ts"
import type { WorkerAvailability } from "../workers/worker.ts"

/**
 * Everything a store holds of a team except its events; exports and imports keep all of it. Lists are in order of
 * creation.
 */
export interface TeamSnapshot {
  readonly team: SnapshotTeam
  readonly tasks: readonly SnapshotTask[]
  readonly waves: readonly SnapshotWave[]
  readonly workers: readonly SnapshotWorker[]
  readonly messages: readonly SnapshotMessage[]
  readonly verdicts: readonly Verdict[]
  readonly records: readonly TeamRecord[]
  readonly loops: readonly LoopState[]
  readonly documents: readonly Document[]
}

export interface SnapshotTeam extends Team {
  readonly pauseReason: string | null
  /** For the next task and the next worker without a name. */
  readonly nextTask: number
  readonly nextWorker: number
}

/** Without `unmet`, which follows from the needs. */
export interface SnapshotTask extends Omit<Task, "unmet"> {
  /** Length of the longest chain of tasks that wait for this one, when waves were last planned. */
  readonly height: number
  readonly leaseMs: number
  readonly previousOwner: string | null
  readonly evidence: readonly Evidence[]
  readonly exceptions: readonly Exception[]
}

export interface SnapshotWave {
  readonly number: number
  readonly verdict: WaveVerdict
  readonly startedAt: string | null
  readonly verifiedAt: string | null
}

export interface SnapshotWorker {
  readonly id: WorkerId
  readonly role: Role | null
  readonly sessionId: string | null
  readonly pane: string | null
  readonly worktree: string | null
  readonly branch: string | null
  readonly availability: WorkerAvailability
  readonly heartbeatAt: string
  readonly createdAt: string
}

export interface SnapshotMessage extends Message {
  readonly readAt: string | null
}

export type PastEvent<E extends Event = Event> = E extends Event ? Omit<E, "seq" | "cursor"> : never
