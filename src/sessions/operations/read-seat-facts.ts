import type { TeamName } from "../../kernel/team.ts"
import { countTasks } from "../../reporting/status.ts"
import type { Context } from "../../store/operation.ts"
import { listHeld } from "../../tasks/operations/held-tasks.ts"
import { getTeam, publicTeam } from "../../tasks/operations/lookup.ts"
import { takesClaims } from "../../tasks/readiness.ts"
import type { Seat } from "../seat.ts"
import type { SeatFacts } from "../seat-facts.ts"

/** Changes nothing: messages stay unread. */
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

/** Whether there is a team of this name that somebody could join. */
export async function isTeamActive({ store }: Pick<Context, "store">, name: TeamName): Promise<boolean> {
  const team = await store.read((tx) => tx.teams.find(name))
  return team !== undefined && takesClaims(team)
}
