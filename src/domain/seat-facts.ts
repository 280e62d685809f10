import type { Stats } from "./status.ts"
import type { Role, Task } from "./task.ts"
import type { Team } from "./team.ts"

/** What a session must know of the team it takes part in. */
export interface SeatFacts {
  readonly team: Team
  readonly stats: Stats
  readonly role: Role | null
  readonly isLoop: boolean
  readonly held: readonly Task[]
}
