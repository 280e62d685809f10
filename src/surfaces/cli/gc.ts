import { removeOld } from "../../engine/remove-old.ts"
import { flag } from "../../lib/fields.ts"
import type { Command } from "./command.ts"

export const gc: Command = {
  summary: "Remove jobs and recordings of agents, and results of gates, that are older than recordings.maxAgeDays",
  fields: { dryRun: flag("only say what would be removed") },
  async run({ configured, host }, input) {
    const { home, recordings } = await configured()
    const dryRun = input.dryRun === true
    const { maxAgeDays } = recordings
    const { jobs: removed, gateResults } = await removeOld({ home, maxAgeDays, dryRun }, host)
    const bytes = removed.reduce((sum, job) => sum + job.bytes, 0)
    const verb = dryRun ? "Would remove" : "Removed"
    return {
      data: { dryRun, bytes, removed, gateResults },
      text: () =>
        [
          ...removed.map((job) => `${verb} job ${job.jobId} of ${job.agent}, finished ${job.finishedAt}`),
          `${verb} ${removed.length} ${removed.length === 1 ? "job" : "jobs"}, ${(bytes / 1e6).toFixed(1)} MB`,
          ...(gateResults.count === 0
            ? []
            : [
                `${verb} ${gateResults.count} ${gateResults.count === 1 ? "result of a gate" : "results of gates"}, ${(gateResults.bytes / 1e6).toFixed(1)} MB`,
              ]),
        ].join("\n"),
    }
  },
}
