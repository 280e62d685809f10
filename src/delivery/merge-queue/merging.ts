import type { Targets } from "../../git/port.ts"
import type { QueuePorts } from "./merge-batch.ts"

/** What merging and delivering do in one repository. */
export interface Merging {
  readonly merges: QueuePorts["merges"]
  readonly targets: Targets
}
