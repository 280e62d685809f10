import { type AgentStanding, routeInputOf } from "../../agents/choose/survey-agents.ts"
import { SCRIPT } from "../../agents/programs.ts"
import { protocolOf } from "../../kernel/team.ts"
import { findMatch } from "../../ownership/file-pattern.ts"
import { listFollowUps } from "../../tasks/follow-up.ts"
import { layerTasks } from "../../tasks/layers.ts"
import { workOf } from "../../tasks/task.ts"
import { rolesOf } from "../check-plan.ts"
import { complexityOf } from "../complexity/complexity.ts"
import type { ModelTier } from "../complexity/model-tier.ts"
import { findPaths } from "../complexity/paths-in-text.ts"
import { estimate, type Past, planRuns } from "../estimate.ts"
import { defaultSchedule, type Plan, type PlanTask } from "../plan.ts"
import { getRole, modelFor, type RoleDefinition } from "../roles/roles.ts"
import { chooseRoute } from "../routing.ts"
import { handsOf, parseStaffing } from "../staffing.ts"
import type { Decomposition, RoutedTask } from "../views/plan-view.ts"

export interface RouteFacts {
  readonly roles: readonly RoleDefinition[]
  readonly standings: readonly AgentStanding[]
  /** In ISO form, to compare with rate limits. */
  readonly now: string
  readonly shared: readonly string[]
  readonly past: Past
  readonly maxAgents: number
  readonly enableCascade: boolean
  /** If the text shows nothing. */
  readonly defaultModel: ModelTier
}

/** Who would do each task now, with which model, and when. */
export function decompose(plan: Plan, notes: readonly string[], given: RouteFacts): Decomposition {
  const facts = { ...given, roles: rolesOf(plan, given.roles) }
  const { layers } = layerTasks(plan.tasks.map(({ id, needs }) => ({ id, blockedBy: needs })))
  const waves = new Map(layers.flatMap((ids, index) => ids.map((id) => [id, index + 1])))
  const {
    goal,
    understanding = null,
    capabilities = [],
    mode = "FULL_AUTO",
    schedule = facts.past.schedule ?? defaultSchedule(mode),
    workers = "auto",
    template = null,
    preset = null,
  } = plan
  const { protocol = protocolOf(mode), qa = false } = plan
  const tasks = plan.tasks.map((task) => ({ ...routeTask(task, facts), wave: waves.get(task.id) ?? 1 }))
  const followUps =
    facts.enableCascade && plan.followUps === true
      ? listFollowUps(plan.tasks.map((task) => ({ ...task, work: workOf(task) })))
      : []
  const staffing = parseStaffing(workers)
  return {
    goal,
    understanding,
    capabilities,
    preset,
    schedule,
    mode,
    protocol,
    qa,
    workers,
    template,
    totalWaves: layers.length,
    notes,
    roleSpecs: (plan.roleSpecs ?? []).map(({ name, prefix, responsibility, capability }) => ({
      name,
      prefix,
      responsibility,
      capability,
      tasks: plan.tasks.filter(({ agentType }) => agentType === name).map(({ id }) => id),
    })),
    tasks,
    followUps,
    budget: plan.budget ?? null,
    estimate: estimate({
      planned: planRuns(tasks, followUps),
      past: facts.past.runs,
      schedule,
      hands: "problem" in staffing ? facts.maxAgents : handsOf(staffing, facts.maxAgents),
    }),
    shared: findShared(plan.tasks, facts.shared),
    boundary: findBoundary(plan.tasks, facts.shared),
  }
}

function routeTask(task: PlanTask, { roles, standings, now, defaultModel }: RouteFacts): Omit<RoutedTask, "wave"> {
  const { id, title, role, needs, files, checks, acceptance } = task
  const { complexity, because } = complexityOf(task, defaultModel)
  const agentType = task.agentType ?? role
  const definition = getRole(roles, agentType)
  const base = { id, title, role, agentType, complexity, needs, files, checks, acceptance }
  if (task.agent === SCRIPT || task.run.length > 0)
    return {
      ...base,
      agent: SCRIPT,
      tier: null,
      model: null,
      effort: null,
      because: "it has commands to run",
      why: ["script: it has commands to run"],
    }
  const route = chooseRoute({
    ...routeInputOf(standings, now),
    text: `${title}\n${task.description}`,
    agent: task.agent,
    agentType,
    complexity,
    modelOf: (type) => modelOf(roles, type),
  })
  const tier = modelFor(definition, complexity)
  const model = task.model ?? standings.find(({ name }) => name === route.agent)?.models[tier].model ?? null
  const effort = task.effort ?? definition.effort
  const byRole = definition.model === "dynamic" ? [] : [`${tier}: ${definition.name} always gets it`]
  const why = [`${complexity}: ${because}`, ...byRole, ...route.because]
  return { ...base, agent: route.agent, tier, model, effort, because: route.because.at(-1) ?? "", why }
}

function modelOf(roles: readonly RoleDefinition[], type: string) {
  const { model } = getRole(roles, type)
  return model === "dynamic" ? undefined : model
}

function findShared(tasks: readonly PlanTask[], shared: readonly string[]): Decomposition["shared"] {
  const named = new Map<string, string[]>()
  for (const task of tasks) {
    for (const path of new Set([...findPaths(textOf(task)), ...task.files])) {
      if (findMatch(path, shared) === undefined) continue
      named.set(path, [...(named.get(path) ?? []), task.id])
    }
  }
  return [...named].map(([file, tasks]) => ({ file, tasks }))
}

/** Files of one task that others name. */
function findBoundary(tasks: readonly PlanTask[], shared: readonly string[]): Decomposition["boundary"] {
  const owning = tasks.filter(({ files }) => files.length > 0)
  const found = new Map<string, { file: string; owner: string; usedBy: string[] }>()
  for (const task of tasks) {
    for (const path of findPaths(textOf(task))) {
      if (findMatch(path, shared) !== undefined || findMatch(path, task.files) !== undefined) continue
      const owner = owning.find(({ files }) => findMatch(path, files) !== undefined)
      if (owner === undefined) continue
      const entry = found.get(path) ?? { file: path, owner: owner.id, usedBy: [] }
      entry.usedBy.push(task.id)
      found.set(path, entry)
    }
  }
  return [...found.values()]
}

function textOf({ title, description, acceptance }: PlanTask): string {
  return [title, description, ...acceptance].join("\n")
}
