import type { TeamName } from "../../kernel/team.ts"
import { describeTeam } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { freshStart } from "../../tasks/operations/fresh-start.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"

export interface Finding {
  readonly check: string
  readonly status: "ok" | "warning" | "problem"
  readonly detail: string
  readonly fixed: boolean
}

/** Looks for state that only a crash, a bug or a foreign hand can leave, and mends it when asked to. */
export async function examineTeam({ store, settings }: Context, name: TeamName, fix: boolean): Promise<Finding[]> {
  const attempt = store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const wrong = await tx.tasks.repairUnmet(team.key)
    const overdue = await freshStart(tx, team, settings.freshStartIntervalSeconds)
    const where = describeTeam(name)
    const findings: Finding[] = [
      wrong.length === 0
        ? { check: `${where}: needs`, status: "ok", detail: "the counters of unmet needs are right", fixed: false }
        : {
            check: `${where}: needs`,
            status: "problem",
            detail: `wrong counters of unmet needs: ${wrong.join(", ")}`,
            fixed: fix,
          },
      overdue.length === 0
        ? { check: `${where}: claims`, status: "ok", detail: "no claim is overdue", fixed: false }
        : {
            check: `${where}: claims`,
            status: "warning",
            detail: `abandoned: ${overdue.map((task) => task.id).join(", ")}`,
            fixed: fix,
          },
    ]
    if (!fix) throw new NotKept(findings)
    return findings
  })
  // A look without --fix does the same work and rolls it back: what it reports is what a fix would do.
  return attempt.catch((error: unknown) => {
    if (error instanceof NotKept) return error.findings
    throw error
  })
}

class NotKept extends Error {
  readonly findings: Finding[]
  constructor(findings: Finding[]) {
    super("rolled back on purpose")
    this.findings = findings
  }
}
