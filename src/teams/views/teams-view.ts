import type { Team } from "../../kernel/team.ts"
import { type Screen, table } from "../../lib/text/table.ts"
import { shortTime } from "../../reporting/views/status-view.ts"

interface Place {
  readonly folder: string
  readonly isLinked: boolean
  /** On this machine. */
  readonly exists: boolean
}

interface PlacedTeam extends Team {
  readonly repositories: readonly Place[]
}

export function renderTeams(teams: readonly PlacedTeam[], screen: Screen): string {
  if (teams.length === 0) return 'No projects yet. Create one with: teamwork project create --goal "..."'
  const list = table(
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
  const places = new Map(teams.map(({ project, repositories }) => [project, repositories]))
  const rows = [...places].flatMap(([project, all]) => all.map((place) => [project, place.folder, remark(place)]))
  if (rows.length === 0) return list
  const columns = [{ title: "PROJECT", flexible: true }, { title: "FOLDER", flexible: true }, { title: "" }]
  return `${list}\n\n${table(columns, rows, screen)}`
}

function remark({ exists, isLinked }: Place): string {
  return [isLinked ? "linked" : "", exists ? "" : "not there"].filter(Boolean).join(", ")
}
