import type { Clock } from "../../lib/clock.ts"

/** What every runtime is made with. */
export interface RuntimeSetup {
  /** Whose workers they are. */
  readonly owner: Owner
  readonly clock: Clock
  /** For the programs that it asks and starts itself; a worker brings an environment of its own. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export type Owner = readonly [home: string, project: string, team: string]
