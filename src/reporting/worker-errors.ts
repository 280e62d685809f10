import { SCRIPT } from "../tasks/follow-up.ts"
import type { SetbackKind } from "../tasks/retry.ts"

/** Kinds that say something about the worker, or about what it runs. */
export const WORKER_ERRORS: readonly string[] = [
  "gate",
  "lost",
  "workspace",
  "crashed",
  "protocol",
  "timed-out",
  "refused",
  "permission",
  "hung",
  "looping",
]

/** Work that does not pass, and a script that fails, are the task's: another worker would get no further. */
export function isOfTheWorker(kind: SetbackKind, agent: string | null): boolean {
  return WORKER_ERRORS.includes(kind) && kind !== "gate" && agent !== SCRIPT
}
