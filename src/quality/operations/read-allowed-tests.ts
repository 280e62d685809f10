import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { type AskedTests, type AskingGate, allowedTests } from "../failing-test.ts"

/** Failing tests that the gate tolerates, because tasks had to add them. */
export async function readAllowedTests({ store }: Context, name: TeamName, gate: AskingGate): Promise<AskedTests> {
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    return allowedTests(await tx.verdicts.list(key), await tx.tasks.list(key), gate)
  })
}
