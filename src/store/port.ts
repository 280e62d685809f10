import type { AgentFault } from "../agents/agent-fault.ts"
import type { AgentQuota } from "../agents/quota.ts"
import type { RateLimit } from "../agents/rate-limit.ts"
import type {
  PastEvent,
  SnapshotMessage,
  SnapshotTask,
  SnapshotTeam,
  SnapshotWorker,
  TeamSnapshot,
} from "../files/snapshot.ts"
import type { Document } from "../kernel/document.ts"
import type { Event, EventType, NewEvent } from "../kernel/events.ts"
import type { TaskId, WorkerId } from "../kernel/ids.ts"
import type { TeamName } from "../kernel/team.ts"
import type { IdleNotification, Message, MessageType } from "../messages/message.ts"
import type { Exception } from "../ownership/exception.ts"
import type { Verdict } from "../quality/verdict.ts"
import type { TaskCount } from "../reporting/status.ts"
import type { LoopState } from "../sessions/loop-state.ts"
import type { Evidence, NewEvidence } from "../tasks/evidence.ts"
import type { Role, Task, TaskBrief, TaskStatus } from "../tasks/task.ts"
import type { WaveVerdict } from "../tasks/wave.ts"
import type { Worker, WorkerAvailability } from "../workers/worker.ts"
import type { ProjectStore } from "./project-store.ts"
import type { RecordStore } from "./record-store.ts"
import type { StoredTeam, TeamStore } from "./team-store.ts"
import type { LoopStore, SeatStore } from "./terminals.ts"

/**
 * The single source of truth. Everything acknowledged survives `kill -9` and power loss. Time in it is the store's own:
 * participants on several machines never compare their clocks.
 */
export interface Store extends HotPath, AsyncDisposable {
  /** Runs `work` on one consistent snapshot. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs `work` as one transaction: all of it happens, or nothing when it throws. It may run more than once if the store
   * asks for a repeat, so it must do nothing but call `tx`.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Watches for commits by anybody. Open it before the read whose outcome you wait to change, and none is missed. */
  watch(): Promise<Watch>
  inspect(): Promise<StoreReport>
}

export interface Watch extends AsyncDisposable {
  /** Resolves true as soon as something was committed since the last call (or since `watch()`), false on time-out. */
  next(timeoutMs: number, signal?: AbortSignal): Promise<boolean>
}

/** The two calls every task pays for. Each is a transaction of its own, and a part of the one it is called in. */
export interface HotPath {
  /**
   * Takes a task in one statement, with its event: the named one, or the best ready one for the role. Of any number of
   * claimants exactly one gets it. Checks needs, wave, pause, phase, role, preset owner and the worker's availability.
   * An expired claim is claimable; the same owner's own claim is renewed. `undefined` when nothing could be taken.
   */
  claimTask(request: ClaimRequest): Promise<Claimed | undefined>
  /**
   * Resolves a held task in one statement, with its evidence, event and notice. `undefined`, and nothing changed, when
   * the task is not held that way or has evidence with a blocked pattern.
   */
  finishTask(request: FinishRequest): Promise<Task | undefined>
}

export interface ClaimRequest extends TeamName {
  /** Null: the best ready task. */
  readonly taskId: TaskId | null
  readonly owner: string
  readonly workerId: WorkerId
  readonly role: Role | null
  /** A named task of another role is refused, not only warned about. */
  readonly strictRole: boolean
  readonly leaseMs: number
}

export interface Claimed {
  readonly task: Task
  /** The holder whose claim had expired. */
  readonly takenOverFrom: string | null
  /** The owner held it already; only the lease is new. */
  readonly renewed: boolean
}

export interface FinishRequest extends TeamName {
  readonly taskId: TaskId
  /** Null: a person acts, whoever holds the task. */
  readonly owner: string | null
  readonly token: number | null
  readonly workerId: WorkerId | null
  readonly result: string | null
  readonly evidence: readonly NewEvidence[]
  /** QA has passed the very commit that is resolved. A task that needs QA is not resolved without. */
  readonly isQaChecked?: boolean
  /** Sent to the lead when set. */
  readonly notice: { readonly id: string; readonly payload: IdleNotification } | null
}

export type { RecordStore, StoredTeam, TeamStore }

/** What one transaction can do. Lists come in creation order unless said otherwise. */
export interface Tx extends HotPath {
  /** The store's clock, the same value throughout the transaction. */
  now(): Promise<number>
  readonly projects: ProjectStore
  readonly teams: TeamStore
  readonly tasks: TaskStore
  readonly waves: WaveStore
  readonly workers: WorkerStore
  readonly messages: MessageStore
  readonly evidence: EvidenceStore
  readonly exceptions: ExceptionStore
  readonly verdicts: VerdictStore
  readonly records: RecordStore
  readonly events: EventStore
  readonly leaders: LeaderStore
  readonly loops: LoopStore
  readonly seats: SeatStore
  readonly documents: DocumentStore
  readonly rateLimits: RateLimitStore
  readonly agentFaults: AgentFaultStore
  readonly agentQuotas: AgentQuotaStore
  readonly archive: ArchiveStore
}

export interface TaskFilter {
  /** With every need met and open, or held by a claim that ran out: what a claim could take, waves and pauses aside. */
  readonly ready?: boolean
  /** Of this role, or for anybody. */
  readonly role?: Role
  readonly status?: TaskStatus
  readonly maxWave?: number
  readonly limit?: number
}

/** These have rules of their own: needs, waves, claims and counters. */
type Kept = "id" | "blockedBy" | "unmet" | "wave" | "claimToken" | "version" | "createdAt" | "updatedAt"

export interface TaskChange extends Partial<Omit<Task, Kept | "claimedAt" | "leaseUntil" | "completedAt">> {
  readonly claimedAt?: null
  /** Null ends the lease; `renew` starts a new one. */
  readonly leaseUntil?: null
  readonly completedAt?: number | null
}

export interface TaskStore {
  find(key: number, id: TaskId): Promise<Task | undefined>
  /** Like `find`, and nobody else changes the task until this transaction ends. */
  lock(key: number, id: TaskId): Promise<Task | undefined>
  list(key: number, filter?: TaskFilter): Promise<Task[]>
  /** All of them, and nobody else changes any of them until this transaction ends. */
  lockAll(key: number): Promise<Task[]>
  /** Id, needs, status and wave of every task: the graph without the texts. */
  graph(key: number): Promise<GraphNode[]>
  /** Those that have not ended and own files, without the texts. */
  owning(key: number): Promise<OwningTask[]>
  /** Adds an open task; its unmet needs are counted here. `undefined` when the id is taken. */
  create(key: number, id: TaskId, brief: TaskBrief, wave: number | null): Promise<Task | undefined>
  /**
   * Adds many open tasks by few statements; they may need one another. None of the ids may be taken, and
   * all tasks must be locked.
   */
  createAll(key: number, tasks: readonly { readonly id: TaskId; readonly brief: TaskBrief }[]): Promise<void>
  update(key: number, id: TaskId, change: TaskChange): Promise<Task>
  /** Gives a claim its full lease again, from now; leaves no trace in version or events. */
  renew(key: number, id: TaskId): Promise<Task>
  /** Gives a locked task to an owner, whoever has it now: with a new token, a lease from now on, and no pause. */
  take(key: number, id: TaskId, claim: { readonly owner: string; readonly leaseMs: number }): Promise<Task>
  /** Replaces the needs and counts the unmet ones anew. */
  setNeeds(key: number, id: TaskId, needs: readonly TaskId[]): Promise<Task>
  remove(key: number, id: TaskId): Promise<void>
  dependants(key: number, id: TaskId): Promise<TaskId[]>
  /** Number of tasks by wave (0 for none) and status. */
  progress(key: number): Promise<TaskCount[]>
  /** In progress with a lease that ran out, or claimed at or before `claimedBefore`. */
  listOverdue(key: number, claimedBefore: number | null): Promise<Task[]>
  /** When the next of the leases that still hold ends, if any. */
  nextLeaseEnd(key: number): Promise<number | null>
  setWaves(key: number, places: readonly { id: string; wave: number; height: number }[]): Promise<void>
  /** The order in which ready tasks of one priority are claimed, the lowest first. No change of the tasks themselves. */
  setRanks(key: number, ranks: readonly { id: TaskId; rank: number }[]): Promise<void>
  /** Counts every task's unmet needs anew; the ids that were wrong. */
  repairUnmet(key: number): Promise<TaskId[]>
}

export interface GraphNode {
  readonly id: TaskId
  readonly title: string
  readonly role: Role
  readonly status: TaskStatus
  readonly wave: number | null
  readonly blockedBy: readonly TaskId[]
}

export type OwningTask = Pick<Task, "id" | "status" | "files">

export interface StoredWave {
  readonly number: number
  readonly verdict: WaveVerdict
  readonly startedAt: string | null
  readonly verifiedAt: string | null
}

export interface WaveStore {
  list(key: number): Promise<StoredWave[]>
  /** Adds or replaces one. */
  put(
    key: number,
    wave: { number: number; verdict: WaveVerdict; startedAt: number | null; verifiedAt: number | null },
  ): Promise<void>
  /** Drops every wave with a higher number. */
  dropAfter(key: number, number: number): Promise<void>
}

/** A worker as it is now, without what it has done so far. */
export type WorkerNow = Omit<Worker, "tasksCompleted">

export interface WorkerStore {
  /** Asked again and again by those who wait: takes no longer in a team with many tasks. */
  find(key: number, id: WorkerId): Promise<WorkerNow | undefined>
  list(key: number): Promise<Worker[]>
  /** Adds a worker or changes the given fields of one; either way it was heard of now. */
  put(
    key: number,
    id: WorkerId,
    change: {
      role?: Role | null
      sessionId?: string | null
      availability?: WorkerAvailability
      /** Folder and branch of its worktree; null when it has none any more. */
      workspace?: { readonly worktree: string; readonly branch: string } | null
      /** Where it is seen; null when nowhere. */
      pane?: string | null
    },
  ): Promise<Worker>
  count(key: number): Promise<{ total: number; working: number }>
  /** Notes a sign of life; a worker that is not known yet becomes known. */
  heard(key: number, id: WorkerId): Promise<void>
  /** The next free `w<N>`; numbers of workers that ever existed are not used again. */
  takeId(key: number): Promise<WorkerId>
}

export interface MessageFilter {
  readonly unreadOnly?: boolean
  /** Only these. */
  readonly ids?: readonly string[]
  readonly type?: MessageType
  readonly limit?: number
}

export interface NewMessage {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly type: MessageType
  readonly payload: unknown
}

export interface MessageStore {
  /** With its event, `message.sent`. */
  send(key: number, by: string, message: NewMessage): Promise<Message>
  list(key: number, inbox: string, filter: MessageFilter): Promise<Message[]>
  /** Like `list`, and marks them read; of two readers at once only one sees a message as unread. */
  take(key: number, inbox: string, filter: MessageFilter): Promise<Message[]>
  countUnread(key: number): Promise<{ inbox: string; unread: number }[]>
  senders(key: number): Promise<string[]>
}

export interface EvidenceStore {
  /** With an event for each entry, `evidence.added`. */
  add(key: number, to: { taskId: TaskId; attempt: number; by: string; entries: readonly NewEvidence[] }): Promise<void>
  list(key: number, taskId: TaskId): Promise<Evidence[]>
  withdraw(key: number, taskId: TaskId, number: number): Promise<void>
}

export interface ExceptionStore {
  ask(
    key: number,
    exception: Pick<Exception, "taskId" | "attempt" | "pattern" | "reason"> & { readonly by: string },
  ): Promise<Exception>
  /** Of one task, or of all of them. */
  list(key: number, taskId?: TaskId): Promise<Exception[]>
  decide(
    key: number,
    which: { readonly taskId: TaskId; readonly number: number },
    word: Pick<Exception, "attempt" | "decision"> & { readonly status: "granted" | "denied"; readonly by: string },
  ): Promise<void>
}

export interface VerdictStore {
  add(key: number, verdict: Omit<Verdict, "timestamp">): Promise<Verdict>
  list(key: number): Promise<Verdict[]>
  /** Without those of single tasks, which are as many as there are tasks. */
  listOfTeam(key: number): Promise<Verdict[]>
}

export interface EventQuery {
  /** A cursor of an earlier answer; from the first event without one. */
  readonly after?: string
  readonly type?: EventType
  /** Those that name this task; found by an index, however many others there are. */
  readonly task?: TaskId
  readonly limit: number
}

export interface EventStore {
  append(key: number, by: string, event: NewEvent): Promise<void>
  /** Adds events of an earlier time as they are, to a team that has none. */
  restore(key: number, events: readonly PastEvent[]): Promise<void>
  /**
   * Events after the cursor, in an order that never changes: an event that commits late comes late, and is not passed
   * over. `cursor` is where to go on.
   */
  list(key: number, query: EventQuery): Promise<{ events: Event[]; cursor: string }>
  /** The cursor behind which the newest `count` events (of the type, of the task) begin. */
  tailCursor(key: number, tail: Pick<EventQuery, "type" | "task"> & { readonly count: number }): Promise<string>
}

/** Which orchestrator leads a team. */
export interface LeaderStore {
  /** The latest one, also when its lease is over. */
  find(key: number): Promise<Leadership | undefined>
  /** Whoever led before. The token goes up each time. */
  take(key: number, request: { readonly holder: string; readonly leaseMs: number }): Promise<Leadership>
  /** False when somebody else took over. */
  renew(key: number, lead: { readonly token: number; readonly leaseMs: number }): Promise<boolean>
  /** False when it was over, or somebody else's. */
  end(key: number, token: number): Promise<boolean>
}

export interface Leadership {
  readonly holder: string
  readonly token: number
  readonly leaseUntil: number
}

export interface DocumentStore {
  /** In the order of their paths. */
  list(key: number): Promise<Document[]>
  /** Adds or replaces one. */
  put(key: number, document: Pick<Document, "path" | "content" | "encoding" | "by">): Promise<void>
}

/** Of agents, not of teams: they stay when a team goes. */
export interface RateLimitStore {
  /** Those that are over as well, by name. */
  list(): Promise<RateLimit[]>
  /** The agent's, and nobody else changes it until this transaction ends. */
  lock(agent: string): Promise<RateLimit | undefined>
  /** Adds or replaces it; of two who know of none yet and put theirs at once, the later end stays. */
  put(limit: RateLimit): Promise<void>
  /** Forgets one that was noted before that time; whether there was one. */
  remove(agent: string, notedBefore: number): Promise<boolean>
}

/** Of agent programs and their accounts, not of teams. */
export interface AgentFaultStore {
  /** By name. */
  list(): Promise<AgentFault[]>
  /** The agent's, and nobody else changes it until this transaction ends. */
  lock(agent: string): Promise<AgentFault | undefined>
  /** Adds or replaces it. Of two who know of none and put theirs at once, the later one stays. */
  put(fault: AgentFault): Promise<void>
  /** Whether there was one. */
  remove(agent: string): Promise<boolean>
}

export interface AgentQuotaStore {
  list(): Promise<AgentQuota[]>
  /** Adds or replaces what was noted earlier. */
  put(quota: AgentQuota): Promise<void>
  remove(agent: string): Promise<boolean>
}

/** Whole teams, for export and import. */
export interface ArchiveStore {
  read(key: number): Promise<TeamSnapshot>
  /** Parts of what `read` gives, for whoever knows what changed. */
  team(key: number): Promise<SnapshotTeam>
  /** Those of the named tasks that exist. */
  tasks(key: number, ids: readonly TaskId[]): Promise<SnapshotTask[]>
  workers(key: number): Promise<readonly SnapshotWorker[]>
  /** Those of a team's terminals. */
  loops(name: TeamName): Promise<readonly LoopState[]>
  /** All but the first `from`. */
  messages(key: number, from: number): Promise<SnapshotMessage[]>
  /** Makes a run as it was, with its history. `undefined`, and nothing done, when the name or the run is taken. */
  restore(snapshot: TeamSnapshot, history: readonly PastEvent[], isCurrent?: boolean): Promise<number | undefined>
}

/** What `doctor` asks of a store. */
export interface StoreReport {
  readonly kind: "sqlite" | "postgres"
  /** Without user name and password. */
  readonly place: string
  readonly schemaVersion: number
  /** Empty when the store's own integrity check found nothing. */
  readonly problems: readonly string[]
}
