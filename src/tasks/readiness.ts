// Whether a task can be claimed; the only definition in TypeScript. The claim statements in store/ decide the same in
// SQL, where nothing can change between read and write; test/contract/readiness.test.ts compares the two.

import type { Team } from "../kernel/team.ts"
import { isMet, rolesMatch, type Task, type TaskStatus } from "./task.ts"

/** If several hold, the first of this list counts. */
export const OBSTACLES = ["complete", "inactive", "held", "not-open", "role", "assignee", "needs", "wave"] as const
export type Obstacle = (typeof OBSTACLES)[number]

export type ClaimableTeam = Pick<Team, "status" | "phase" | "schedule"> & {
  /** The first unverified wave, as `currentWave` finds it. */
  readonly currentWave: number
}

type ClaimableTask = Pick<Task, "status" | "unmet" | "wave" | "role" | "assignee" | "claimedBy" | "leaseUntil">

export interface Claimant {
  readonly owner: string
  readonly workerId: string
  readonly role: string | null
  /** Refuse tasks of other roles, instead of a warning. */
  readonly strictRole: boolean
}

/** Without a claimant: for any worker. `now` is the store's clock. */
export function findObstacle(
  task: ClaimableTask,
  team: ClaimableTeam,
  { now, claimant }: { readonly now: number; readonly claimant?: Claimant },
): Obstacle | undefined {
  if (team.phase === "COMPLETE") return "complete"
  if (team.status !== "active") return "inactive"
  const isOther = claimant?.strictRole === true && !rolesMatch(task.role, claimant.role)
  // A second claim of the same owner renews the lease.
  if (task.status === "in_progress" && task.claimedBy === claimant?.owner) return isOther ? "role" : undefined
  if (task.status === "in_review" || (task.status === "in_progress" && !isExpired(task, now))) return "held"
  if (task.status !== "open" && task.status !== "in_progress") return "not-open"
  if (isOther) return "role"
  if (claimant !== undefined && task.assignee !== null && task.assignee !== claimant.workerId) return "assignee"
  return findWait(task, team)
}

/** Also while the team is paused. */
export function findWait(
  { unmet, wave }: Pick<Task, "unmet" | "wave">,
  { schedule, currentWave }: Pick<ClaimableTeam, "schedule" | "currentWave">,
): "needs" | "wave" | undefined {
  if (unmet > 0) return "needs"
  return schedule === "waves" && wave !== null && currentWave > 0 && wave > currentWave ? "wave" : undefined
}

/** An unknown need counts as unmet. */
export function listUnmet<Id extends string>(
  { blockedBy }: { readonly blockedBy: readonly Id[] },
  statusOf: (id: Id) => TaskStatus | undefined,
): Id[] {
  return blockedBy.filter((need) => !isMet(statusOf(need) ?? "open"))
}

export function takesClaims({ status, phase }: Pick<Team, "status" | "phase">): boolean {
  return status === "active" && phase !== "COMPLETE"
}

/** A claim without a lease never expires. */
function isExpired({ leaseUntil }: Pick<Task, "leaseUntil">, now: number): boolean {
  return leaseUntil !== null && Date.parse(leaseUntil) < now
}
