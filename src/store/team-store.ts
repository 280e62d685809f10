import type { Team, TeamName } from "../kernel/team.ts"

/** A run of a team as stored. Everything else of the run is found by `key`. */
export interface StoredTeam extends Team {
  readonly key: number
  readonly pauseReason: string | null
  /** The run that changes go to. Earlier runs can only be read. */
  readonly isCurrent: boolean
}

export interface TeamStore {
  /** The current run, or the one named. Inside a write an earlier run is refused with `run.closed`. */
  find(name: TeamName): Promise<StoredTeam | undefined>
  /** Like `find`, and no other transaction changes the team's structure until this one ends. */
  lock(name: TeamName): Promise<StoredTeam | undefined>
  /** The current run of every team. */
  list(): Promise<StoredTeam[]>
  /** Every run of a team, oldest first. */
  runs(name: TeamName): Promise<StoredTeam[]>
  /** The first run of a team. `undefined` when the name is taken. */
  create(team: Omit<Team, "run" | "createdAt" | "updatedAt">): Promise<StoredTeam | undefined>
  /**
   * Closes the run and starts the next one, empty and planning. Worker numbers and leader tokens continue, and seats move
   * to the new run; the caller carries over the rest. The run must be locked.
   */
  startRun(
    before: StoredTeam,
    team: Pick<Team, "goal" | "mode" | "schedule" | "protocol" | "hasQa">,
  ): Promise<StoredTeam>
  update(
    key: number,
    change: Partial<
      Pick<StoredTeam, "goal" | "phase" | "status" | "pauseReason" | "mode" | "schedule" | "protocol" | "hasQa">
    >,
  ): Promise<void>
  /** Takes the next free number for a task id. */
  takeTaskNumber(key: number): Promise<number>
  /** Moves the counter past ids that people chose. */
  raiseTaskNumber(key: number, atLeast: number): Promise<void>
  /** Deletes the run and everything that belongs to it. */
  remove(key: number): Promise<void>
}
