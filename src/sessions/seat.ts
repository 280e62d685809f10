import type { WorkerId } from "../kernel/ids.ts"
import { LEAD } from "../messages/message.ts"

/** As what a session takes part in a team. */
export const PARTS = ["worker", "lead"] as const
export type Part = (typeof PARTS)[number]

/** Whether a lead may also do things itself, or has to leave all of it to workers. */
export const DELEGATIONS = ["lead", "strict"] as const
export type Delegation = (typeof DELEGATIONS)[number]

/** A session of an agent, or a terminal, that has joined a team: what its hooks hold it to. */
export interface Seat {
  /** The id of the session, or of the terminal. */
  readonly terminalId: string
  readonly project: string
  readonly team: string
  readonly part: Part
  /** Who it acts as; null for the lead. */
  readonly worker: WorkerId | null
  readonly delegation: Delegation
  readonly joinedAt: string
  readonly memory: SeatMemory
}

/** What hooks must know from one call to the next, each being a process of its own. */
export interface SeatMemory {
  /** How often in a row the session was kept from ending. */
  readonly stops: number
  /** The number of the newest event when it was last kept from ending. */
  readonly stoppedAt: number | null
  /** Uses of tools that were dealt with, the newest last. */
  readonly seen: readonly string[]
}

export const NO_MEMORY: SeatMemory = { stops: 0, stoppedAt: null, seen: [] }

/** A use that comes again comes soon; so many are remembered. */
const MOST_SEEN = 64

/** The memory with one more use of a tool; undefined when that one was dealt with already. */
export function noteSeen(memory: SeatMemory, id: string): SeatMemory | undefined {
  if (memory.seen.includes(id)) return undefined
  return { ...memory, seen: [...memory.seen, id].slice(-MOST_SEEN) }
}

/** In whose name a seat sends and gets messages. */
export function nameOf(seat: Pick<Seat, "worker">): string {
  return seat.worker ?? LEAD
}
