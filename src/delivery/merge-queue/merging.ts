import type { Targets } from "../../git/port.ts"
import type { QueuePorts } from "./merge-batch.ts"

export interface Merging {
  readonly merges: QueuePorts["merges"]
  readonly targets: Targets
}
