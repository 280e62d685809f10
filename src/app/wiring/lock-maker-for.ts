import { makeLockMaker } from "../../delivery/merge-queue/make-lock-maker.ts"
import type { LockMaker } from "../../delivery/merge-queue/settle-locks.ts"
import type { Session } from "../command.ts"

export async function lockMakerFor({ host, configured }: Session, signal?: AbortSignal): Promise<LockMaker> {
  const { processes, env } = host
  return makeLockMaker({ processes, env, home: (await configured()).home, signal })
}
