import { describeTeam, type TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { freshStart } from "../../tasks/operations/fresh-start.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"

export interface Finding {
  readonly check: string
  readonly status: "ok" | "warning" | "problem"
  readonly detail: string
  readonly fixed: boolean
}

/** Finds state that only a crash, a bug or a manual change can leave. `fix` repairs it. */
export async function examineTeam({ store, settings }: Context, name: TeamName, fix: boolean): Promise<Finding[]> {
  const attempt = store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const wrong = await tx.tasks.repairUnmet(team.key)
    const overdue = await freshStart(tx, team, settings.freshStartIntervalSeconds)
    const where = describeTeam(name)
    const finding = (check: string, ok: string, problem: Pick<Finding, "status" | "detail">, isOk: boolean): Finding =>
      isOk
        ? { check: `${where}: ${check}`, status: "ok", detail: ok, fixed: false }
        : { check: `${where}: ${check}`, ...problem, fixed: fix }
    const counters = { status: "problem", detail: `wrong counters of unmet needs: ${wrong.join(", ")}` } as const
    const abandoned = { status: "warning", detail: `abandoned: ${overdue.map((task) => task.id).join(", ")}` } as const
    const findings = [
      finding("needs", "the counters of unmet needs are right", counters, wrong.length === 0),
      finding("claims", "no claim is overdue", abandoned, overdue.length === 0),
    ]
    if (!fix) throw new RolledBack(findings)
    return findings
  })
  // Without --fix the same work is rolled back, so the report shows what a fix would do.
  return attempt.catch((error: unknown) => {
    if (error instanceof RolledBack) return error.findings
    throw error
  })
}

class RolledBack extends Error {
  readonly findings: Finding[]
  constructor(findings: Finding[]) {
    super("rolled back on purpose")
    this.findings = findings
  }
}
