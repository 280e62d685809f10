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
 * The single source of truth. Everything acknowledged survives `kill -9` and power loss. All times are the store's own:
 * clocks of different machines are never compared.
 */
export interface Store extends HotPath, AsyncDisposable {
  /** Runs `work` on one consistent snapshot. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs `work` as one transaction: all of it happens, or nothing when it throws. After a conflict it runs again, so it
   * must do nothing but call `tx`.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Watches for commits of any process. Open it before the read whose result should change, so that none is missed. */
  watch(): Promise<Watch>
  inspect(): Promise<StoreReport>
}

export interface Watch extends AsyncDisposable {
  /** Resolves true as soon as something was committed since the last call (or since `watch()`), false on time-out. */
  next(timeoutMs: number, signal?: AbortSignal): Promise<boolean>
}

/** The two calls that every task needs. Each is one transaction, or part of the transaction it is called in. */
export interface HotPath {
  /**
   * Claims a task in one statement, with its event: the named one, or the best ready one for the role. Exactly one of
   * several claimants gets it. Checks needs, wave, pause, phase, role, preset owner and the worker's availability. An
   * expired claim is claimable; a claim of the same owner is renewed. `undefined` when nothing could be claimed.
   */
  claimTask(request: ClaimRequest): Promise<Claimed | undefined>
  /**
   * Resolves a held task in one statement, with its evidence, event and notice. `undefined`, without any change, when
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
  /** Refuses a named task of another role, instead of warning. */
  readonly strictRole: boolean
  readonly leaseMs: number
}

export interface Claimed {
  readonly task: Task
  /** The holder whose claim had expired. */
  readonly takenOverFrom: string | null
  /** The owner had claimed it before; only the lease is new. */
  readonly renewed: boolean
}

export interface FinishRequest extends TeamName {
  readonly taskId: TaskId
  /** Null: a person resolves it, no matter which worker holds it. */
  readonly owner: string | null
  readonly token: number | null
  readonly workerId: WorkerId | null
  readonly result: string | null
  readonly evidence: readonly NewEvidence[]
  /** QA has passed exactly this commit. Without it, a task that needs QA is not resolved. */
  readonly isQaChecked?: boolean
  /** Sent to the lead when set. */
  readonly notice: { readonly id: string; readonly payload: IdleNotification } | null
}

export type { RecordStore, StoredTeam, TeamStore }

/** What one transaction can do. Lists are in creation order unless the method says otherwise. */
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
  /** All needs are met, and it is open or its claim has expired: claimable, apart from waves and pauses. */
  readonly ready?: boolean
  /** Of this role, or for any role. */
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
  /** Like `find`, and no other transaction changes the task until this one ends. */
  lock(key: number, id: TaskId): Promise<Task | undefined>
  list(key: number, filter?: TaskFilter): Promise<Task[]>
  /** All tasks, and no other transaction changes any of them until this one ends. */
  lockAll(key: number): Promise<Task[]>
  /** Id, needs, status and wave of every task: the graph without the texts. */
  graph(key: number): Promise<GraphNode[]>
  /** Tasks that own files and have not ended, without the texts. */
  owning(key: number): Promise<OwningTask[]>
  /** Adds an open task; its unmet needs are counted here. `undefined` when the id is taken. */
  create(key: number, id: TaskId, brief: TaskBrief, wave: number | null): Promise<Task | undefined>
  /**
   * Adds many open tasks by few statements; they may need one another. The ids must be free, and all tasks must be
   * locked.
   */
  createAll(key: number, tasks: readonly { readonly id: TaskId; readonly brief: TaskBrief }[]): Promise<void>
  update(key: number, id: TaskId, change: TaskChange): Promise<Task>
  /** Gives a claim its full lease again, from now. Neither version nor events show it. */
  renew(key: number, id: TaskId): Promise<Task>
  /** Gives a locked task to an owner, even when another one holds it: new token, new lease, no pause. */
  take(key: number, id: TaskId, claim: { readonly owner: string; readonly leaseMs: number }): Promise<Task>
  /** Replaces the needs and counts the unmet ones again. */
  setNeeds(key: number, id: TaskId, needs: readonly TaskId[]): Promise<Task>
  remove(key: number, id: TaskId): Promise<void>
  dependants(key: number, id: TaskId): Promise<TaskId[]>
  /** Number of tasks by wave (0 for none) and status. */
  progress(key: number): Promise<TaskCount[]>
  /** In progress with an expired lease, or claimed at or before `claimedBefore`. */
  listOverdue(key: number, claimedBefore: number | null): Promise<Task[]>
  /** When the next lease expires, if there is one. */
  nextLeaseEnd(key: number): Promise<number | null>
  setWaves(key: number, places: readonly { id: string; wave: number; height: number }[]): Promise<void>
  /** The order in which ready tasks of one priority are claimed, the lowest first. Does not count as a change of the task. */
  setRanks(key: number, ranks: readonly { id: TaskId; rank: number }[]): Promise<void>
  /** Counts the unmet needs of every task again. Returns the tasks whose count was wrong. */
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

/** A worker as it is now, without the tasks it completed. */
export type WorkerNow = Omit<Worker, "tasksCompleted">

export interface WorkerStore {
  /** Called in a loop by waiting workers: takes no longer in a team with many tasks. */
  find(key: number, id: WorkerId): Promise<WorkerNow | undefined>
  list(key: number): Promise<Worker[]>
  /** Adds a worker or changes the given fields of one, and sets its heartbeat. */
  put(
    key: number,
    id: WorkerId,
    change: {
      role?: Role | null
      sessionId?: string | null
      availability?: WorkerAvailability
      /** Folder and branch of its worktree; null when it was removed. */
      workspace?: { readonly worktree: string; readonly branch: string } | null
      /** The pane that shows it, if any. */
      pane?: string | null
    },
  ): Promise<Worker>
  count(key: number): Promise<{ total: number; working: number }>
  /** Sets the heartbeat, and adds the worker if it is new. */
  heard(key: number, id: WorkerId): Promise<void>
  /** The next free `w<N>`. Numbers are never used twice. */
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
  /** Like `list`, and marks them read. Of two concurrent readers only one sees a message as unread. */
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
  /** Without the verdicts on single tasks, which are many. */
  listOfTeam(key: number): Promise<Verdict[]>
}

export interface EventQuery {
  /** A cursor of an earlier answer; from the first event without one. */
  readonly after?: string
  readonly type?: EventType
  /** Only events that name this task, found by an index. */
  readonly task?: TaskId
  readonly limit: number
}

export interface EventStore {
  append(key: number, by: string, event: NewEvent): Promise<void>
  /** Adds events of an earlier time as they are, to a team that has none. */
  restore(key: number, events: readonly PastEvent[]): Promise<void>
  /**
   * Events after the cursor, in an order that never changes: an event that commits late comes late, and is not skipped.
   * `cursor` is where the next call continues.
   */
  list(key: number, query: EventQuery): Promise<{ events: Event[]; cursor: string }>
  /** The cursor before the newest `count` events (of the type, of the task). */
  tailCursor(key: number, tail: Pick<EventQuery, "type" | "task"> & { readonly count: number }): Promise<string>
}

/** Which orchestrator leads a team. */
export interface LeaderStore {
  /** The latest one, even if its lease has expired. */
  find(key: number): Promise<Leadership | undefined>
  /** Replaces any earlier leader. The token goes up each time. */
  take(key: number, request: { readonly holder: string; readonly leaseMs: number }): Promise<Leadership>
  /** False when another process took over. */
  renew(key: number, lead: { readonly token: number; readonly leaseMs: number }): Promise<boolean>
  /** False when the lease was over, or belongs to another process. */
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

/** Belongs to agents, not to teams: stays when a team is removed. */
export interface RateLimitStore {
  /** By name, including expired ones. */
  list(): Promise<RateLimit[]>
  /** No other transaction changes it until this one ends. */
  lock(agent: string): Promise<RateLimit | undefined>
  /** Adds or replaces it. When two transactions add one at the same time, the later end wins. */
  put(limit: RateLimit): Promise<void>
  /** Removes a limit that was noted before that time. Returns whether there was one. */
  remove(agent: string, notedBefore: number): Promise<boolean>
}

/** Belongs to agent programs and their accounts, not to teams. */
export interface AgentFaultStore {
  /** By name. */
  list(): Promise<AgentFault[]>
  /** No other transaction changes it until this one ends. */
  lock(agent: string): Promise<AgentFault | undefined>
  /** Adds or replaces it. When two transactions add one at the same time, the later one wins. */
  put(fault: AgentFault): Promise<void>
  /** Returns whether there was one. */
  remove(agent: string): Promise<boolean>
}

export interface AgentQuotaStore {
  list(): Promise<AgentQuota[]>
  /** Adds or replaces it. */
  put(quota: AgentQuota): Promise<void>
  remove(agent: string): Promise<boolean>
}

/** Whole teams, for export and import. */
export interface ArchiveStore {
  read(key: number): Promise<TeamSnapshot>
  /** Parts of what `read` returns, for a caller that knows what changed. */
  team(key: number): Promise<SnapshotTeam>
  /** Those of the named tasks that exist. */
  tasks(key: number, ids: readonly TaskId[]): Promise<SnapshotTask[]>
  workers(key: number): Promise<readonly SnapshotWorker[]>
  loops(name: TeamName): Promise<readonly LoopState[]>
  /** All messages but the first `from`. */
  messages(key: number, from: number): Promise<SnapshotMessage[]>
  /** Restores a run with its history. `undefined`, without any change, when the name or the run is taken. */
  restore(snapshot: TeamSnapshot, history: readonly PastEvent[], isCurrent?: boolean): Promise<number | undefined>
}

/** What `doctor` reports of a store. */
export interface StoreReport {
  readonly kind: "sqlite" | "postgres"
  /** Without user name and password. */
  readonly place: string
  readonly schemaVersion: number
  /** Empty when the store's own integrity check found nothing. */
  readonly problems: readonly string[]
}
