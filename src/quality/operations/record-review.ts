import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { describeFinding, mustBeFixed } from "../finding.ts"
import { checksOf, type Review } from "../review.ts"
import type { Judged, Verdict } from "../verdict.ts"
import { listOpen, recordFindings, settleFindings } from "./record-findings.ts"
import { addVerdictIn } from "./record-verdict.ts"

interface Reviewed extends Judged {
  readonly review: Review
  readonly agent: string
  readonly by: string
}

/** Records verdict, findings and answers about earlier findings in one transaction. */
export async function recordReview(
  { store }: Context,
  name: TeamName,
  { review, agent, by, commit, tree }: Reviewed,
): Promise<Verdict> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    await settleFindings(tx, team, { earlier: review.earlier, commit, by: agent })
    const found = await recordFindings(tx, team, { findings: review.findings, source: "review", commit, by, agent })
    const again = (await listOpen(tx, team.key)).filter(({ number }) => review.earlier.get(number) === false)
    const open = [...found.filter(({ status }) => status === "open"), ...again]
    const named = open.map((each) => ({ ...each, task: each.taskId }))
    // A waived finding does not fail the work again.
    const isPassed = review.isPassed || !named.some(mustBeFixed)
    const checks = isPassed
      ? [{ name: "review", status: "passed" as const, evidence: `${agent} has read it` }]
      : checksOf(named.filter(mustBeFixed))
    const issues = named.map(describeFinding)
    const verdict = { scope: "cross-agent", subject: null, commit, tree, checks, issues, by: agent } as const
    return addVerdictIn(tx, team, { ...verdict, status: isPassed ? "passed" : "failed" })
  })
}
