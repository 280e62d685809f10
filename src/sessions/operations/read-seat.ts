import type { TeamName } from "../../kernel/team.ts"
import { countTasks } from "../../reporting/status.ts"
import type { Context } from "../../store/operation.ts"
import { listHeld } from "../../tasks/operations/held-tasks.ts"
import { getTeam, publicTeam } from "../../tasks/operations/lookup.ts"
import { takesClaims } from "../../tasks/readiness.ts"
import type { Seat, SeatFacts } from "../seat.ts"

export function readSeat({ store }: Pick<Context, "store">, terminalId: string): Promise<Seat | undefined> {
  return store.read((tx) => tx.seats.find(terminalId))
}

/** The same team, not a later one with its name. If true, a session without a seat was replaced. */
export async function isTeamThere(
  { store }: Pick<Context, "store">,
  { project, team, joinedAt }: TeamName & { readonly joinedAt?: string },
): Promise<boolean> {
  const found = await store.read((tx) => tx.teams.find({ project, team }))
  return found !== undefined && (joinedAt === undefined || found.createdAt <= joinedAt)
}

/** Leaves messages unread. */
export function readSeatFacts({ store }: Pick<Context, "store">, seat: Seat): Promise<SeatFacts> {
  return store.read(async (tx) => {
    const team = await getTeam(tx, seat)
    const worker = seat.worker === null ? undefined : await tx.workers.find(team.key, seat.worker)
    return {
      team: publicTeam(team),
      stats: countTasks(await tx.tasks.progress(team.key)),
      role: worker?.role ?? null,
      isLoop: (await tx.loops.find(seat.terminalId))?.active === true,
      held: worker === undefined ? [] : await listHeld(tx, team.key, worker.id),
    }
  })
}

export async function isTeamActive({ store }: Pick<Context, "store">, name: TeamName): Promise<boolean> {
  const team = await store.read((tx) => tx.teams.find(name))
  return team !== undefined && takesClaims(team)
}
