import type { SetupStep } from "./plan-setup.ts"

/** What a set-up would do, as preflight, trust and `doctor` show it. */
export interface SetupReport {
  /** `command`: `workspace.setup` is a command. `off`: nothing is done. */
  readonly mode: "automatic" | "command" | "off"
  readonly command: string | null
  readonly units: readonly UnitReport[]
  /** Every program that may be started. */
  readonly steps: readonly SetupStep[]
  /** Ignored files that projects usually need and that `workspace.copy` does not copy. */
  readonly neededIgnored: readonly string[]
}

export interface UnitReport {
  /** `npm (package-lock.json)` */
  readonly name: string
  readonly folder: string
  readonly tool: string
  readonly isToolInstalled: boolean
  /** Where the dependencies would come from; `missing`: from nowhere. */
  readonly source: "cache" | "checkout" | "tool" | "missing"
  readonly command: string
  /** False for cargo and go, which install elsewhere. */
  readonly isInCheckout: boolean
}
