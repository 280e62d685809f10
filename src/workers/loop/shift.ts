import type { WorkerId } from "../../kernel/ids.ts"
import type { RunName } from "../../kernel/team.ts"
import type { HistoryFollower } from "../../reporting/effects/follow-history.ts"
import type { Ending } from "./ending.ts"
import type { WorkerOptions, WorkerPorts } from "./worker-ports.ts"

/** One worker at work, from its start to its end. */
export interface Shift {
  readonly ports: WorkerPorts
  readonly options: WorkerOptions
  readonly team: RunName
  readonly worker: WorkerId
  readonly history: HistoryFollower
  readonly ending: Ending
}
