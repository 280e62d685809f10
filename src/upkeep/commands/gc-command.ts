import { command } from "../../app/command.ts"
import { flag } from "../../lib/schema.ts"
import { removeOld } from "../remove-old.ts"

export const gc = command({
  summary:
    "Remove jobs and recordings of agents, logs of workers, results of gates and installed dependencies that nothing used for recordings.maxAgeDays",
  fields: { dryRun: flag("only say what would be removed") },
  async run({ configured, host }, input) {
    const { home, recordings, setupMegabytes } = await configured()
    const dryRun = input.dryRun === true
    const { maxAgeDays } = recordings
    const removal = { home, maxAgeDays, dryRun, setupMegabytes: await setupMegabytes() }
    const { jobs: removed, runs, logs, gateResults, setups } = await removeOld(removal, host)
    const bytes = removed.reduce((sum, job) => sum + job.bytes, 0)
    const verb = dryRun ? "Would remove" : "Removed"
    return {
      data: { dryRun, bytes, removed, runs, logs, gateResults, setups },
      text: () =>
        [
          ...removed.map((job) => `${verb} job ${job.jobId} of ${job.agent}, finished ${job.finishedAt}`),
          `${verb} ${removed.length} ${removed.length === 1 ? "job" : "jobs"}, ${(bytes / 1e6).toFixed(1)} MB`,
          ...summary(verb, runs, ["recording of a run", "recordings of runs"]),
          ...summary(verb, logs, ["log of a worker", "logs of workers"]),
          ...summary(verb, gateResults, ["result of a gate", "results of gates"]),
          ...summary(verb, setups, ["set-up of checkouts", "set-ups of checkouts"]),
        ].join("\n"),
    }
  },
})

function summary(
  verb: string,
  { count, bytes }: { readonly count: number; readonly bytes: number },
  [one, many]: readonly [string, string],
): string[] {
  return count === 0 ? [] : [`${verb} ${count} ${count === 1 ? one : many}, ${(bytes / 1e6).toFixed(1)} MB`]
}
