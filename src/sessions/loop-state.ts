import type { Role } from "../tasks/task.ts"

/** That a terminal runs a worker loop; a loop goes on only while this exists and says so. */
export interface LoopState {
  readonly active: boolean
  readonly project: string
  readonly team: string
  readonly role: Role | null
  readonly startedAt: string
  readonly terminalId: string
}
