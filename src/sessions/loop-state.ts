import type { Role } from "../tasks/task.ts"

/** A terminal's worker loop goes on only while this exists and is active. */
export interface LoopState {
  readonly active: boolean
  readonly project: string
  readonly team: string
  readonly role: Role | null
  readonly startedAt: string
  readonly terminalId: string
}
