import { isRunning } from "../../lib/process/process-identity.ts"
import type { WorkerExit, WorkerProcess } from "./port.ts"

const LOOK_MS = 1000

export interface ExitWatch extends Disposable {
  add(worker: string, process: WorkerProcess): void
  /** Looks at once instead of at the next turn. */
  look(): void
}

/** Looks every second whether processes are gone that the system does not tell us of; without any it costs nothing. */
export function watchExits(onGone: (worker: string, process: WorkerProcess) => void): ExitWatch {
  const watched = new Map<string, WorkerProcess>()
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    for (const [worker, process] of watched) {
      if (isRunning({ pid: process.pid, start: process.processStart })) continue
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

/** Hands an exit to everybody who listens. */
export function makeListeners() {
  const listeners: ((exit: WorkerExit) => void)[] = []
  return {
    add: (listener: (exit: WorkerExit) => void) => void listeners.push(listener),
    tell(exit: WorkerExit) {
      for (const listener of listeners) listener(exit)
    },
  }
}
