import type { Merges } from "../../git/port.ts"
import { AppError } from "../../kernel/errors.ts"
import type { RunName } from "../../kernel/team.ts"
import { mustBeFixed } from "../../quality/finding.ts"
import { listFindings } from "../../quality/operations/manage-findings.ts"
import { listVerdicts } from "../../quality/operations/record-verdict.ts"
import type { Context } from "../../store/operation.ts"

/** With `review.required`, nothing is delivered without a review verdict on it. */
export async function assertReviewed(
  context: Context,
  merges: Pick<Merges, "tree" | "contains" | "mergedAttempts">,
  { name, commit }: { readonly name: RunName; readonly commit: string },
): Promise<void> {
  if (!context.settings.reviewRequired) return
  const why = await whyNotReviewed(context, merges, { name, commit })
  if (why === undefined) return
  const message = `review.required is set and ${why}; nothing was delivered`
  throw new AppError("review.needed", message, { commit }, { remedy: { operation: "verify review" } })
}

async function whyNotReviewed(
  context: Context,
  merges: Pick<Merges, "tree" | "contains" | "mergedAttempts">,
  { name, commit }: { readonly name: RunName; readonly commit: string },
): Promise<string | undefined> {
  const reviews = (await listVerdicts.run(context, name)).filter(({ scope }) => scope === "cross-agent")
  const last = reviews.findLast(({ status }) => status !== "skipped")
  const skipped = reviews.at(-1)
  if (last?.commit === undefined) {
    const [reason] = skipped?.issues ?? []
    return `no review gave a verdict${reason === undefined ? "" : ` (${reason})`}`
  }
  if (!(await isSameWork(merges, last.commit, commit))) {
    return `the last review was of ${last.commit.slice(0, 10)}, not of ${commit.slice(0, 10)}`
  }
  if (last.status === "passed") return undefined
  // A person may have waived all findings of a failed review.
  const open = (await listFindings.run(context, { ...name, open: true })).filter(mustBeFixed)
  return open.length === 0 ? undefined : `the review failed, with ${open.length} open findings`
}

/** The same files, or only commits of the target came after the review. */
async function isSameWork(
  merges: Pick<Merges, "tree" | "contains" | "mergedAttempts">,
  reviewed: string,
  commit: string,
): Promise<boolean> {
  if (reviewed === commit || (await merges.tree(reviewed)) === (await merges.tree(commit))) return true
  return (await merges.contains(commit, reviewed)) && (await merges.mergedAttempts(reviewed, commit)).size === 0
}

/** Warns when a review was due and gave no verdict. */
export async function sayUnreviewed(context: Context, name: RunName): Promise<string[]> {
  const last = (await listVerdicts.run(context, name)).findLast(({ scope }) => scope === "cross-agent")
  if (last?.status !== "skipped") return []
  return [`NOT REVIEWED: ${last.issues[0] ?? "no review gave a verdict"}`]
}
