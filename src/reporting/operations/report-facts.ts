import type { TeamName } from "../../kernel/team.ts"
import { readMadeRoles } from "../../planning/operations/role-specs.ts"
import { listAll } from "../../quality/operations/record-findings.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import type { ReportFacts } from "../report.ts"
import { lookAtTeam } from "./look-at-team.ts"

export async function readReportFacts({ store }: Pick<Context, "store">, name: TeamName): Promise<ReportFacts> {
  const view = await lookAtTeam({ store }, name)
  const rest = await store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const madeRoles = await readMadeRoles(tx, key)
    const findings = await listAll(tx, key)
    return { verdicts: await tx.verdicts.list(key), exceptions: await tx.exceptions.list(key), findings, madeRoles }
  })
  return { view, ...rest }
}
