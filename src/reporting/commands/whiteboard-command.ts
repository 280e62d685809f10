import { command } from "../../app/command.ts"
import { listFindings } from "../../quality/operations/manage-findings.ts"
import { runFields } from "../../store/operation.ts"
import { listEvents } from "../../teams/operations/list-events.ts"
import { swarmStatus } from "../../workers/operations/swarm-status.ts"
import { teamStatus } from "../operations/team-status.ts"
import { renderWhiteboard } from "../views/whiteboard-view.ts"

const input = runFields

export const whiteboard = command({
  summary: "Show the team at a glance, in Markdown",
  fields: input,
  async run({ context }, name) {
    const team = await teamStatus.run(await context(), { ...name, verbose: true })
    const swarm = await swarmStatus.run(await context(), name)
    const page = await listEvents.run(await context(), { ...name, limit: 100 })
    // Messages would push everything else out.
    const events = page.events.filter((event) => !event.type.startsWith("message.")).slice(-10)
    const findings = await listFindings.run(await context(), { ...name, open: true })
    const markdown = renderWhiteboard({ team, swarm, events, findings })
    return { data: { markdown }, text: () => markdown, isDocument: true }
  },
})
