import type { WorkPlace } from "../../kernel/repository.ts"
import type { RoleDefinition } from "../../planning/roles/roles.ts"
import type { Context } from "../../store/operation.ts"
import type { GateKind, KindSettings } from "../gates/gate-command.ts"
import type { GateRepository } from "../gates/port.ts"
import type { Runner } from "../gates/run-command.ts"
import type { ScanSettings } from "../gates/scan-changes.ts"

export interface Verifier {
  readonly context: Context
  readonly repository: GateRepository
  readonly runner: Runner
  readonly settings: GateSettings
  readonly roles: readonly RoleDefinition[]
  readonly place: WorkPlace
}

export interface GateSettings extends ScanSettings {
  readonly kinds: Readonly<Record<GateKind, KindSettings>>
}

/** From the machine and its configuration. */
export interface GateSetup {
  readonly repository: GateRepository
  readonly settings: GateSettings
  readonly runner: Pick<
    Runner,
    "processes" | "clock" | "sleep" | "home" | "env" | "mask" | "timeoutMs" | "maxBytes" | "preparation" | "surround"
  >
}

export const GATE = "gate"
