import { ofType } from "../../kernel/events.ts"
import type { TeamName } from "../../kernel/team.ts"
import { operation, teamFields } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { makeReport, type RunSummary } from "../report.ts"
import { readReportFacts } from "./report-facts.ts"

export const listRuns = operation({
  name: "runs",
  summary: "List the runs of the team: goal, outcome, time, tasks, cost and what was delivered",
  input: teamFields,
  async run({ store }, { project, team }): Promise<RunSummary[]> {
    const name: TeamName = { project, team }
    const runs = await store.read(async (tx) => {
      await getTeam(tx, name)
      return tx.teams.runs(name)
    })
    const summaries: RunSummary[] = []
    for (const { key, run, isCurrent } of runs) {
      const report = makeReport(await readReportFacts({ store }, { ...name, run }))
      const moves = await store.read(async (tx) => {
        const read = async (type: "target.delivered" | "target.undone") =>
          (await tx.events.list(key, { type, limit: 1_000_000 })).events
        return { delivered: await read("target.delivered"), undone: await read("target.undone") }
      })
      const [delivered, undone] = [
        ofType(moves.delivered, "target.delivered").at(-1),
        ofType(moves.undone, "target.undone").at(-1),
      ]
      const isDelivered = delivered !== undefined && (undone === undefined || undone.seq < delivered.seq)
      const { goal, outcome, startedAt, endedAt, durationMs, done, total } = report
      summaries.push({
        project,
        team,
        run,
        isCurrent,
        goal,
        outcome,
        startedAt,
        endedAt,
        durationMs,
        done,
        total,
        cost: report.cost.total,
        delivered: isDelivered ? delivered.data.to : null,
      })
    }
    return summaries
  },
})
