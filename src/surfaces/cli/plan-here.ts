import type { CheckedPlan, PlanFacts } from "../../domain/check-plan.ts"
import { AppError } from "../../domain/errors.ts"
import { quoteInput } from "../../domain/ids.ts"
import { hasTests } from "../../engine/planner/has-tests.ts"
import { loadPlan } from "../../engine/planner/load-plan.ts"
import { resolvePath } from "../../lib/paths.ts"
import type { OnOverlap } from "../../operations/operation.ts"
import type { Session } from "./command.ts"
import { findRoles } from "./role.ts"

/** What a plan is held against in this repository. */
export async function planFacts(session: Session, onOverlap?: OnOverlap): Promise<PlanFacts> {
  const { host } = session
  const { settings, maxAgents, agents, gates } = await session.configured()
  const [{ roles }, ready] = await Promise.all([findRoles(host), agents()])
  return {
    ...{ roles, agents: ready.map(({ agent }) => agent.name), shared: settings.sharedFiles, maxAgents },
    onOverlap: onOverlap ?? settings.onOverlap,
    hasTests: await gates(host.io.cwd).then(hasTests, nothingToTest),
  }
}

/** Where there is no repository yet, only the plan itself says when a task is done. */
function nothingToTest(error: unknown): boolean {
  if (error instanceof AppError) return false
  throw error
}

/** No plan is as large. */
const MAX_BYTES = 20_000_000

/** The plan of a file, checked; undefined where there is no such file. */
export async function findPlanFile(
  session: Session,
  path: string,
  facts: () => Promise<PlanFacts>,
): Promise<Omit<CheckedPlan, "problems"> | undefined> {
  const { statSync } = await import("node:fs")
  const file = resolvePath(path, session.host.io.cwd)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (!stat.isFile()) throw new AppError("plan.not_found", `${quoteInput(path)} is not a file; name the plan in it`)
  if (stat.size > MAX_BYTES) throw new AppError("plan.invalid", `${quoteInput(path)} is larger than a plan may be`)
  return loadPlan({ name: path, text: await Bun.file(file).text() }, await facts())
}
