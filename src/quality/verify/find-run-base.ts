import { integrationRef } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import type { GateRepository } from "../gates/port.ts"

/**
 * The commit that work is compared with: where the run started, or what was taken in of the target since. `otherwise`
 * where a team has no integration branch. Undefined where nobody knows: then everything counts as green before.
 */
export async function findRunBase(
  repository: Pick<GateRepository, "find" | "findBase" | "contains">,
  name: RunName,
  { commit, otherwise }: { readonly commit: string; readonly otherwise?: string | undefined },
): Promise<string | undefined> {
  const start = (await repository.find(integrationRef(name, "start")))?.commit
  if (start === undefined) return otherwise
  const target = (await repository.find(integrationRef(name, "target")))?.commit
  // Once the target has the work, the two share all of it: nothing would be new any more. Where it has not moved, they
  // share nothing that is later than the start.
  if (target === undefined || target === start || (await repository.contains(target, commit))) return start
  const shared = await repository.findBase(target, commit)
  return shared !== undefined && (await repository.contains(shared, start)) ? shared : start
}
