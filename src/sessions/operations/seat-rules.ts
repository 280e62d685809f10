import type { TeamStatus } from "../../kernel/team.ts"
import type { Ownership } from "../../ownership/judge-path.ts"
import { readOwnership } from "../../ownership/operations/ownership-facts.ts"
import type { Context } from "../../store/operation.ts"
import { listHeld } from "../../tasks/operations/held-tasks.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import type { Seat } from "../seat.ts"

/** One rule for each task that the worker holds, and one for the lead. */
export async function seatRules(
  context: Pick<Context, "store" | "settings" | "roles">,
  { project, team, worker }: Pick<Seat, "project" | "team" | "worker">,
): Promise<Ownership[]> {
  const { store, settings } = context
  const roles = worker === null ? [] : await context.roles()
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, { project, team })
    if (worker === null) return [await readOwnership(tx, key, { task: null, settings, roles })]
    const rules: Ownership[] = []
    for (const task of await listHeld(tx, key, worker))
      rules.push(await readOwnership(tx, key, { task, settings, roles }))
    return rules
  })
}

export function isTeamOver(
  { store }: Pick<Context, "store">,
  { project, team }: Pick<Seat, "project" | "team">,
): Promise<boolean> {
  return store.read(async (tx) => {
    const { phase, status } = await getTeam(tx, { project, team })
    return phase === "COMPLETE" || OVER.includes(status)
  })
}

const OVER: readonly TeamStatus[] = ["completed", "failed", "cancelled"]
