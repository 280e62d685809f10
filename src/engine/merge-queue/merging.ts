import type { Targets } from "../../workspace/port.ts"
import type { DeliveryPorts } from "../delivery/deliver.ts"
import type { Gate, Scope } from "./candidate.ts"
import type { QueuePorts } from "./merge-batch.ts"

/** All that merging and delivering in one repository need. */
export interface Merging {
  readonly merges: QueuePorts["merges"]
  readonly targets: Targets
  readonly gate: Gate
  readonly scope: Scope
  readonly finalGate?: DeliveryPorts["finalGate"]
}
