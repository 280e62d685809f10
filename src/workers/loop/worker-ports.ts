import type { FaultLimits } from "../../agents/agent-fault.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import type { Agent, AgentJob, AgentResult, Limits, Permission, RunOptions } from "../../agents/port.ts"
import type { Pins, Scopes, Workspaces } from "../../git/port.ts"
import type { Budget } from "../../kernel/budget.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { WorkPlace } from "../../kernel/repository.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import type { Skill } from "../../knowledge/skill.ts"
import type { Clock } from "../../lib/clock.ts"
import type { ModelTier } from "../../planning/complexity/model-tier.ts"
import type { Examined, ExamineRequest } from "../../quality/effects/examine-work.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { WorkerFact } from "../../reporting/history-facts.ts"
import type { HistoryReader } from "../../reporting/operations/read-history.ts"
import type { Context } from "../../store/operation.ts"
import type { RetryLimits } from "../../tasks/retry.ts"
import type { Role } from "../../tasks/task.ts"
import type { WorkerIdentity } from "../swarm/liveness.ts"

export interface WorkerRun {
  readonly ports: WorkerPorts
  readonly options: WorkerOptions
  readonly team: RunName
  readonly worker: WorkerId
  readonly history: HistoryReader
  readonly ending: Ending
}

/** In two steps: the worker takes no new task, and after a time it stops. */
export interface Ending extends Disposable {
  readonly drain: AbortSignal
  readonly stop: AbortSignal
  /** Undefined while the worker continues. */
  reason(): Extract<WorkerEnd["reason"], "shutdown" | "drained" | "stopped"> | undefined
  shutDown(): void
}

/** All outside effects of a worker; a simulation brings its own. */
export interface WorkerPorts {
  readonly context: Context
  readonly clock: Clock
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly workspaces: Workspaces
  readonly pins: Pins
  readonly scopes: Scopes
  readonly agents: () => Promise<readonly ReadyAgent[]>
  readonly runAgent: (run: RunRequest) => Promise<AgentResult>
  /** On what is committed in the folder. */
  readonly verify: (request: GateRequest) => Promise<Verdict>
  /** By another agent, for QA. */
  readonly examine: (request: ExamineRequest & { readonly folder: string }) => Promise<Examined>
  readonly gitIdentity: () => Promise<Readonly<Record<string, string>>>
  /** Adds what programs in a worktree need: its own Python, its ports. */
  readonly surround?: (env: Readonly<Record<string, string>>, folder: string) => Record<string, string>
  readonly findSkills: () => readonly Skill[]
  readonly promptLimit: (agent: string) => number
  readonly mask: (text: string) => string
  readonly isAlive: (worker: WorkerFact) => boolean
  /** Does nothing while the worker's process lives. */
  readonly endOrphans: (worker: WorkerIdentity) => Promise<void>
  readonly showTitle?: (title: string) => void
  readonly say: (line: string) => void
  /** Take no new task and finish the current one while there is time. */
  readonly drain: AbortSignal
  readonly stop: AbortSignal
}

export interface RunRequest {
  /** `<task>-<attempt>-<n>` */
  readonly run: string
  readonly agent: Agent
  readonly job: AgentJob
  readonly options: RunOptions
}

export interface GateRequest extends TeamName {
  readonly taskId: TaskId
  readonly owner: string
  readonly token: number
  readonly folder: string
  /** The agent's reason for changing nothing. Empty: no reason. Undefined: it did not report that. */
  readonly nothingToDo: string | undefined
  /** Undefined where commands did the work. */
  readonly answer: string | undefined
  /** About its own changes that cannot be delivered as they are. */
  readonly notDelivered: readonly string[]
  readonly signal: AbortSignal
}

export interface WorkerOptions extends RunName {
  readonly workerId?: WorkerId
  readonly role?: Role
  readonly once: boolean
  readonly loop: boolean
  readonly keepPolling: boolean
  /** Started by an orchestrator, so it ends with its team. */
  readonly isManaged: boolean
  readonly pollIntervalSeconds: number
  readonly freshStartInterval?: number
  readonly home: string
  readonly place: WorkPlace
  readonly root: string
  readonly settings: WorkerSettings
  /** Without it agents cannot call teamwork. */
  readonly reach?: Reach
  readonly process: {
    readonly runtime: string
    readonly machine: string
    readonly pid: number
    readonly processStart: string
  }
}

export interface Reach {
  readonly store: string
  readonly self: readonly string[]
  readonly bin: string
}

/** 0 disables a limit. */
export interface WorkerSettings {
  readonly leaseSeconds: number
  readonly renewSeconds: number
  readonly repairTurns: number
  readonly agentTimeoutSeconds: number
  /** Limits for an agent that waits, is silent or repeats itself. */
  readonly patience?: Pick<Limits, "waitMs" | "silenceMs" | "sameCalls">
  readonly shutdownTimeoutMs: number
  readonly maxConsecutiveErrors: number
  readonly retry: RetryLimits
  readonly faults: FaultLimits
  /** Above this share of its quota a program is reserved for the critical path. */
  readonly scarcePercent: number
  readonly budget: Budgets
  /** Without asking, for an agent that may write. */
  readonly permission: Permission
  readonly mcp: boolean
  readonly defaults: { readonly agentType: string; readonly tier: ModelTier }
}

export type Budgets = Readonly<Record<"task" | "worker" | "team", Budget>>

export interface WorkerEnd {
  readonly worker: WorkerId | null
  /**
   * `complete`: the project is. `over`: the team ended otherwise. `shutdown`: the lead asked. `drained`, `stopped`:
   * by a signal. `once`: its one task is over. `none`: there was no task. `failures`: too many setbacks in a row.
   * `closed`: a new run of the team began.
   */
  readonly reason: "complete" | "over" | "shutdown" | "drained" | "stopped" | "once" | "none" | "failures" | "closed"
  readonly delivered: readonly TaskId[]
  readonly setBack: readonly TaskId[]
}
