import { branchRef, teamRefs, workerBranch } from "../kernel/branches.ts"
import type { Git } from "./git.ts"

/**
 * Earlier versions named branches by the team alone, `teamwork/<team>/...`. Renames those of a project's teams, also
 * where they are checked out; safe to repeat. A branch is the project's where its pins are here and no other project has
 * a team of that name here: otherwise nobody can tell whose it is, and it stays. All attempts are pinned in any case, so
 * what was merged there is merged again. What a person should know, in words.
 */
export async function takeOverBranches(git: Git, project: string, teams: readonly string[]): Promise<string[]> {
  const told: string[] = []
  const pinned = await refsBelow(git, "refs/teamwork/")
  for (const team of teams) {
    const owners = new Set(pinned.filter((ref) => ref.split("/")[3] === team).map((ref) => ref.split("/")[2]))
    if (!pinned.some((ref) => ref.startsWith(`${teamRefs({ project, team, run: 1 })}/`))) continue
    const branches = (await refsBelow(git, `refs/heads/teamwork/${team}/`))
      .map((ref) => ref.slice("refs/heads/".length))
      .filter((branch) => branch.split("/").length === 3)
    if (branches.length === 0) continue
    if (owners.size > 1) {
      told.push(
        `teamwork/${team}/ has branches of several projects (${[...owners].join(", ")}); they stay as they are, and ${project}/${team} merges its work anew from its pins`,
      )
      continue
    }
    told.push(...(await renameAll(git, { project, team }, branches)))
  }
  return told
}

async function renameAll(
  git: Git,
  name: { readonly project: string; readonly team: string },
  branches: readonly string[],
): Promise<string[]> {
  const told: string[] = []
  let renamed = 0
  for (const branch of branches) {
    const to = workerBranch(name, branch.split("/")[2] ?? "")
    if ((await refsBelow(git, branchRef(to))).length > 0) continue
    const { exitCode, stderr } = await git.run(["branch", "-m", branch, to])
    if (exitCode === 0) renamed++
    else told.push(`${branch} keeps its name: ${stderr.trim().split("\n")[0]}`)
  }
  const { project, team } = name
  return renamed === 0 ? told : [`the branches teamwork/${team}/... are teamwork/${project}/${team}/... now`, ...told]
}

async function refsBelow(git: Git, prefix: string): Promise<string[]> {
  const lines = await git.read(["for-each-ref", "--format=%(refname)", prefix])
  return lines === "" ? [] : lines.split("\n")
}
