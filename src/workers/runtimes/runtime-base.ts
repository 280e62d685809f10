// Shared by both runtimes: check a launch, keep a log, see exits, and end a worker with all its processes.
import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { identityOf, isRunning } from "../../lib/process/process-identity.ts"
import { descendantsOf, processesByMark, processesMarked } from "../../lib/process/process-tree.ts"
import { openRecording } from "../../lib/process/recording.ts"
import { workerMark } from "../../lib/process/worker-mark.ts"
import { sleep } from "../../lib/sleep.ts"
import type { RuntimeSetup, WorkerExit, WorkerLaunch, WorkerProcess } from "./port.ts"

type Env = RuntimeSetup["env"]

export function makeRuntimeBase({ owner, clock, env }: RuntimeSetup) {
  const listeners: ((exit: WorkerExit) => void)[] = []
  /** In the environment of the worker and all its processes. */
  const markOf = (worker: string) => workerMark(...owner, worker)
  return {
    markOf,
    onExit: (listener: (exit: WorkerExit) => void) => void listeners.push(listener),
    reportExit(exit: WorkerExit) {
      for (const listener of listeners) listener(exit)
    },
    isRunning: isProcessRunning,
    end: (worker: string, process: WorkerProcess | null, graceMs: number) =>
      endWorker({ worker, process, mark: `${markOf(worker)}=1`, graceMs, env }),
    /** In words. */
    findLeftProcesses(workers: readonly string[]): Map<string, string[]> {
      const marks = new Map(workers.map((worker) => [`${markOf(worker)}=1`, worker]))
      const found = [...processesByMark([...marks.keys()], env)]
      return new Map(found.map(([mark, pids]) => [marks.get(mark) ?? "", pids.map((pid) => `process ${pid}`)]))
    },
    /** A worker's log holds all of its processes, each below a line with its start. */
    beginLog({ worker, logFile }: WorkerLaunch): void {
      mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 })
      using log = openRecording(logFile, { maxBytes: MAX_LOG_BYTES, mark: (bytes) => `[${bytes} bytes left out]` })
      log.write(`--- ${worker} starts, ${new Date(clock.now()).toISOString()}`)
    },
  }
}

/** The log is cut at a start: workers write to it themselves, so that they can outlive us. */
const MAX_LOG_BYTES = 4_000_000

function isProcessRunning({ pid, processStart }: WorkerProcess): boolean {
  return isRunning({ pid, start: processStart })
}

/** A pane would not show why it ended. */
export function checkLaunch({ worker, command: [program = ""], cwd, env }: WorkerLaunch): void {
  const isFolder = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true
  const isFound = isFolder && Bun.which(program, { cwd, PATH: env.PATH ?? "" }) !== null
  if (isFound) return
  const why = isFolder ? `${program} was not found` : `${cwd} is not a folder`
  throw new AppError("runtime.failed", `${worker} cannot be started: ${why}`, { worker })
}

const LOOK_MS = 1000

export interface ExitWatch extends Disposable {
  add(worker: string, process: WorkerProcess): void
  look(): void
}

/** For processes that are not our children. */
export function watchExits(onGone: (worker: string, process: WorkerProcess) => void): ExitWatch {
  const watched = new Map<string, WorkerProcess>()
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    for (const [worker, process] of watched) {
      if (isProcessRunning(process)) continue
      watched.delete(worker)
      onGone(worker, process)
    }
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    add(worker, process) {
      watched.set(worker, process)
      timer ??= setInterval(look, LOOK_MS)
    },
    look,
    [Symbol.dispose]() {
      clearInterval(timer)
      watched.clear()
    },
  }
}

interface Ending {
  readonly worker: string
  /** Null when unknown, or never started. */
  readonly process: WorkerProcess | null
  /** `NAME=value` in the environment of all its processes. */
  readonly mark: string
  readonly graceMs: number
  readonly env: Env
}

const POLL_MS = 10
const MAX_WAITING_FOR_DEATH_MS = 10_000

/** Kills all its processes at the end of its time. Resolves when nothing is left. */
async function endWorker({ worker, process: leader, mark, graceMs, env }: Ending): Promise<void> {
  const lives = () => leader !== null && isProcessRunning(leader)
  const tree = (pid: number) => descendantsOf(pid, env).map(identityOf)
  // A process that cleared its environment has no mark, but is a descendant while its parent lives.
  let known = leader !== null && lives() ? tree(leader.pid) : []
  if (leader !== null && lives() && graceMs > 0) {
    signal(leader.pid, "SIGTERM")
    const deadline = performance.now() + graceMs
    while (lives() && performance.now() < deadline) await sleep(POLL_MS)
  }
  if (leader !== null && lives()) {
    known = [...known, ...tree(leader.pid)]
    // The group's number is ours only while its leader lives.
    signal(-leader.pid, "SIGKILL")
    signal(leader.pid, "SIGKILL")
  }
  const deadline = performance.now() + MAX_WAITING_FOR_DEATH_MS
  for (;;) {
    const pids = [...processesMarked(mark, env), ...known.filter(isRunning).map(({ pid }) => pid)]
    const left = [...new Set(pids)].filter((pid) => pid !== process.pid)
    if (left.length === 0 && !lives()) return
    if (performance.now() > deadline)
      throw new AppError("runtime.failed", `${worker} cannot be ended: process ${left.join(", ")} does not go away`)
    for (const pid of left) signal(pid, "SIGKILL")
    await sleep(POLL_MS)
  }
}

function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name)
  } catch {
    // It is gone already.
  }
}
