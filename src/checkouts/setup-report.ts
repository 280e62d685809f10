import type { SetupStep } from "./plan-setup.ts"

/** What would be done in a repository, for people: preflight, trust and `doctor` show it. */
export interface SetupReport {
  /** `command`: `workspace.setup` says what to run. `off`: nothing is done. */
  readonly mode: "automatic" | "command" | "off"
  readonly command: string | null
  readonly units: readonly UnitReport[]
  /** Every program that may be started. */
  readonly steps: readonly SetupStep[]
  /** Files that git ignores, that a project usually needs, and that `workspace.copy` does not name. */
  readonly neededIgnored: readonly string[]
}

export interface UnitReport {
  /** `npm (package-lock.json)` */
  readonly name: string
  readonly folder: string
  readonly tool: string
  readonly isToolInstalled: boolean
  /** Where the dependencies would come from; `missing` where nothing can be done. */
  readonly source: "cache" | "checkout" | "tool" | "missing"
  readonly command: string
  /** Whether it lies in the checkout; cargo and go keep it elsewhere. */
  readonly isInCheckout: boolean
}
