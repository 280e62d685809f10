/** A process of a worker, told from every later one with the same number. */
export interface WorkerProcess {
  readonly pid: number
  readonly processStart: string
}

export interface StartedWorker extends WorkerProcess {
  /** The pane it shows itself in; null where there is none. */
  readonly pane: string | null
}

export interface WorkerLaunch {
  readonly worker: string
  /** What a person sees above it: `{role}-{worker}`. */
  readonly title: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Where everything it prints goes. */
  readonly logFile: string
}

export interface WorkerExit {
  readonly worker: string
  /** Both null when nobody saw how it ended. */
  readonly code: number | null
  readonly signal: string | null
}

/**
 * Where the worker processes of one team live. Each has a session of its own: Ctrl+C reaches only the orchestrator, and
 * a worker outlives an orchestrator that was killed. Disposing it leaves them running and listens no longer.
 */
export interface Runtime extends AsyncDisposable {
  readonly name: "child" | "tmux"
  /** Why it cannot be used here, in words; null when it can. */
  unavailable(): Promise<string | null>
  /** First ends whatever an earlier process of this worker left. Throws `runtime.failed` when it cannot be started. */
  start(launch: WorkerLaunch): Promise<StartedWorker>
  /** Hears of the end of a worker that an earlier orchestrator started; of one that is gone already it hears soon. */
  adopt(worker: string, process: WorkerProcess): void
  /** Also of those that an earlier orchestrator started. */
  isRunning(process: WorkerProcess): boolean
  /**
   * Asks it to end, and after `graceMs` ends it with everything it started. Resolves when nothing of it is left; with a
   * process that is gone, or null for one that nobody knows, it ends what that left. Safe to repeat.
   */
  stop(worker: string, process: WorkerProcess | null, options: { readonly graceMs: number }): Promise<void>
  /** What there is of workers that do not run: processes that they started, panes. By worker, in words for people. */
  remains(workers: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** Hears of every worker that ends, at once where the system tells, else within a second. */
  onExit(listener: (exit: WorkerExit) => void): void
  /** The command that shows a worker on a terminal; null where there is nothing to see but its log. */
  attachCommand(worker: string): Promise<readonly string[] | null>
}
