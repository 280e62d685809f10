import type { Team } from "../kernel/team.ts"
import type { Stats } from "../reporting/status.ts"
import type { Role, Task } from "../tasks/task.ts"

/** What a session must know of the team it takes part in. */
export interface SeatFacts {
  readonly team: Team
  readonly stats: Stats
  readonly role: Role | null
  readonly isLoop: boolean
  readonly held: readonly Task[]
}
