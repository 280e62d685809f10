import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Seat } from "../seat.ts"

/** Hooks ask it at every use of a tool; what joins and leaves is loaded elsewhere. */
export function readSeat({ store }: Pick<Context, "store">, terminalId: string): Promise<Seat | undefined> {
  return store.read((tx) => tx.seats.find(terminalId))
}

/**
 * Whether the team that was joined is still there, and not only a later one of its name. Where it is, a session that joined
 * it and has no seat any more was replaced by another one.
 */
export async function isTeamThere(
  { store }: Pick<Context, "store">,
  { project, team, joinedAt }: TeamName & { readonly joinedAt?: string },
): Promise<boolean> {
  const found = await store.read((tx) => tx.teams.find({ project, team }))
  return found !== undefined && (joinedAt === undefined || found.createdAt <= joinedAt)
}
