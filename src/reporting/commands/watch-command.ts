import { command } from "../../app/command.ts"
import { watchTeam } from "../../app/live-screen.ts"
import { flag } from "../../lib/schema.ts"
import { runFields } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { endOf } from "../team-view.ts"

const input = { ...runFields, steps: flag("where lines are printed: every step of a task too") }

export const watch = command({
  summary: "Show a team at work, until it is done or Ctrl+C",
  fields: input,
  example: "teamwork watch --json",
  async run(session, { steps, ...asked }) {
    // Watch this run to its end, also when the next one begins.
    const name = await resolveRun(await session.context(), asked)
    const look = await watchTeam(session, name, {
      signal: session.host.io.interrupted,
      untilOver: true,
      steps: steps === true,
      hint: "Ctrl+C ends the watching and leaves the team alone",
    })
    const end = endOf(look)
    const { stats, team } = look
    const done = stats.resolved + stats.skipped
    const how = end === null ? "goes on" : end === "done" ? "is done" : `ended: ${end}`
    return {
      data: { ...name, end, phase: team.phase, status: team.status, done, total: stats.total },
      text: () => `${team.project}/${team.team} ${how}, ${done}/${stats.total} tasks done; see: teamwork report`,
      isDocument: true,
      exitCode: end === null || end === "done" ? 0 : 1,
    }
  },
})
