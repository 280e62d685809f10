import type { ReportFacts } from "../domain/report.ts"
import type { TeamName } from "../domain/team.ts"
import { getTeam } from "./lookup.ts"
import type { Context } from "./operation.ts"
import { readMadeRoles } from "./role-specs.ts"
import { lookAtTeam } from "./team-view.ts"

/** All that a report is made of, at any moment of a team's life. */
export async function readReportFacts({ store }: Pick<Context, "store">, name: TeamName): Promise<ReportFacts> {
  const view = await lookAtTeam({ store }, name)
  const rest = await store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const madeRoles = await readMadeRoles(tx, key)
    return { verdicts: await tx.verdicts.list(key), exceptions: await tx.exceptions.list(key), madeRoles }
  })
  return { view, ...rest }
}
