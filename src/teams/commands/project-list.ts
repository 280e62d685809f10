import { existsSync } from "node:fs"
import { command } from "../../app/command.ts"
import { listProjects } from "../operations/list-projects.ts"
import { renderTeams } from "../views/teams-view.ts"

export const projectList = command({
  summary: "List the projects of this store, their teams and where they live",
  fields: {},
  async run({ context }) {
    const teams = (await listProjects(await context())).map((team) => ({
      ...team,
      repositories: team.repositories.map(({ folder, gitDir, repository, isLinked }) => ({
        folder,
        id: repository,
        isLinked,
        exists: existsSync(gitDir),
      })),
    }))
    return { data: teams, text: (screen) => renderTeams(teams, screen) }
  },
})
