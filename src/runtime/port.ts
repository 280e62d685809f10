/** A process of a worker, told from every later one with the same number. */
export interface WorkerProcess {
  readonly pid: number
  readonly processStart: string
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
  readonly code: number | null
  readonly signal: string | null
}

/**
 * Where worker processes live. Each has a session of its own: Ctrl+C reaches only the orchestrator, and a worker
 * outlives an orchestrator that was killed.
 */
export interface Runtime extends AsyncDisposable {
  readonly name: "child" | "tmux"
  /** Why it cannot be used here, in words; null when it can. */
  unavailable(): Promise<string | null>
  start(launch: WorkerLaunch): Promise<WorkerProcess>
  /** Also of those that an earlier orchestrator started. */
  isRunning(process: WorkerProcess): boolean
  /** Asks it to end, and after `graceMs` ends it with everything it started. Resolves when nothing of it is left. */
  stop(worker: string, process: WorkerProcess, options: { readonly graceMs: number }): Promise<void>
  /** Hears of every worker that ends, at once where the system tells, else within a second. */
  onExit(listener: (exit: WorkerExit) => void): void
}
