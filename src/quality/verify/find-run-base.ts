import { integrationRef } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import type { GateRepository } from "../gates/port.ts"

/**
 * The start of the run, or what was merged from the target since. `otherwise`: for teams without an integration
 * branch. Undefined counts as green.
 */
export async function findRunBase(
  repository: Pick<GateRepository, "find" | "findBase" | "contains">,
  name: RunName,
  { commit, otherwise }: { readonly commit: string; readonly otherwise?: string | undefined },
): Promise<string | undefined> {
  const start = (await repository.find(integrationRef(name, "start")))?.commit
  if (start === undefined) return otherwise
  const target = (await repository.find(integrationRef(name, "target")))?.commit
  // If the target contains the work, the merge base is the work itself.
  if (target === undefined || target === start || (await repository.contains(target, commit))) return start
  const shared = await repository.findBase(target, commit)
  return shared !== undefined && (await repository.contains(shared, start)) ? shared : start
}
