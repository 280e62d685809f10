import type { WorkerId } from "../kernel/ids.ts"
import type { Team } from "../kernel/team.ts"
import { LEAD } from "../messages/message.ts"
import type { Stats } from "../reporting/status.ts"
import type { Role, Task } from "../tasks/task.ts"

export const PARTS = ["worker", "lead"] as const
export type Part = (typeof PARTS)[number]

/** Whether the lead may work too (`lead`) or must leave all work to workers (`strict`). */
export const DELEGATIONS = ["lead", "strict"] as const
export type Delegation = (typeof DELEGATIONS)[number]

/** A session or terminal in a team. Its hooks enforce the team's rules. */
export interface Seat {
  readonly terminalId: string
  readonly project: string
  readonly team: string
  readonly part: Part
  /** Null for the lead. */
  readonly worker: WorkerId | null
  readonly delegation: Delegation
  readonly joinedAt: string
  readonly memory: SeatMemory
}

/** State between hook calls, each of which is a process of its own. */
export interface SeatMemory {
  /** How often in a row a hook kept the session from ending. */
  readonly stops: number
  /** The newest event at that time. */
  readonly stoppedAt: number | null
  /** Handled tool uses, newest last. */
  readonly seen: readonly string[]
}

export const NO_MEMORY: SeatMemory = { stops: 0, stoppedAt: null, seen: [] }

/** A repeated use follows soon after the first. */
const MOST_SEEN = 64

/** Undefined if the use was handled already. */
export function noteSeen(memory: SeatMemory, id: string): SeatMemory | undefined {
  if (memory.seen.includes(id)) return undefined
  return { ...memory, seen: [...memory.seen, id].slice(-MOST_SEEN) }
}

export function nameOf(seat: Pick<Seat, "worker">): string {
  return seat.worker ?? LEAD
}

export interface SeatFacts {
  readonly team: Team
  readonly stats: Stats
  readonly role: Role | null
  readonly isLoop: boolean
  readonly held: readonly Task[]
}
