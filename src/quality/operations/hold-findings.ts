import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { type Finding, nameFinding, waysToWaive } from "../finding.ts"
import { listOpen } from "./record-findings.ts"

export async function listCriticalFindings(tx: Tx, key: number): Promise<Finding[]> {
  return (await listOpen(tx, key)).filter(({ severity }) => severity === "critical")
}

/** Refuses delivery while a critical finding is open. A partial delivery ignores findings about tasks outside of it. */
export async function assertNoCritical({ store }: Context, name: TeamName, isPartial: boolean): Promise<void> {
  await store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const critical = await listCriticalFindings(tx, key)
    if (critical.length === 0) return
    const tasks = isPartial ? await tx.tasks.list(key) : []
    const isLeftOut = ({ taskId }: Finding) =>
      tasks.some(({ id, status }) => id === taskId && status !== "resolved" && status !== "in_review")
    const holding = critical.filter((finding) => !isLeftOut(finding))
    const [first] = holding
    if (first === undefined) return
    const more = holding.length > 1 ? ` and ${holding.length - 1} more` : ""
    throw new AppError(
      "finding.open",
      `the delivery is held by a critical finding: ${nameFinding(first)}${more}; nothing was delivered`,
      { findings: holding.map(({ number }) => number) },
      { remedy: waysToWaive(first.number) },
    )
  })
}
