import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import type { CheckedPlan, PlanFacts } from "../../planning/check-plan.ts"
import type { Plan } from "../../planning/plan.ts"
import { parseCrew, planOfTemplate, TEMPLATES, type Template } from "../../planning/plan-templates.ts"
import { describeRepository } from "../../planning/planner/describe-repository.ts"
import { examinePlan } from "../../planning/planner/load-plan.ts"
import { makePlanner, type Planner } from "../../planning/planner/plan-goal.ts"
import { getPreset } from "../../planning/presets.ts"
import { assertCapable, getRole } from "../../planning/roles/roles.ts"
import type { Session } from "../command.ts"
import { askPorts } from "./ask-ports.ts"
import { findPlanFile, readStandings } from "./plan-facts.ts"
import type { PlanInput } from "./plan-team.ts"

export interface Proposal extends Omit<CheckedPlan, "problems"> {
  readonly file: string | null
  /** Plans again with the remark; only for a plan that an agent made. */
  askAgain?(remark: string): Promise<Proposal>
  onApplied?(): Promise<void>
}

export async function propose(
  session: Session,
  given: PlanInput,
  { facts, beginsRun }: { readonly facts: PlanFacts; readonly beginsRun: boolean },
): Promise<Proposal> {
  const { what, goal, template, budget } = given
  const named = goal === undefined ? undefined : TEMPLATES.find((each) => each === what)
  if (named !== undefined && goal !== undefined && template === undefined)
    return fromTemplate(session, named, { task: goal, facts })
  const crew = goal === undefined ? undefined : parseCrew(what)
  if (goal !== undefined && crew === undefined)
    throw new AppError("usage", `unexpected argument ${quoteInput(goal)}; put a goal of several words in quotes`)
  if (template !== undefined && crew !== undefined)
    throw new AppError(
      "usage",
      (say) => `${say.field("template")} says who works, and so does ${what}; use one of them`,
    )
  if (template !== undefined) return fromTemplate(session, template, { task: what, facts })
  if (crew !== undefined && goal !== undefined) {
    assertCrew(crew, facts)
    return fromGoal(session, { goal, facts, crew, beginsRun, budget })
  }
  const loaded = await findPlanFile(session, what, async () => facts)
  if (loaded !== undefined) return { ...loaded, file: what }
  assertNoFileName(what)
  if (parseCrew(what) !== undefined) throw new AppError("usage", `say behind ${what} what is to be done`)
  const preset = facts.preset === undefined ? undefined : getPreset(facts.presets, facts.preset)
  if (preset?.template !== undefined) return fromTemplate(session, preset.template, { task: what, facts })
  return fromGoal(session, { goal: what, facts, coordinates: preset?.coordinate === true, beginsRun, budget })
}

/** A goal is no path, so a path names a missing file. */
export function assertNoFileName(what: string): void {
  if (LOOKS_LIKE_FILE.test(what))
    throw new AppError("plan.not_found", `there is no file ${quoteInput(what)}`, { file: what })
}

const LOOKS_LIKE_FILE = /\.(?:ya?ml|json|md|markdown)$|^[^\s]*\/[^\s]*$/i

interface Crew {
  readonly count: number
  readonly agentType: string
}

function assertCrew({ count, agentType }: Crew, { maxAgents, roles }: PlanFacts): void {
  if (count < 1 || count > maxAgents)
    throw new AppError("input.invalid", `${count} workers: use 1 to ${maxAgents}, which is team.maxAgents`)
  // The least demanding task: a role that cannot take it can take none.
  assertCapable({ role: "worker", files: [] }, getRole(roles, agentType))
}

async function fromTemplate(
  session: Session,
  template: Template,
  { task, facts }: { readonly task: string; readonly facts: PlanFacts },
): Promise<Proposal> {
  const { standings } = await readStandings(session)
  const available = standings.flatMap(({ name, detection }) =>
    detection.isAvailable && detection.isLoggedIn !== false ? [name] : [],
  )
  const { files } = await lookAtRepository(session)
  const { plan, notes, problems } = examinePlan(planOfTemplate(template, task, { available, files }), facts)
  if (problems.length === 0) return { plan, notes: [...notes, ...sayOwners(plan)], file: null }
  throw new AppError("plan.invalid", problems.map(({ message }) => message).join("; "))
}

function sayOwners({ tasks }: Plan): string[] {
  const owners = tasks.filter(({ files }) => files.length > 0)
  return owners.map(
    ({ id, files }) => `task ${id} owns the files of the interface: ${files.join(", ")}; others write everything else`,
  )
}

async function lookAtRepository({ host, configured }: Session) {
  const { gates } = await configured()
  const setup = await gates(host.io.cwd).catch(noRepository)
  return setup === undefined ? NOTHING : describeRepository(setup)
}

interface GoalToPlan {
  readonly goal: string
  readonly facts: PlanFacts
  readonly crew?: Crew
  readonly coordinates?: boolean
  /** The cost of planning belongs to the new run. */
  readonly beginsRun: boolean
  readonly budget: string | undefined
}

async function fromGoal(session: Session, request: GoalToPlan): Promise<Proposal> {
  const { host } = session
  const { gates, agentDefaults } = await session.configured()
  const setup = await gates(host.io.cwd).catch(noRepository)
  const ports = await askPorts(session, { isHeld: request.beginsRun, budget: request.budget })
  const planner = makePlanner(ports, {
    ...request,
    repository: setup === undefined ? NOTHING : await describeRepository(setup),
    folder: setup?.repository.folder ?? host.io.cwd,
    explored: setup?.repository,
    limits: { timeMs: agentDefaults.timeoutSeconds === 0 ? null : agentDefaults.timeoutSeconds * 1000 },
    signal: host.io.interrupted,
    onStep: (step) => (session.isJson ? undefined : host.io.err(`[${host.io.wallClock()}] ${step}`)),
  })
  return proposalOf(planner, async () => {
    await ports.notes.flush()
    await planner.keep()
  })
}

const NOTHING = { files: [], isCut: false, commands: [] }

/** A goal may precede its repository. */
function noRepository(error: unknown): undefined {
  if (error instanceof AppError) return undefined
  throw error
}

async function proposalOf(planner: Planner, onApplied: () => Promise<void>, remark?: string): Promise<Proposal> {
  const planned = await planner.plan(remark)
  return { ...planned, file: null, onApplied, askAgain: (more) => proposalOf(planner, onApplied, more) }
}
