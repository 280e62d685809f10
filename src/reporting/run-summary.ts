import type { RunName } from "../kernel/team.ts"
import type { Cost } from "./cost.ts"
import type { Report } from "./report.ts"

/** One run of a team in a line. */
export interface RunSummary
  extends RunName,
    Pick<Report, "goal" | "outcome" | "startedAt" | "endedAt" | "durationMs" | "done" | "total"> {
  /** Changes go to this one; the others can only be read. */
  readonly isCurrent: boolean
  readonly cost: Cost
  /** The commit that the target got; null where nothing was delivered, or it was taken back. */
  readonly delivered: string | null
}
