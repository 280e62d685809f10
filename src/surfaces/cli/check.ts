import type { InputOf } from "../../lib/fields.ts"
import { teamFields } from "../../operations/operation.ts"
import { teamStatus } from "../../operations/team-status.ts"
import { renderGraph } from "../../views/graph.ts"
import { renderTeam } from "../../views/status.ts"
import type { Command } from "./command.ts"

export const check: Command = {
  summary: "Show how far everything is, as a graph; nothing is done about it",
  fields: teamFields,
  async run({ context }, raw) {
    const name = raw as InputOf<typeof teamFields>
    const { tasks = [], ...report } = await teamStatus.run(await context(), { ...name, verbose: true })
    return {
      data: { ...report, tasks },
      text: (screen) => `${renderTeam(report, screen)}\n\n${renderGraph(tasks, screen)}`,
    }
  },
}
