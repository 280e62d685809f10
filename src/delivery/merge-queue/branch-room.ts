import type { Merges } from "../../git/port.ts"
import { branchRef } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"

/** Git keeps no branch `a` beside a branch `a/b`. Throws `branch.exists` where a branch is in the way. */
export async function assertRoomForBranches(merges: Pick<Merges, "refs">, { project, team }: TeamName): Promise<void> {
  const taken = await merges.refs(branchRef("teamwork"))
  for (const branch of ["teamwork", `teamwork/${project}`, `teamwork/${project}/${team}`]) {
    if (!taken.has(branchRef(branch))) continue
    const message = `the branch ${branch} leaves no room for the team's branches, which are called ${branch}/...; rename it first: git branch -m ${branch} OTHER-NAME`
    throw new AppError("branch.exists", message, { branch })
  }
}
