import { command } from "../../app/command.ts"
import { renderGraph } from "../../planning/views/graph-view.ts"
import { teamStatus } from "../../reporting/operations/team-status.ts"
import { renderTeam } from "../../reporting/views/status-view.ts"
import { teamFields } from "../../store/operation.ts"

export const check = command({
  summary: "Show how far everything is, as a graph; nothing is done about it",
  fields: teamFields,
  async run({ context }, name) {
    const { tasks = [], ...report } = await teamStatus.run(await context(), { ...name, verbose: true })
    return {
      data: { ...report, tasks },
      text: (screen) => `${renderTeam(report, screen)}\n\n${renderGraph(tasks, screen)}`,
    }
  },
})
