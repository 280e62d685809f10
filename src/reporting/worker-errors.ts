import type { SetbackKind } from "../tasks/retry.ts"

/** What speaks against a worker: its process died or fell silent, or its workspace is broken. */
const WORKER_FAULTS: readonly SetbackKind[] = ["lost", "workspace"]

/** Faults of an agent program are the program's, and work that does not pass is the task's. */
export function isOfTheWorker(kind: SetbackKind): boolean {
  return WORKER_FAULTS.includes(kind)
}
