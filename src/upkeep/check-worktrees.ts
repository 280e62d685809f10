import type { Team } from "../kernel/team.ts"
import { describeTeam } from "../kernel/team.ts"
import type { Context } from "../store/operation.ts"
import type { Finding } from "../teams/operations/examine-team.ts"
import { swarmStatus } from "../workers/operations/swarm-status.ts"
import { forgetWorkspace } from "../workers/operations/worker-workspace.ts"
import type { WorkspaceTools } from "../workers/swarm/worktrees.ts"

/** Finds worktrees and locks of killed processes, and records of missing worktrees. */
export async function checkWorktrees(
  context: Context,
  { workspaces }: WorkspaceTools,
  team: Team,
  fix: boolean,
): Promise<Finding[]> {
  const check = `${describeTeam(team)}: worktrees`
  const left = await workspaces.examine(fix)
  const findings = left.map(({ detail, isFixed }): Finding => ({ check, status: "warning", detail, fixed: isFixed }))
  const there = new Set((await workspaces.list()).map((each) => each.path))
  const name = { project: team.project, team: team.team }
  for (const { id, worktree } of (await swarmStatus.run(context, name)).workers) {
    const isOurs = worktree !== null && worktree === workspaces.pathOf(id)
    if (!isOurs || there.has(worktree)) continue
    if (fix) await forgetWorkspace(context, { ...name, workerId: id, path: worktree, pins: [] })
    findings.push({ check, status: "warning", detail: `${id} is recorded at ${worktree}, which is gone`, fixed: fix })
  }
  if (findings.length > 0) return findings
  return there.size === 0
    ? []
    : [{ check, status: "ok", detail: `${there.size} in use, nothing left over`, fixed: false }]
}
