import type { Team } from "../../kernel/team.ts"
import { type Screen, table } from "../../lib/text/table.ts"
import { shortTime } from "../../reporting/views/status-view.ts"

export function renderTeams(teams: readonly Team[], screen: Screen): string {
  if (teams.length === 0) return 'No projects yet. Create one with: teamwork project create --goal "..."'
  return table(
    [
      { title: "PROJECT", flexible: true },
      { title: "TEAM", flexible: true },
      { title: "PHASE" },
      { title: "STATUS" },
      { title: "CREATED" },
      { title: "GOAL", flexible: true },
    ],
    teams.map((team) => [team.project, team.team, team.phase, team.status, shortTime(team.createdAt), team.goal]),
    screen,
  )
}
