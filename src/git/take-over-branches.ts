import { branchRef, teamRefs, workerBranch } from "../kernel/branches.ts"
import type { Git } from "./git.ts"

/**
 * Earlier versions named branches by the team alone: `teamwork/<team>/...`. Renames those whose pins are here,
 * unless another project has a team of that name here. The work of the others is pinned and merged again.
 * Idempotent. Returns notes for people.
 */
export async function takeOverBranches(git: Git, project: string, teams: readonly string[]): Promise<string[]> {
  const notes: string[] = []
  const pinned = await refsBelow(git, "refs/teamwork/")
  for (const team of teams) {
    const owners = new Set(pinned.filter((ref) => ref.split("/")[3] === team).map((ref) => ref.split("/")[2]))
    if (!pinned.some((ref) => ref.startsWith(`${teamRefs({ project, team, run: 1 })}/`))) continue
    const branches = (await refsBelow(git, `refs/heads/teamwork/${team}/`))
      .map((ref) => ref.slice("refs/heads/".length))
      .filter((branch) => branch.split("/").length === 3)
    if (branches.length === 0) continue
    if (owners.size > 1) {
      notes.push(
        `teamwork/${team}/ has branches of several projects (${[...owners].join(", ")}); they stay, and ${project}/${team} merges its work again from its pins`,
      )
      continue
    }
    notes.push(...(await renameAll(git, { project, team }, branches)))
  }
  return notes
}

async function renameAll(
  git: Git,
  name: { readonly project: string; readonly team: string },
  branches: readonly string[],
): Promise<string[]> {
  const notes: string[] = []
  let renamed = 0
  for (const branch of branches) {
    const to = workerBranch(name, branch.split("/")[2] ?? "")
    if ((await refsBelow(git, branchRef(to))).length > 0) continue
    const { exitCode, stderr } = await git.run(["branch", "-m", branch, to])
    if (exitCode === 0) renamed++
    else notes.push(`${branch} keeps its name: ${stderr.trim().split("\n")[0]}`)
  }
  const { project, team } = name
  if (renamed === 0) return notes
  return [`the branches teamwork/${team}/... are now teamwork/${project}/${team}/...`, ...notes]
}

async function refsBelow(git: Git, prefix: string): Promise<string[]> {
  const lines = await git.read(["for-each-ref", "--format=%(refname)", prefix])
  return lines === "" ? [] : lines.split("\n")
}
