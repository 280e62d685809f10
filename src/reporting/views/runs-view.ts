import { oneLine, type Screen, table } from "../../lib/text/table.ts"
import type { RunSummary } from "../report.ts"
import { exactDuration, shortCost } from "./amounts.ts"
import { shortTime } from "./status-view.ts"

/** The newest run last; `>` marks the current one. */
export function renderRuns(runs: readonly RunSummary[], screen: Screen): string {
  return table(
    [
      { title: "RUN", align: "right" },
      { title: "OUTCOME" },
      { title: "STARTED" },
      { title: "TOOK", align: "right" },
      { title: "DONE", align: "right" },
      { title: "COST", align: "right" },
      { title: "DELIVERED" },
      { title: "GOAL", flexible: true },
    ],
    runs.map((run) => [
      run.isCurrent ? `>${run.run}` : String(run.run),
      run.outcome,
      run.startedAt === null ? "-" : shortTime(run.startedAt),
      run.durationMs === null ? "-" : exactDuration(run.durationMs),
      `${run.done}/${run.total}`,
      shortCost(run.cost),
      run.delivered?.slice(0, 10) ?? "-",
      oneLine(run.goal),
    ]),
    screen,
  )
}
