import type { WavePorts } from "../../delivery/merge-queue/merge-wave.ts"
import type { Merging } from "../../delivery/merge-queue/merging.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Clock } from "../../lib/clock.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { Approval } from "../../requests/approval.ts"
import type { NoRuling, Ruling } from "../../requests/effects/judge-approval.ts"
import type { Notify } from "../../requests/effects/notify.ts"
import type { Context } from "../../store/operation.ts"
import type { Role } from "../../tasks/task.ts"
import type { Runtime, WorkerLaunch } from "../../workers/runtimes/port.ts"
import type { WorkspaceTools } from "../../workers/swarm/worktrees.ts"
import type { EngineLimits, EngineSnapshot } from "../actions.ts"

/** Everything uncertain that an orchestrator works with. */
export interface OrchestratorPorts {
  readonly context: Context
  readonly clock: Clock
  /** Until then, or until the signal fires. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly runtime: Runtime
  readonly merging: Merging
  readonly gates: TeamGates
  readonly workspaces: WorkspaceTools
  /** Ends the gates and the review that are under way: nobody waits for them any more. */
  readonly abandon: () => void
  /** Called at each look: gives memory back that is not used any more. */
  readonly returnMemory?: () => void
  /** Has another agent program look at everything. */
  readonly review: () => Promise<Verdict>
  /**
   * Has a PM agent decide on what no person is asked about; undefined where there is none, or where it gave no answer:
   * then routine matters are approved.
   */
  readonly judgeApproval?: (approval: Approval) => Promise<Ruling | NoRuling | undefined>
  /** How a worker is started. */
  readonly launch: (worker: WorkerId, role: Role | null) => WorkerLaunch
  readonly self: Self
  /** Sees what every decision was made by. */
  readonly onLook?: (snapshot: EngineSnapshot) => void
  /** Hears in a line what people should know. */
  readonly say: (line: string) => void
  /** Tells a person that something waits; left out where nobody wants to be told. */
  readonly notify?: Notify
}

/** The judges of merged work. */
export interface TeamGates extends Pick<WavePorts, "gate" | "scope" | "makeLock"> {
  verifyWave(wave: number): Promise<Verdict>
  verifyFinal(): Promise<Verdict>
  /** Whether tasks still hold that build on a revised one; those that do not are reopened. */
  recheck(tasks: readonly string[]): Promise<void>
  /** The final gate on what is finished, without the tasks that are not. */
  verifyPart(): Promise<Verdict>
  readonly finalGate: (commit: string) => Promise<void>
  readonly partGate: (commit: string) => Promise<void>
}

export interface Self {
  /** The name of the machine: processes of another one cannot be looked at. */
  readonly machine: string
  /** Tells this process from every other, also after it is gone. */
  readonly holder: string
  isGone(holder: string): boolean
}

export interface OrchestratorOptions extends TeamName {
  readonly limits: EngineLimits
  /** What whoever takes over goes on with, as JSON. */
  readonly settings: string
  readonly target: string | undefined
  /** Brings the team into the state that it is led from: only whoever leads it changes it. */
  readonly prepare?: () => Promise<void>
  readonly leaseMs: number
  readonly shutdownTimeoutMs: number
  /** The longest between two looks though nothing changes. */
  readonly monitorIntervalMs: number
  /** Lets running agents come to an end, within the time for it. */
  readonly drain: AbortSignal
  /** Ends everything at once. */
  readonly stop: AbortSignal
}

export interface EngineEnd {
  readonly outcome: "done" | "failed" | "stuck" | "paused" | "cancelled" | "interrupted" | "lost"
  readonly reason: string
}
