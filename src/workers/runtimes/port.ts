import type { Clock } from "../../lib/clock.ts"

/** The start time tells it from a later process with the same number. */
export interface WorkerProcess {
  readonly pid: number
  readonly processStart: string
}

export interface StartedWorker extends WorkerProcess {
  readonly pane: string | null
}

export interface WorkerLaunch {
  readonly worker: string
  /** Shown to people: `{role}-{worker}`. */
  readonly title: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Gets everything that the worker prints. */
  readonly logFile: string
}

export interface WorkerExit {
  readonly worker: string
  /** Both are null when it is unknown how the process ended. */
  readonly code: number | null
  readonly signal: string | null
}

export interface RuntimeSetup {
  readonly owner: Owner
  readonly clock: Clock
  /** For the programs that it calls itself; a worker brings its own environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export type Owner = readonly [home: string, project: string, team: string]

/**
 * Where the worker processes of one team run. Each has its own session: Ctrl+C reaches only the orchestrator, and a
 * worker outlives an orchestrator that was killed. Disposing the runtime leaves the workers running.
 */
export interface Runtime extends AsyncDisposable {
  readonly name: "child" | "tmux"
  /** Why it cannot be used here; null when it can. */
  unavailable(): Promise<string | null>
  /** First ends what an earlier process of this worker left. Throws `runtime.failed` when it cannot be started. */
  start(launch: WorkerLaunch): Promise<StartedWorker>
  /** Reports the exit of a worker that an earlier orchestrator started, also when it is gone already. */
  watch(worker: string, process: WorkerProcess): void
  /** Also for processes that an earlier orchestrator started. */
  isRunning(process: WorkerProcess): boolean
  /**
   * Asks the worker to end, and kills it after `graceMs` with everything it started. Resolves when nothing of it is left.
   * With a dead process, or null for an unknown one, it ends what that left. Safe to repeat.
   */
  stop(worker: string, process: WorkerProcess | null, options: { readonly graceMs: number }): Promise<void>
  /** Processes and panes that dead workers left, in words. */
  findLeft(workers: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** The listener hears of every exit, within a second. */
  onExit(listener: (exit: WorkerExit) => void): void
  /** The command that shows a worker on a terminal; null where there is only its log. */
  attachCommand(worker: string): Promise<readonly string[] | null>
}
