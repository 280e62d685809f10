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

/** What a program gets of the machine that it runs on: its process, or in tests something that stands for one. */
export interface Machine {
  readonly env: Record<string, string | undefined>
  readonly cwd: string
  readonly isRoot: boolean
  /** The command line that starts this program anew. */
  readonly self: readonly string[]
  readonly io: Io
}

/** What commands and doors work with; `makeHost` makes one of a machine. */
export interface Host {
  readonly io: Io
  readonly ids: Ids
  readonly processes: Processes
  readonly clock: Clock
  /** The command line that starts this program anew. */
  readonly self: readonly string[]
  /** The environment that commands we run get. */
  readonly env: Record<string, string | undefined>
  /** Where the user's own files of other programs are. */
  readonly userHome: string
  /** Where ours are. */
  readonly home: string
  readonly version: string
  /** Show where an unexpected error came from. */
  readonly isDebugging: boolean
  /**
   * Reads files, variables and these flags; throws on the first thing wrong in them. With `share`, which gives the one
   * store of a session, the project is the one that the store knows for the repository.
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
  /** Before a team is created: a project whose name was detected belongs to the repository here from now on. */
  ownDetected(project: string): Promise<void>
  readonly terminalId: string
  readonly home: string
  /** What the repository's own file sets that a person has to agree to, and what of it does not hold without. */
  readonly ownSettings: OwnSettings
  readonly agentDefaults: AgentDefaults
  /** What the configuration says of a worker. */
  worker(): Promise<WorkerSettings>
  readonly recordings: { readonly maxMegabytes: number; readonly maxAgeDays: number }
  /** In whose name agents commit; empty where that is left to git. */
  readonly author: { readonly name: string; readonly email: string }
  /** Worktrees and pins of a team, for the repository around a folder; throws where there is none. */
  workspaces(request: { readonly sourceDir: string; readonly team: RunName }): Promise<WorkspaceTools>
  /** Loads the agents, which no other command needs. */
  agents(): Promise<readonly ReadyAgent[]>
  /** Tells the longest prompt for an agent, in characters. */
  promptLimits(): Promise<(agent: string) => number>
  /** Whether there is a store already; opening makes one. */
  hasStore(): Promise<boolean>
  /** Loads what gates work with in the repository of a folder; throws where there is none. */
  gates(folder: string): Promise<GateSetup>
  /** How much of the installed dependencies of checkouts is kept. */
  setupMegabytes(): Promise<number>
  /** What setting up a checkout of the repository around a folder would do. */
  setup(folder: string): Promise<SetupReport>
  /** Loads what merging in the repository of a folder takes. */
  merging(folder: string): Promise<Merging>
  engine(): Promise<EngineSettings>
  /** Loads where the workers of a team live; without a name, what the configuration says. */
  runtime(team: TeamName, name?: RuntimeName): Promise<Runtime>
  /** Panes of the home's tmux server whose owner, `project/team/worker`, is not known; ended only with `fix`. */
  strayPanes(isKnown: (owner: string) => boolean, fix: boolean): Promise<readonly string[]>
  /** With user and password, where it has them. */
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
  /** Of the terminal as it is now; `columns` is what it was at the start. */
  size(): { readonly columns: number; readonly rows: number }
  /** Calls back whenever the terminal changes its size; gives back how to end that. */
  onResize(listener: () => void): () => void
  readonly cwd: string
  /** All of standard input. */
  input(): Promise<string>
  out(text: string): void
  /** Prints the pieces one after the other, as they come and as they are. */
  outParts(parts: Iterable<string>): void
  err(text: string): void
  errBytes(chunk: Uint8Array): void
  /** Fires on Ctrl+C or a polite request to end; whoever reads it promises to end then. */
  readonly interrupted: AbortSignal
  /** Fires when that is said again; without somebody who reads it, the program ends there. */
  readonly interruptedAgain: AbortSignal
  /** Whether somebody sits at the terminal who can be asked. */
  readonly canAsk: boolean
  /** What was typed; empty for nothing, null at the end of the input and when the signal fires. */
  ask(question: string, signal?: AbortSignal): Promise<string | null>
  /**
   * Runs a program that talks to the person at the terminal; its exit code. Keys such as Ctrl+C are the program's alone
   * while it runs. The signal ends it.
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
