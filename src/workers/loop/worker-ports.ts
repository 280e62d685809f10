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
import type { Context } from "../../store/operation.ts"
import type { RetryLimits } from "../../tasks/retry.ts"
import type { Role } from "../../tasks/task.ts"
import type { WorkerIdentity } from "./orphans.ts"

/** Everything uncertain that a worker works with; a simulation brings its own. */
export interface WorkerPorts {
  readonly context: Context
  readonly clock: Clock
  /** Resolves after a time, or at once when the signal fires. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly workspaces: Workspaces
  readonly pins: Pins
  readonly scopes: Scopes
  /** Asked at the first task that needs them. */
  readonly agents: () => Promise<readonly ReadyAgent[]>
  /** Runs an agent and keeps what it printed. */
  readonly runAgent: (run: RunRequest) => Promise<AgentResult>
  /** Judges what is committed in the folder. */
  readonly verify: (request: GateRequest) => Promise<Verdict>
  /** Has work looked at by somebody who did not do it. */
  readonly examine: (request: ExamineRequest & { readonly folder: string }) => Promise<Examined>
  /** In whose name agents commit, as variables. */
  readonly gitIdentity: () => Promise<Readonly<Record<string, string>>>
  /** The environment as programs in a worktree get it: its own Python, its ports. */
  readonly surround?: (env: Readonly<Record<string, string>>, folder: string) => Record<string, string>
  /** The skills that are there now. */
  readonly findSkills: () => readonly Skill[]
  /** The longest prompt for an agent, in characters. */
  readonly promptLimit: (agent: string) => number
  readonly mask: (text: string) => string
  /** Whether the latest process of a worker runs on this machine. */
  readonly isAlive: (worker: WorkerFact) => boolean
  /** Ends what agents of a worker left that has no process any more; nothing where it has one. */
  readonly endOrphans: (worker: WorkerIdentity) => Promise<void>
  /** What stands above it where it has a window or a pane of its own. */
  readonly showTitle?: (title: string) => void
  /** One line of what it does, for people. */
  readonly say: (line: string) => void
  /** Take no new task, and bring the current one to an end while there is time. */
  readonly drain: AbortSignal
  /** End now. */
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
  /** The worktree. */
  readonly folder: string
  /** Why the agent changed nothing, where it said so; empty where it gave no reason. */
  readonly nothingToDo: string | undefined
  /** What the agent answered; undefined where commands did the work. */
  readonly answer: string | undefined
  /** What is the task's own and cannot be delivered as it is, in words. */
  readonly notDelivered: readonly string[]
  readonly signal: AbortSignal
}

export interface WorkerOptions extends RunName {
  readonly workerId?: WorkerId
  readonly role?: Role
  /** One task, and no more. */
  readonly once: boolean
  /** Wait for work where there is none; one that is to do a single task may as well say so. */
  readonly loop: boolean
  readonly keepPolling: boolean
  /** Started by an orchestrator, and so at an end with its team. */
  readonly isManaged: boolean
  readonly pollIntervalSeconds: number
  readonly freshStartInterval?: number
  /** Where agents keep what they need to go on with a session, and what is known of them. */
  readonly home: string
  /** The repository that has what is committed. */
  readonly place: WorkPlace
  /** The folder of the repository, for prompts. */
  readonly root: string
  readonly settings: WorkerSettings
  /** How agents reach the team by themselves; without it they do not. */
  readonly reach?: Reach
  /** The process that it is. */
  readonly process: {
    readonly runtime: string
    readonly machine: string
    readonly pid: number
    readonly processStart: string
  }
}

export interface Reach {
  /** The address of the store. */
  readonly store: string
  /** Our own command. */
  readonly self: readonly string[]
  /** A folder with our command under the name `teamwork`. */
  readonly bin: string
}

/** What the configuration says. 0 disables a limit. */
export interface WorkerSettings {
  readonly leaseSeconds: number
  readonly renewSeconds: number
  readonly repairTurns: number
  readonly agentTimeoutSeconds: number
  /** When an agent that waits, is silent or repeats itself is ended. */
  readonly patience?: Pick<Limits, "waitMs" | "silenceMs" | "sameCalls">
  readonly shutdownTimeoutMs: number
  readonly maxConsecutiveErrors: number
  readonly retry: RetryLimits
  /** How long a program that fails is left out. */
  readonly faults: FaultLimits
  /** From this share of a quota on, a program is kept for the critical path. */
  readonly scarcePercent: number
  readonly budget: Budgets
  /** What an agent that may write does without asking. */
  readonly permission: Permission
  /** Agents get our MCP server, as the worker. */
  readonly mcp: boolean
  readonly defaults: { readonly agentType: string; readonly tier: ModelTier }
}

export type Budgets = Readonly<Record<"task" | "worker" | "team", Budget>>

export interface WorkerEnd {
  readonly worker: WorkerId | null
  /**
   * `complete`: the project is. `over`: the team ended otherwise. `shutdown`: the lead asked for it. `drained`,
   * `stopped`: a signal did. `once`: its one task is done with. `none`: there was no task. `failures`: too many setbacks
   * in a row. `closed`: a new run of the team began.
   */
  readonly reason: "complete" | "over" | "shutdown" | "drained" | "stopped" | "once" | "none" | "failures" | "closed"
  readonly delivered: readonly TaskId[]
  readonly setBack: readonly TaskId[]
}
