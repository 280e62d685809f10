import type { WorkerId } from "../kernel/ids.ts"
import type { Team } from "../kernel/team.ts"
import { LEAD } from "../messages/message.ts"
import type { Stats } from "../reporting/status.ts"
import type { Role, Task } from "../tasks/task.ts"

/** The part that a session takes in a team. */
export const PARTS = ["worker", "lead"] as const
export type Part = (typeof PARTS)[number]

/** Whether a lead may also work itself, or must leave all work to workers. */
export const DELEGATIONS = ["lead", "strict"] as const
export type Delegation = (typeof DELEGATIONS)[number]

/** A session or terminal that joined a team. Its hooks enforce the rules of the team. */
export interface Seat {
  /** The id of the session, or of the terminal. */
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

/** What hooks remember from one call to the next: each is a process of its own. */
export interface SeatMemory {
  /** How often in a row the session was kept from ending. */
  readonly stops: number
  /** The number of the newest event when it was last kept from ending. */
  readonly stoppedAt: number | null
  /** Tool uses that were handled, the newest last. */
  readonly seen: readonly string[]
}

export const NO_MEMORY: SeatMemory = { stops: 0, stoppedAt: null, seen: [] }

/** A repeated use comes soon after the first, so a few are enough. */
const MOST_SEEN = 64

/** The memory with one more tool use; undefined when that use was handled already. */
export function noteSeen(memory: SeatMemory, id: string): SeatMemory | undefined {
  if (memory.seen.includes(id)) return undefined
  return { ...memory, seen: [...memory.seen, id].slice(-MOST_SEEN) }
}

/** The name under which a seat sends and gets messages. */
export function nameOf(seat: Pick<Seat, "worker">): string {
  return seat.worker ?? LEAD
}

/** What a session is told about its team. */
export interface SeatFacts {
  readonly team: Team
  readonly stats: Stats
  readonly role: Role | null
  readonly isLoop: boolean
  readonly held: readonly Task[]
}
