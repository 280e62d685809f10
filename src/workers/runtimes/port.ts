import type { Clock } from "../../lib/clock.ts"

/** The start time distinguishes it from a later process with the same number. */
export interface WorkerProcess {
  readonly pid: number
  readonly processStart: string
}

export interface StartedWorker extends WorkerProcess {
  readonly pane: string | null
}

export interface WorkerLaunch {
  readonly worker: string
  /** For people: `{role}-{worker}`. */
  readonly title: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly logFile: string
}

export interface WorkerExit {
  readonly worker: string
  /** Both are null when unknown. */
  readonly code: number | null
  readonly signal: string | null
}

export interface RuntimeSetup {
  readonly owner: Owner
  readonly clock: Clock
  /** For programs of the runtime; a worker has its own environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export type Owner = readonly [home: string, project: string, team: string]

/**
 * Where the worker processes of one team run. Each has its own session: Ctrl+C reaches only the orchestrator, and a
 * worker outlives an orchestrator that was killed. Disposing the runtime leaves the workers running.
 */
export interface Runtime extends AsyncDisposable {
  readonly name: "child" | "tmux"
  /** Null when it can be used here. */
  unavailable(): Promise<string | null>
  /** First ends what an earlier process of this worker left. Throws `runtime.failed`. */
  start(launch: WorkerLaunch): Promise<StartedWorker>
  /** Reports the exit of a worker of an earlier orchestrator, even if it is already gone. */
  watch(worker: string, process: WorkerProcess): void
  /** Also for processes of an earlier orchestrator. */
  isRunning(process: WorkerProcess): boolean
  /**
   * Asks the worker to end, and after `graceMs` kills it with everything it started. Resolves when nothing of it is
   * left. With a dead process, or null for an unknown one, it ends the leftovers. Safe to repeat.
   */
  stop(worker: string, process: WorkerProcess | null, options: { readonly graceMs: number }): Promise<void>
  /** In words. */
  findLeft(workers: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** Reports every exit within a second. */
  onExit(listener: (exit: WorkerExit) => void): void
  /** Shows a worker on a terminal; null where there is only its log. */
  attachCommand(worker: string): Promise<readonly string[] | null>
}
