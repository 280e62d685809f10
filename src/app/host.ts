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

/** The machine that a program runs on: its process, or a stand-in for tests. */
export interface Machine {
  readonly env: Record<string, string | undefined>
  readonly cwd: string
  readonly isRoot: boolean
  /** The command line that starts this program. */
  readonly self: readonly string[]
  readonly io: Io
}

/** What commands and doors work with, made by `makeHost`. */
export interface Host {
  readonly io: Io
  readonly ids: Ids
  readonly processes: Processes
  readonly clock: Clock
  /** The command line that starts this program. */
  readonly self: readonly string[]
  /** The environment of the commands that we run. */
  readonly env: Record<string, string | undefined>
  /** Where other programs keep the user's files. */
  readonly userHome: string
  /** Where ours are. */
  readonly home: string
  readonly version: string
  /** Show where an unexpected error came from. */
  readonly isDebugging: boolean
  /**
   * Reads files, variables and these flags; throws on the first problem. With `share`, which returns the one store of a
   * session, the project is the one that the store knows for the repository.
   */
  configure(flags: GlobalFlags, share?: ShareStore): Promise<Configured>
  /** Loads git, for the repository of a folder. */
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
  /** Of a session: which repositories the projects of its store live in. */
  readonly projects?: ProjectsHere
  /** Before a team is created: assigns a project whose name was detected to this repository. */
  ownDetected(project: string): Promise<void>
  readonly terminalId: string
  readonly home: string
  /** Settings of the repository's file that a person has to agree to. */
  readonly ownSettings: OwnSettings
  readonly agentDefaults: AgentDefaults
  worker(): Promise<WorkerSettings>
  readonly recordings: { readonly maxMegabytes: number; readonly maxAgeDays: number }
  /** The author of agents' commits; empty where git decides. */
  readonly author: { readonly name: string; readonly email: string }
  /** Worktrees and pins of a team in the repository of a folder; throws where there is none. */
  workspaces(request: { readonly sourceDir: string; readonly team: RunName }): Promise<WorkspaceTools>
  agents(): Promise<readonly ReadyAgent[]>
  /** The longest prompt for an agent, in characters. */
  promptLimits(): Promise<(agent: string) => number>
  /** Whether there is a store; opening creates one. */
  hasStore(): Promise<boolean>
  /** What gates need in the repository of a folder; throws where there is none. */
  gates(folder: string): Promise<GateSetup>
  setupMegabytes(): Promise<number>
  /** What the set-up of a checkout of this repository would do. */
  setup(folder: string): Promise<SetupReport>
  merging(folder: string): Promise<Merging>
  engine(): Promise<EngineSettings>
  /** Where the workers of a team run; without a name, as configured. */
  runtime(team: TeamName, name?: RuntimeName): Promise<Runtime>
  /** Panes of the home's tmux server whose owner, `project/team/worker`, is unknown; ended only with `fix`. */
  strayPanes(isKnown: (owner: string) => boolean, fix: boolean): Promise<readonly string[]>
  /** With user and password, if it has them. */
  readonly storeAddress: string
  /** The store's address without user and password. */
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
  /** The size of the terminal now; `columns` is its width at the start. */
  size(): { readonly columns: number; readonly rows: number }
  /** Calls the listener when the terminal changes its size; returns how to stop that. */
  onResize(listener: () => void): () => void
  readonly cwd: string
  /** All of standard input. */
  input(): Promise<string>
  out(text: string): void
  /** Prints the pieces one after the other, without line breaks. */
  outParts(parts: Iterable<string>): void
  err(text: string): void
  errBytes(chunk: Uint8Array): void
  /** Fires on Ctrl+C or SIGTERM. A caller that reads it must end then. */
  readonly interrupted: AbortSignal
  /** Fires the second time. If no caller reads it, the program ends at once. */
  readonly interruptedAgain: AbortSignal
  /** Whether a person at the terminal can be asked. */
  readonly canAsk: boolean
  /** What was typed; null at the end of the input and when the signal fires. */
  ask(question: string, signal?: AbortSignal): Promise<string | null>
  /**
   * Runs a program at the terminal and returns its exit code. Meanwhile keys such as Ctrl+C reach only that program. The
   * signal ends it.
   */
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
