import type { WorkerId } from "../../domain/ids.ts"
import type { TeamName } from "../../domain/team.ts"
import type { HistoryFollower } from "../follow-history.ts"
import type { Ending } from "./ending.ts"
import type { WorkerOptions, WorkerPorts } from "./ports.ts"

/** One worker at work, from its start to its end. */
export interface Shift {
  readonly ports: WorkerPorts
  readonly options: WorkerOptions
  readonly team: TeamName
  readonly worker: WorkerId
  readonly history: HistoryFollower
  readonly ending: Ending
}
