import type { SetupStep } from "./plan-setup.ts"

/** For preflight, trust and `doctor`. */
export interface SetupReport {
  /** `command`: `workspace.setup` is a command. `off`: no set-up. */
  readonly mode: "automatic" | "command" | "off"
  readonly command: string | null
  readonly units: readonly UnitReport[]
  /** Every program that may start. */
  readonly steps: readonly SetupStep[]
  /** Usually needed, and not copied by `workspace.copy`. */
  readonly neededIgnored: readonly string[]
}

export interface UnitReport {
  /** `npm (package-lock.json)` */
  readonly name: string
  readonly folder: string
  readonly tool: string
  readonly isToolInstalled: boolean
  /** Where the dependencies would come from. */
  readonly source: "cache" | "checkout" | "tool" | "missing"
  readonly command: string
  /** False for cargo and go, which install elsewhere. */
  readonly isInCheckout: boolean
}
