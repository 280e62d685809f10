import type { Seat } from "../domain/seat.ts"
import type { SeatFacts } from "../domain/seat-facts.ts"
import { countTasks } from "../domain/status.ts"
import type { TeamName } from "../domain/team.ts"
import { listHeld } from "./held-tasks.ts"
import { getTeam, publicTeam } from "./lookup.ts"
import type { Context } from "./operation.ts"

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
  return team?.status === "active" && team.phase !== "COMPLETE"
}
