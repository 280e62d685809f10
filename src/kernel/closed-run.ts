import { AppError } from "./errors.ts"
import { describeTeam, type RunName } from "./team.ts"

/** The refusal to change an earlier run. */
export function closedRun({ project, team, run }: RunName): AppError {
  return new AppError(
    "run.closed",
    `run ${run} of ${describeTeam({ project, team })} is closed and can only be read; changes go to the current run`,
    { project, team, run },
    { remedy: { operation: "runs", to: "see" } },
  )
}
