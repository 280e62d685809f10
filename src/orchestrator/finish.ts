// The last steps of a run, for everything or a part: fixes for findings, the final gate, the review and delivery.
import { type Finding, nameFinding } from "../quality/finding.ts"
import { ABOUT_REVIEW, FINDING_OPTIONS, type Option, type Trigger } from "../requests/escalation.ts"
import type { Action, EngineLimits, EngineSnapshot } from "./actions.ts"
import { hasUnmerged } from "./merged.ts"

export function finish(snapshot: EngineSnapshot, limits: EngineLimits): Action | undefined {
  const { team, history, final, delivery, finalApproval } = snapshot
  // Before the final gate, which would otherwise judge everything twice.
  const fix = fixFindings(snapshot, limits)
  if (fix !== undefined) return fix === "wait" ? undefined : fix
  if (final === null || final === "skipped") return { type: "verify-final" }
  if (final === "failed") return sendBack(snapshot, limits, { scope: "final", wave: null })
  const review = reviewWork(snapshot, limits)
  if (review === "wait") return undefined
  // A review costs money like any other run.
  if (review?.type === "review" && team.status === "paused" && history.isOverBudget) return endPaused(snapshot)
  if (review !== undefined) return review
  if (team.mode === "SUPERVISED" && delivery !== "done" && delivery !== "refused" && finalApproval !== "approved") {
    if (finalApproval === null) return { type: "ask-final" }
    if (finalApproval === "pending") return undefined
    return {
      type: "end",
      outcome: "paused",
      reason: "the final delivery was rejected; see: teamwork approvals --status rejected",
    }
  }
  if (limits.deliver && (delivery === "none" || delivery === "part")) return { type: "deliver" }
  return { type: "end", outcome: "done", reason: `${DONE[delivery]}${sayReviewState(snapshot, limits)}` }
}

export function endPaused({ history }: EngineSnapshot): Action {
  return { type: "end", outcome: "paused", reason: history.pauseReason ?? "the team is paused" }
}

export const ALL_DONE = "all tasks are done and verified"

const DONE: Readonly<Record<EngineSnapshot["delivery"], string>> = {
  done: ALL_DONE,
  part: ALL_DONE,
  none: `${ALL_DONE} on the integration branch, not delivered; do that with: teamwork deliver`,
  refused: `${ALL_DONE}, but changes of your own are in the way of delivering them; then: teamwork deliver`,
}

/** Makes a fix task, until the gate has failed too often. */
export function sendBack(
  { refusals }: EngineSnapshot,
  { maxRefusals }: EngineLimits,
  { scope, wave }: { readonly scope: "wave" | "final"; readonly wave: number | null },
): Action {
  const name = wave === null ? scope : `${scope} ${wave}`
  const times = refusals.get(name) ?? 0
  if (times <= maxRefusals) return { type: "fix-gate", scope, wave }
  return {
    type: "end",
    outcome: "failed",
    reason: `the gate of ${name} failed ${times} times; see: teamwork verdict list`,
  }
}

/**
 * Findings of reviewing tasks count only when the team changed something: an audit reports its findings and fixes
 * nothing.
 */
function listBlocking({ findings, history }: EngineSnapshot): readonly Finding[] {
  return findings.filter(({ source }) => source !== "task" || history.mergedAt !== null)
}

/** After several failed fixes of a finding, asks a person. */
function fixFindings(snapshot: EngineSnapshot, { maxRefusals }: EngineLimits): Action | "wait" | undefined {
  const unfixed = listBlocking(snapshot).filter(({ fixTask }) => fixTask === null)
  if (unfixed.length === 0) return undefined
  // After a person's "fix it again", one more try.
  const fixable = unfixed.filter(({ rounds, isRetry }) => rounds < (isRetry ? 1 : maxRefusals))
  if (fixable.length > 0) return { type: "fix-findings", numbers: fixable.map(({ number }) => number) }
  const reason = `fixes did not get rid of ${list(unfixed)}; see: teamwork findings`
  return ask(snapshot, { trigger: "repeated_failure", reason, options: FINDING_OPTIONS })
}

/** Confirms fixes too. Asks a person about what the review cannot do. */
function reviewWork(snapshot: EngineSnapshot, limits: EngineLimits): Action | "wait" | undefined {
  const { review, unreviewed } = snapshot
  const open = listBlocking(snapshot)
  if (!limits.enableReview && !limits.reviewRequired && open.length === 0) return undefined
  if (review === null) return { type: "review" }
  if (open.length > 0) {
    // `fixFindings` has handled those that the last review called open.
    const why = unreviewed === null ? "" : ` (${unreviewed})`
    const reason = `no review confirmed that this is fixed: ${list(open)}${why}; go-on asks for a review again`
    return ask(snapshot, { trigger: "tool_unavailable", reason, options: ["go-on", "waive", "pause"] })
  }
  if (review !== "skipped" || !limits.reviewRequired) return undefined
  const reason = `review.required is set and no review gave a verdict (${unreviewed}); go-on asks for one again`
  return ask(snapshot, { trigger: "tool_unavailable", reason, options: ["go-on", "pause"] })
}

interface Asked {
  readonly trigger: Trigger
  readonly reason: string
  readonly options: readonly Option[]
}

/** One question at a time. The run ends until it is answered. */
function ask({ team, isReviewAsked, isPausedByEngine }: EngineSnapshot, asked: Asked): Action | "wait" {
  if (team.status === "paused" && !isPausedByEngine) return "wait"
  if (!isReviewAsked && team.status !== "paused") return { type: "pause-team", ...asked, about: ABOUT_REVIEW }
  return { type: "end", outcome: "paused", reason: asked.reason }
}

const MOST_NAMED = 3

function list(findings: readonly Finding[]): string {
  const more = findings.length > MOST_NAMED ? ` and ${findings.length - MOST_NAMED} more` : ""
  return `${findings.slice(0, MOST_NAMED).map(nameFinding).join("; ")}${more}`
}

function sayReviewState({ review, unreviewed, findings }: EngineSnapshot, { enableReview }: EngineLimits): string {
  const unseen = enableReview && review === "skipped" ? `; NOT REVIEWED: ${unreviewed}` : ""
  const critical = findings.filter(({ severity }) => severity === "critical").length
  const open =
    findings.length === 0 ? "" : `; ${findings.length} open findings, ${critical} critical, see: teamwork findings`
  return `${unseen}${open}`
}

/** When the rest is stuck. Undefined without a next step. */
export function deliverPart(snapshot: EngineSnapshot, limits: EngineLimits): Action | undefined {
  const { team, tasks, part, review, delivery, finalApproval } = snapshot
  if (limits.partialDelivery !== "always" || !limits.deliver) return undefined
  if (hasUnmerged(snapshot, tasks)) return { type: "merge", wave: null }
  if (!hasUndelivered(snapshot) || delivery !== "none") return undefined
  if (part === null || part === "skipped") return { type: "verify-part" }
  if (part === "failed") return undefined
  if ((limits.enableReview || limits.reviewRequired) && review === null) return { type: "review" }
  // A fix would get stuck too, so findings wait for a person.
  if (listBlocking(snapshot).length > 0 || (limits.reviewRequired && review === "skipped")) return undefined
  if (team.mode === "SUPERVISED" && finalApproval !== "approved")
    return finalApproval === null ? { type: "ask-final" } : undefined
  return { type: "deliver-part" }
}

export function waitsForPart(snapshot: EngineSnapshot, limits: EngineLimits): boolean {
  const { team, part, finalApproval } = snapshot
  const isWanted = limits.partialDelivery === "always" && limits.deliver && hasUndelivered(snapshot)
  return isWanted && team.mode === "SUPERVISED" && part === "passed" && finalApproval === "pending"
}

function hasUndelivered({ tasks, history }: EngineSnapshot): boolean {
  const { mergedAt, deliveredAt } = history
  if (mergedAt === null || !tasks.some(({ status }) => status === "resolved")) return false
  return deliveredAt === null || deliveredAt < mergedAt
}

export function describePart({ part, delivery, finalApproval }: EngineSnapshot): string {
  if (delivery === "part") return "; what is finished was delivered without the rest"
  if (delivery === "refused")
    return "; changes of your own are in the way of delivering what is finished; then: teamwork deliver --partial"
  if (part === "failed")
    return "; what is finished does not pass the final gate without the rest, see: teamwork verdict list"
  if (part === "passed" && finalApproval === "rejected")
    return "; the delivery of what is finished was rejected, see: teamwork approvals --status rejected"
  return ""
}
