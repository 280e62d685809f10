import type { Merges } from "../../git/port.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { describeLeftOut, listLeftOut } from "../../quality/left-out.ts"
import type { Verdict } from "../../quality/verdict.ts"

/** The check whose evidence names the judged commit or tree. */
const COMMIT_CHECK = "commit"

interface FinalVerdict extends Verdict {
  readonly commit?: string
  readonly tree?: string
}

export interface NotGreen {
  readonly why: string
  readonly remedy?: Remedy | readonly Remedy[]
}

const VERIFY: Remedy = { operation: "verify final" }

/** Why a commit must not be delivered; undefined only if the last final verdict passed these files. */
export async function whyNotGreen(
  merges: Pick<Merges, "tree">,
  verdicts: readonly FinalVerdict[],
  { commit, isPartial }: { readonly commit: string; readonly isPartial: boolean },
): Promise<NotGreen | undefined> {
  const about = commit.slice(0, 10)
  const last = verdicts.findLast((verdict) => verdict.scope === "final" && verdict.status !== "skipped")
  if (last === undefined) return { why: `the final gate has not looked at ${about} yet`, remedy: VERIFY }
  if (last.status !== "passed") {
    const [issue] = last.issues
    if (issue !== undefined) return { why: `the final gate failed: ${issue}` }
    return { why: "the final gate failed", remedy: { operation: "verdict list", to: "see" } }
  }
  const leftOut = listLeftOut(last)
  if (leftOut !== null && !isPartial) {
    const why = `the last final verdict leaves out ${describeLeftOut(leftOut)}`
    return { why, remedy: [{ operation: "deliver", fields: { partial: true } }, VERIFY] }
  }
  const check = last.checks.find(({ name, status }) => name === COMMIT_CHECK && status === "passed")?.evidence?.trim()
  const named = [last.commit, last.tree, check].filter((name) => name !== undefined && name !== "")
  if (named.includes(commit) || (named.length > 0 && named.includes(await merges.tree(commit)))) return undefined
  const [seen] = named
  const other = seen === undefined ? "does not say of which commit" : `was of ${seen.slice(0, 10)}`
  return { why: `the last final verdict ${other}, not of ${about}`, remedy: VERIFY }
}
