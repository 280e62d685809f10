import type { Action, EngineLimits, EngineSnapshot } from "./actions.ts"
import { hasUnmerged } from "./merged.ts"
import { heldBy } from "./settle-findings.ts"

/**
 * The next step towards delivering what is finished, where the rest cannot go on and the policy says so: merge it, have
 * the final gate judge it without the rest, and deliver it. Undefined when there is nothing to deliver, or it may not be.
 */
export function deliverPart(snapshot: EngineSnapshot, limits: EngineLimits): Action | undefined {
  const { team, tasks, part, review, delivery, finalApproval } = snapshot
  if (limits.partialDelivery !== "always" || !limits.deliver) return undefined
  if (hasUnmerged(snapshot, tasks)) return { type: "merge", wave: null }
  if (!hasUndelivered(snapshot) || delivery !== "none") return undefined
  if (part === null || part === "skipped") return { type: "verify-part" }
  if (part === "failed") return undefined
  const isReviewed = limits.enableReview || limits.reviewRequired
  if (isReviewed && review === null) return { type: "review" }
  // Fixes would be tasks of their own, and the rest cannot go on: what is found waits for a person.
  if (heldBy(snapshot).length > 0 || (limits.reviewRequired && review === "skipped")) return undefined
  if (team.mode === "SUPERVISED" && finalApproval !== "approved") {
    return finalApproval === null ? { type: "ask-final" } : undefined
  }
  return { type: "deliver-part" }
}

/** A person is asked whether the part may be delivered, and has not answered. */
export function waitsForPart(snapshot: EngineSnapshot, limits: EngineLimits): boolean {
  const { team, part, finalApproval } = snapshot
  const isWanted = limits.partialDelivery === "always" && limits.deliver && hasUndelivered(snapshot)
  return isWanted && team.mode === "SUPERVISED" && part === "passed" && finalApproval === "pending"
}

/** Something was merged since the last delivery. */
function hasUndelivered({ tasks, history }: Pick<EngineSnapshot, "tasks" | "history">): boolean {
  const { mergedAt, deliveredAt } = history
  if (mergedAt === null || !tasks.some(({ status }) => status === "resolved")) return false
  return deliveredAt === null || deliveredAt < mergedAt
}
