import type { Seat } from "../domain/seat.ts"
import type { Context } from "./operation.ts"

/** Hooks ask it at every use of a tool; what joins and leaves is loaded elsewhere. */
export function readSeat({ store }: Pick<Context, "store">, terminalId: string): Promise<Seat | undefined> {
  return store.read((tx) => tx.seats.find(terminalId))
}
