import { type AskPorts, askAgent } from "../../agents/choose/ask-agent.ts"
import type { Limits } from "../../agents/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { type Explored, exploreWith } from "../../knowledge/effects/explore.ts"
import { coordinatorPrompt } from "../../prompts/views/coordination.ts"
import type { GateRepository } from "../../quality/gates/port.ts"
import { ROLES } from "../../tasks/task.ts"
import type { CheckedPlan, PlanFacts } from "../check-plan.ts"
import { sayPath } from "../plan.ts"
import { answerSchema } from "../plan-schema.ts"
import { analysisSchema, planOfAnalysis, understood } from "../task-analysis.ts"
import { explorerPrompt, MAP_SCHEMA, type PlannerFacts, plannerPrompt } from "../views/planning-prompt.ts"
import { examinePlan } from "./load-plan.ts"

export interface GoalRequest extends Pick<PlannerFacts, "goal" | "repository" | "crew"> {
  readonly facts: PlanFacts
  /** Splits the goal into capabilities with roles. */
  readonly coordinates?: boolean
  readonly folder: string
  /** Reuses an earlier exploration of the same files. */
  readonly explored: GateRepository | undefined
  readonly limits: Partial<Limits>
  readonly signal: AbortSignal
  onStep(step: string): void
}

/** Plans again after remarks of a person. Explores the repository once. */
export interface Planner {
  plan(remark?: string): Promise<Omit<CheckedPlan, "problems">>
  /** Stores the exploration, once the team exists. */
  keep(): Promise<void>
}

/** For teamwork's own part of a prompt. */
const NO_MATERIAL = { goal: "", repository: { files: [], isCut: false, commands: [] }, shared: [] }

const WORKER = "planner"
/** Gets the best model. */
const PLANNER_ROLE = "orchestrator"
/** How often a plan with problems goes back to the planner. */
const MAX_RETURNS = 2

export function makePlanner(ports: AskPorts, request: GoalRequest): Planner {
  let explored: Explored | undefined
  let turn = 0
  let latest: unknown
  const ask = (
    prompt: string,
    schema: Readonly<Record<string, unknown>>,
    asked: { role: string; tier?: "haiku"; ownWords: string },
  ) => {
    const { folder, limits, signal } = request
    return askAgent(ports, { ...asked, prompt, schema, folder, limits, signal, worker: WORKER, turn: ++turn })
  }
  const askPlanner = async (before: PlannerFacts["before"]): Promise<CheckedPlan> => {
    const isCoordinated = request.coordinates === true
    const facts = plannerFacts(request, { map: explored?.findings, before })
    const makePrompt = isCoordinated ? coordinatorPrompt : plannerPrompt
    const ownWords = makePrompt({ ...facts, ...NO_MATERIAL, map: null, before: undefined })
    const schema = isCoordinated ? analysisSchema() : answerSchema(agentTypes(request))
    const { structured } = await ask(makePrompt(facts), schema, { role: PLANNER_ROLE, ownWords })
    latest = structured
    if (isCoordinated) return examinePlan(planOfAnalysis(structured, request.goal, request.facts.roles), request.facts)
    return examinePlan(inCrew(structured, request), request.facts)
  }
  const explore = async (): Promise<Explored> => {
    const { goal, repository, facts } = request
    const found = await exploreWith(
      { ...ports, repository: request.explored },
      {
        angle: `plan: ${goal}`,
        paths: ["."],
        by: WORKER,
        async ask() {
          request.onStep("exploring the repository")
          const prompt = explorerPrompt({ goal, repository, shared: facts.shared })
          const { structured } = await ask(prompt, MAP_SCHEMA, {
            role: "explorer",
            tier: "haiku",
            ownWords: explorerPrompt(NO_MATERIAL),
          })
          return { summary: remarksOf(structured), findings: structured }
        },
      },
    )
    for (const remark of found.remarks) request.onStep(remark)
    if (found.isKnown) request.onStep("the repository was explored before, and is the same")
    return found
  }
  return {
    keep: async () => explored?.keep(),
    async plan(remark) {
      explored ??= await explore()
      request.onStep(request.coordinates === true ? "analysing the goal" : "planning")
      let before: PlannerFacts["before"] = remark === undefined ? undefined : { plan: latest, problems: [remark] }
      for (let returns = 0; ; returns++) {
        const { problems, ...checked } = await askPlanner(before)
        if (problems.length === 0) return checked
        const said = problems.map(({ path, message }) =>
          [sayPath(path), message].filter((part) => part !== "").join(": "),
        )
        if (returns === MAX_RETURNS) throw giveUp(said)
        request.onStep(`the plan has ${said.length === 1 ? "a fault" : `${said.length} faults`}, planning again`)
        before = { plan: latest, problems: [...(remark === undefined ? [] : [remark]), ...said] }
      }
    },
  }
}

function remarksOf(map: unknown): string {
  return typeof map === "object" && map !== null && "remarks" in map ? String(map.remarks) : ""
}

function plannerFacts(request: GoalRequest, more: Pick<PlannerFacts, "map" | "before">): PlannerFacts {
  const { goal, repository, crew, facts } = request
  const names = agentTypes(request)
  const roles = facts.roles.filter(({ name }) => names.includes(name))
  return { ...more, goal, repository, crew, shared: facts.shared, roles, taskRoles: ROLES }
}

/** Not roles that coordinate or verify, nor the roles of tasks. */
function agentTypes({ facts, crew }: GoalRequest): string[] {
  if (crew !== undefined) return [crew.agentType]
  const taskRoles: readonly string[] = ROLES
  return facts.roles.flatMap(({ name, kind, deprecatedFor }) => {
    const isFree = !taskRoles.includes(name) && deprecatedFor === undefined
    return isFree && kind !== "coordination" && kind !== "verification" ? [name] : []
  })
}

/** The caller's request overrides the planner's answer. */
function inCrew(answer: unknown, { crew, goal }: GoalRequest): unknown {
  const { tasks, ...rest } = (typeof answer === "object" && answer !== null ? answer : {}) as Record<string, unknown>
  const own = { ...understood(rest), goal, ...(tasks === undefined ? {} : { tasks }) }
  if (crew === undefined || !Array.isArray(tasks)) return own
  return {
    ...own,
    workers: String(crew.count),
    template: "custom",
    tasks: tasks.map((task) => ({ ...task, agentType: crew.agentType })),
  }
}

function giveUp(problems: readonly string[]): AppError {
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`
  const message = `the planner gave no plan without faults: ${problems[0]}${more}; say the goal in other words, or write a plan`
  return new AppError("plan.invalid", message, { problems })
}
