import { command } from "../../app/command.ts"
import { teamFields } from "../../store/operation.ts"
import { listTeams } from "../operations/list-teams.ts"

export const setup = command({
  summary: "Show the project, team and store that commands would use, and make the store",
  fields: teamFields,
  async run({ configured, context }) {
    const teams = await listTeams.run(await context(), {})
    const { project, team, home, storePlace } = await configured()
    const store = await storePlace()
    const exists = teams.some((each) => each.project === project && each.team === team)
    const hint = exists ? "" : '\nIt does not exist yet. Create it with: teamwork project create --goal "..."'
    return {
      data: { project, team, home, store, exists },
      text: () => `Project ${project}/${team}\nStore   ${store}${hint}`,
    }
  },
})
