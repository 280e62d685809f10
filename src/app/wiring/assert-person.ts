import { AppError } from "../../kernel/errors.ts"
import { isWorkerMark } from "../../lib/process/worker-mark.ts"
import type { Session } from "../command.ts"

/** Refuses a call that comes from an agent of a worker: its processes bear the mark of the worker that started them. */
export function assertPerson({ host }: Session, what: string): void {
  if (!Object.keys(host.env).some(isWorkerMark)) return
  throw new AppError("call.not_allowed", `an agent of a worker cannot ${what}; that is for a person`)
}
