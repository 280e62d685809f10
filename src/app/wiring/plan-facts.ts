import { statSync } from "node:fs"
import { surveyAgents } from "../../agents/choose/survey-agents.ts"
import { SCRIPT } from "../../agents/programs.ts"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import { codeOf } from "../../lib/error-code.ts"
import { resolvePath } from "../../lib/paths.ts"
import type { CheckedPlan, PlanFacts } from "../../planning/check-plan.ts"
import type { Plan } from "../../planning/plan.ts"
import { hasTests } from "../../planning/planner/describe-repository.ts"
import { loadPlan } from "../../planning/planner/load-plan.ts"
import { getPreset } from "../../planning/presets.ts"
import type { OnOverlap } from "../../store/operation.ts"
import type { Session } from "../command.ts"
import { findPresets, findRoles } from "./find-roles.ts"
import { readSurvey } from "./survey.ts"

export async function planFacts(
  session: Session,
  { onOverlap, preset }: { readonly onOverlap?: OnOverlap; readonly preset?: string },
): Promise<PlanFacts> {
  const { host } = session
  const { settings, engine, agents, gates } = await session.configured()
  const { maxAgents } = await engine()
  const [{ roles }, ready] = await Promise.all([findRoles(session), agents()])
  const presets = await findPresets(session, roles)
  if (preset !== undefined) getPreset(presets, preset)
  return {
    ...{
      roles,
      presets,
      preset,
      agents: ready.map(({ agent }) => agent.name),
      shared: settings.sharedFiles,
      maxAgents,
    },
    onOverlap: onOverlap ?? settings.onOverlap,
    hasTests: await gates(host.io.cwd).then(hasTests, nothingToTest),
  }
}

/** Asks no agent program about a plan that only runs scripts. */
export async function readStandings(session: Session, plan?: Plan) {
  const { warnings: _, ...survey } = await readSurvey(session)
  const isNeeded = plan === undefined || plan.tasks.some(({ run }) => run.length === 0)
  const ready = isNeeded ? survey.ready.filter(({ agent }) => agent.name !== SCRIPT) : []
  return { standings: await surveyAgents({ ...survey, ready }), now: survey.health.now }
}

/** Without a repository, only the plan defines when a task is done. */
function nothingToTest(error: unknown): boolean {
  if (error instanceof AppError) return false
  throw error
}

const MAX_BYTES = 20_000_000

export async function findPlanFile(
  session: Session,
  path: string,
  facts: () => Promise<PlanFacts>,
): Promise<Omit<CheckedPlan, "problems"> | undefined> {
  const file = resolvePath(path, session.host.io.cwd)
  const stat = statOf(file)
  if (stat === undefined) return undefined
  if (!stat.isFile()) throw new AppError("plan.not_found", `${quoteInput(path)} is not a file; name the plan in it`)
  if (stat.size > MAX_BYTES) throw new AppError("plan.invalid", `${quoteInput(path)} is larger than a plan may be`)
  return loadPlan({ name: path, text: await Bun.file(file).text() }, await facts())
}

/** Undefined if no such file can exist: a goal may be longer than a file name. */
function statOf(file: string) {
  try {
    return file.includes("\0") ? undefined : statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === "ENAMETOOLONG") return undefined
    throw new AppError("plan.not_found", `${quoteInput(file)} cannot be read`, {}, { cause: error })
  }
}
