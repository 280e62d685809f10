import type { Verdict } from "../../domain/verdict.ts"
import type { Merges } from "../../workspace/port.ts"

/** The check of a verdict whose evidence names the commit, or its tree, that the gate looked at. */
export const COMMIT_CHECK = "commit"

/** Why the files of a commit must not be delivered: undefined only if the last word of the final gate was yes to them. */
export async function whyNotGreen(
  merges: Pick<Merges, "tree">,
  verdicts: readonly Verdict[],
  commit: string,
): Promise<string | undefined> {
  const about = commit.slice(0, 10)
  const last = verdicts.findLast((verdict) => verdict.scope === "final" && verdict.status !== "skipped")
  if (last === undefined) return `the final gate has not looked at ${about} yet; run: teamwork verify final`
  const seen = last.checks.find((check) => check.name === COMMIT_CHECK && check.status === "passed")?.evidence?.trim()
  if (last.status !== "passed") return `the final gate failed: ${last.issues[0] ?? "see teamwork verdict list"}`
  if (seen === commit || (seen !== undefined && seen === (await merges.tree(commit)))) return undefined
  const other = seen === undefined ? "does not say of which commit" : `was of ${seen.slice(0, 10)}`
  return `the last final verdict ${other}, not of ${about}; run: teamwork verify final`
}
