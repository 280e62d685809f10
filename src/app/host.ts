import type { ReadyAgent } from "../agents/jobs/run-job.ts"
import type { SetupReport } from "../checkouts/setup-report.ts"
import type { Merging } from "../delivery/merge-queue/merging.ts"
import type { RunName, TeamName } from "../kernel/team.ts"
import type { Clock } from "../lib/clock.ts"
import type { Ids } from "../lib/make-ids.ts"
import type { Processes } from "../lib/process/process.ts"
import type { EngineSettings } from "../orchestrator/loop/engine-limits.ts"
import type { Scopes } from "../ownership/effects/enforce-ownership.ts"
import type { GateSetup } from "../quality/verify/verifier.ts"
import type { Context, Settings } from "../store/operation.ts"
import type { Store } from "../store/port.ts"
import type { WorkerSettings } from "../workers/loop/worker-ports.ts"
import type { Runtime, RuntimeName } from "../workers/swarm/worker-launch.ts"
import type { WorkspaceTools } from "../workers/swarm/worktrees.ts"
import type { ProjectsHere } from "./projects-here.ts"

/** The process and its machine, or a stand-in for tests. */
export interface Machine {
  readonly env: Record<string, string | undefined>
  readonly cwd: string
  readonly isRoot: boolean
  /** The command line that starts this program. */
  readonly self: readonly string[]
  readonly io: Io
}

export interface Host {
  readonly io: Io
  readonly ids: Ids
  readonly processes: Processes
  readonly clock: Clock
  readonly self: readonly string[]
  readonly env: Record<string, string | undefined>
  readonly userHome: string
  /** The folder of our own state and settings. */
  readonly home: string
  readonly version: string
  readonly isDebugging: boolean
  /** Throws on the first problem. With `share`, the session's store names the project. */
  configure(flags: GlobalFlags, share?: ShareStore): Promise<Configured>
  scopes(folder: string): Promise<Scopes>
  readonly configuration: Configuration
}

export interface GlobalFlags {
  readonly project?: string
  readonly team?: string
  readonly store?: string
}

export type ShareStore = (open: () => Promise<Store>) => Promise<Store>

export interface Configured {
  readonly settings: Settings
  readonly pollIntervalSeconds: number
  readonly project: string
  readonly team: string
  /** Only in a session. */
  readonly projects?: ProjectsHere
  /** Before a team is created: assigns a project with a detected name to this repository. */
  ownDetected(project: string): Promise<void>
  readonly terminalId: string
  readonly home: string
  readonly ownSettings: OwnSettings
  readonly agentDefaults: AgentDefaults
  worker(): Promise<WorkerSettings>
  readonly recordings: { readonly maxMegabytes: number; readonly maxAgeDays: number }
  /** The author of agents' commits; git decides where it is empty. */
  readonly author: { readonly name: string; readonly email: string }
  /** Throws outside of a repository. */
  workspaces(request: { readonly sourceDir: string; readonly team: RunName }): Promise<WorkspaceTools>
  agents(): Promise<readonly ReadyAgent[]>
  /** In characters. */
  promptLimits(): Promise<(agent: string) => number>
  hasStore(): Promise<boolean>
  /** Throws outside of a repository. */
  gates(folder: string): Promise<GateSetup>
  setupMegabytes(): Promise<number>
  setup(folder: string): Promise<SetupReport>
  merging(folder: string): Promise<Merging>
  engine(): Promise<EngineSettings>
  runtime(team: TeamName, name?: RuntimeName): Promise<Runtime>
  /** Panes of our tmux server with an unknown owner, `project/team/worker`; `fix` closes them. */
  strayPanes(isKnown: (owner: string) => boolean, fix: boolean): Promise<readonly string[]>
  /** May contain user and password. */
  readonly storeAddress: string
  /** Without user and password. */
  storePlace(): Promise<string>
  openStore(): Promise<Context["store"]>
}

export interface OwnSettings {
  readonly file: string
  readonly needTrust: readonly (readonly [key: string, value: unknown])[]
  readonly untrusted: readonly string[]
}

export interface AgentDefaults {
  readonly tier: "haiku" | "sonnet" | "opus"
  readonly agentType: string
  /** 0: no limit. */
  readonly timeoutSeconds: number
}

export interface InteractiveOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
}

export interface Io {
  readonly isTerminal: boolean
  readonly columns: number
  readonly color: boolean
  /** The size now; `columns` is the width at the start. */
  size(): { readonly columns: number; readonly rows: number }
  onResize(listener: () => void): () => void
  readonly cwd: string
  input(): Promise<string>
  out(text: string): void
  outParts(parts: Iterable<string>): void
  err(text: string): void
  errBytes(chunk: Uint8Array): void
  /** Fires on Ctrl+C or SIGTERM. A caller that reads it must end then. */
  readonly interrupted: AbortSignal
  /** Fires the second time. Without a reader, the program ends at once. */
  readonly interruptedAgain: AbortSignal
  readonly canAsk: boolean
  /** Null at the end of the input and when the signal fires. */
  ask(question: string, signal?: AbortSignal): Promise<string | null>
  /** Returns the exit code. Keys such as Ctrl+C reach only the program; the signal ends it. */
  interactive(command: readonly string[], options?: InteractiveOptions): Promise<number>
  /** HH:MM:SS, local time. */
  wallClock(): string
}

export type ConfigScope = "home" | "repository"

export interface Configuration {
  list(flags: GlobalFlags): Promise<{
    settings: readonly { key: string; value: unknown; origin: string; where: string }[]
    warnings: readonly string[]
  }>
  set(scope: ConfigScope, key: string, value: string): Promise<{ file: string; changed: boolean }>
  unset(scope: ConfigScope, key: string): Promise<{ file: string; changed: boolean }>
  path(): Promise<{ home: string; repository: string }>
  schema(): Promise<unknown>
}
