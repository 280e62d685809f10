import { type Finding, nameFinding } from "../quality/finding.ts"
import { ABOUT_REVIEW, FINDING_OPTIONS, type Option, type Trigger } from "../requests/escalation.ts"
import type { Action, EngineLimits, EngineSnapshot } from "./actions.ts"

/**
 * Open findings that keep the work from being delivered. What reviewing tasks found counts only where the team changed
 * something: a team that only reads, as an audit, reports its findings and fixes nothing.
 */
export function heldBy({ findings, history }: Pick<EngineSnapshot, "findings" | "history">): readonly Finding[] {
  return findings.filter(({ source }) => source !== "task" || history.mergedAt !== null)
}

/** Before the work is judged as a whole: each finding gets a fix, and after several in vain a person is asked. */
export function fixFindings(snapshot: EngineSnapshot, { maxRefusals }: EngineLimits): Action | "wait" | undefined {
  const unfixed = heldBy(snapshot).filter(({ fixTask }) => fixTask === null)
  if (unfixed.length === 0) return undefined
  // A person who said "fix it again" is asked again after one more.
  const fixable = unfixed.filter(({ rounds, isRetry }) => rounds < (isRetry ? 1 : maxRefusals))
  if (fixable.length > 0) return { type: "fix-findings", numbers: fixable.map(({ number }) => number) }
  const reason = `fixes did not get rid of ${list(unfixed)}; see: teamwork findings`
  return ask(snapshot, { trigger: "repeated_failure", reason, options: FINDING_OPTIONS })
}

/** After the final gate: a review judges the work and confirms fixes. What it cannot do, a person is asked about. */
export function reviewWork(snapshot: EngineSnapshot, limits: EngineLimits): Action | "wait" | undefined {
  const { review, unreviewed } = snapshot
  const open = heldBy(snapshot)
  if (!limits.enableReview && !limits.reviewRequired && open.length === 0) return undefined
  if (review === null) return { type: "review" }
  if (open.length > 0) {
    // One that the last review called open has no fix any more, and was dealt with before the final gate.
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

/** One question at a time, and the run ends until it is answered. */
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

/** For the last line of a run: what nobody reviewed, and what is open. */
export function sayReviewState(
  { review, unreviewed, findings }: EngineSnapshot,
  { enableReview }: EngineLimits,
): string {
  const unseen = enableReview && review === "skipped" ? `; NOT REVIEWED: ${unreviewed}` : ""
  const critical = findings.filter(({ severity }) => severity === "critical").length
  const open =
    findings.length === 0 ? "" : `; ${findings.length} open findings, ${critical} critical, see: teamwork findings`
  return `${unseen}${open}`
}
