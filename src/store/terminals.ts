import type { LoopState } from "../sessions/loop-state.ts"
import type { Seat, SeatMemory } from "../sessions/seat.ts"

export interface LoopStore {
  find(terminalId: string): Promise<LoopState | undefined>
  put(state: Omit<LoopState, "startedAt">): Promise<LoopState>
  remove(terminalId: string): Promise<boolean>
}

export interface SeatStore {
  find(terminalId: string): Promise<Seat | undefined>
  list(key: number): Promise<Seat[]>
  /** Adds or replaces the seat of the terminal, with an empty memory. */
  put(key: number, seat: Pick<Seat, "terminalId" | "part" | "worker" | "delegation">): Promise<Seat>
  remember(terminalId: string, memory: SeatMemory): Promise<void>
  remove(terminalId: string): Promise<boolean>
}
