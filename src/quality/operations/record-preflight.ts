import { ENGINE } from "../../kernel/actor.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { type Baseline, writeStandings } from "../baseline.ts"

export async function recordPreflight(
  { store }: Context,
  { project, team }: TeamName,
  { commit, tree, gates }: Baseline,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team })
    const data = { commit, tree, gates: writeStandings(gates) }
    await tx.events.append(key, ENGINE, { type: "preflight.done", data })
  })
}
