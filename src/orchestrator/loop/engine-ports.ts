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

/** All outside effects of an orchestrator. */
export interface OrchestratorPorts {
  readonly context: Context
  readonly clock: Clock
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly runtime: Runtime
  readonly merging: Merging
  readonly gates: TeamGates
  readonly workspaces: WorkspaceTools
  /** Ends running gates and reviews. */
  readonly abandon: () => void
  /** At each look, returns unused memory to the system. */
  readonly returnMemory?: () => void
  /** By another agent program, of everything. */
  readonly review: () => Promise<Verdict>
  /** By a PM agent, for routine approvals. Without it, or without its answer, they are approved. */
  readonly judgeApproval?: (approval: Approval) => Promise<Ruling | NoRuling | undefined>
  readonly launch: (worker: WorkerId, role: Role | null) => WorkerLaunch
  readonly self: Self
  readonly onLook?: (snapshot: EngineSnapshot) => void
  readonly say: (line: string) => void
  /** Of a question; left out where notices are off. */
  readonly notify?: Notify
}

export interface TeamGates extends Pick<WavePorts, "gate" | "scope" | "makeLock"> {
  verifyWave(wave: number): Promise<Verdict>
  verifyFinal(): Promise<Verdict>
  /** Reopens tasks that build on a revised one and no longer hold. */
  recheck(tasks: readonly string[]): Promise<void>
  /** The final gate on what is finished. */
  verifyPart(): Promise<Verdict>
  readonly finalGate: (commit: string) => Promise<void>
  readonly partGate: (commit: string) => Promise<void>
}

export interface Self {
  readonly machine: string
  /** Identifies this process, even after its end. */
  readonly holder: string
  isGone(holder: string): boolean
}

export interface OrchestratorOptions extends TeamName {
  readonly limits: EngineLimits
  /** For the orchestrator that takes over, as JSON. */
  readonly settings: string
  readonly target: string | undefined
  /** Changes the team before the first look, as its leader. */
  readonly prepare?: () => Promise<void>
  readonly leaseMs: number
  readonly shutdownTimeoutMs: number
  readonly monitorIntervalMs: number
  /** Let running agents end, within `shutdownTimeoutMs`. */
  readonly drain: AbortSignal
  readonly stop: AbortSignal
}

export interface EngineEnd {
  readonly outcome: "done" | "failed" | "stuck" | "paused" | "cancelled" | "interrupted" | "lost"
  readonly reason: string
}
