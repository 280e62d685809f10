import { SCRIPT } from "../agents/programs.ts"
import { AppError } from "../kernel/errors.ts"
import { quoteInput, type TaskId } from "../kernel/ids.ts"
import { nearest } from "../lib/text/nearest.ts"
import { jointPatterns } from "../ownership/joint-files.ts"
import { listOverlaps, makeConcurrency, type Overlap } from "../ownership/overlaps.ts"
import { cleanPattern } from "../ownership/plain-pattern.ts"
import { layerTasks } from "../tasks/layers.ts"
import { orderByRules } from "./order-tasks.ts"
import type { Plan, PlanProblem, PlanTask } from "./plan.ts"
import type { Preset } from "./presets.ts"
import { defineSpec, isOwned, MAX_ROLE_SPECS } from "./roles/role-spec.ts"
import { assertCapable, BUILT_IN_ROLES, getRole, type RoleDefinition } from "./roles/roles.ts"
import { parseStaffing, problemWithSize } from "./staffing.ts"

export interface PlanFacts {
  readonly roles: readonly RoleDefinition[]
  readonly presets: readonly Preset[]
  /** Overrides the plan's own preset. */
  readonly preset?: string
  readonly agents: readonly string[]
  /** All tasks may change these files; in a team with a lead, only the lead. */
  readonly shared: readonly string[]
  readonly onOverlap: "refuse" | "serialise"
  /** A gate runs the project's tests, which show when a task is done. */
  readonly hasTests: boolean
  readonly maxAgents: number
}

export interface CheckedPlan {
  /** With the added needs. */
  readonly plan: Plan
  /** Empty: the plan can be applied. */
  readonly problems: readonly PlanProblem[]
  /** Added needs, and why. */
  readonly notes: readonly string[]
}

/** Reports all problems at once. */
export function checkPlan(given: Plan, facts: PlanFacts): CheckedPlan {
  const problems: PlanProblem[] = []
  if (given.workers !== undefined) problems.push(...checkWorkers(given.workers, facts.maxAgents))
  problems.push(...checkSpecs(given))
  const roles = rolesOf(given, facts.roles)
  for (const [index, task] of given.tasks.entries()) problems.push(...checkTask(task, index, { ...facts, roles }))
  problems.push(...findDuplicates(given.tasks))
  const known = dropUnknownNeeds(given.tasks, problems)
  const tasks = dropCycles(known, problems)
  const plan = {
    ...given,
    tasks: tasks.map((task) => ({ ...task, files: [...new Set(task.files.map(cleanPattern))] })),
  }
  const ordered = orderByRules(plan.tasks)
  const apart = keepApart(ordered.tasks, facts, problems)
  const inOrder = problems.toSorted((a, b) => Number(a.path[1] ?? -1) - Number(b.path[1] ?? -1))
  return { plan: { ...plan, tasks: apart.tasks }, problems: inOrder, notes: [...ordered.notes, ...apart.notes] }
}

/** Reuses existing roles. */
export function rolesOf({ roleSpecs = [], tasks }: Plan, known: readonly RoleDefinition[]): readonly RoleDefinition[] {
  const made = roleSpecs.filter(({ name }) => !known.some((role) => role.name === name))
  return made.length === 0 ? known : [...known, ...made.map((spec) => defineSpec(spec, tasks))]
}

function checkSpecs({ roleSpecs = [] }: Plan): PlanProblem[] {
  const problems: PlanProblem[] = []
  if (roleSpecs.length > MAX_ROLE_SPECS)
    problems.push({ path: ["roleSpecs"], message: `has ${roleSpecs.length} roles; at most ${MAX_ROLE_SPECS} are made` })
  for (const [index, { name, prefix }] of roleSpecs.entries()) {
    const at = (field: string, message: string) => problems.push({ path: ["roleSpecs", index, field], message })
    const before = roleSpecs.slice(0, index)
    if (BUILT_IN_ROLES.some((role) => role.name === name)) at("name", `${name} is built in; name the role otherwise`)
    if (before.some((each) => each.name === name)) at("name", `${name} is there twice`)
    if (before.some((each) => each.prefix === prefix)) at("prefix", `${prefix} is there twice`)
  }
  return problems
}

function checkWorkers(text: string, maxAgents: number): PlanProblem[] {
  const staffing = parseStaffing(text)
  const message = "problem" in staffing ? staffing.problem : problemWithSize(staffing, maxAgents)
  return message === undefined ? [] : [{ path: ["workers"], message }]
}

function checkTask(task: PlanTask, index: number, facts: PlanFacts): PlanProblem[] {
  const problems: PlanProblem[] = []
  const at = (field: string, message: string) => problems.push({ path: ["tasks", index, field], message })
  const { agent, agentType, run, repair } = task
  if (!(facts.hasTests || task.acceptance.length + task.checks.length > 0)) {
    const message = "nothing says when it is done; give it acceptance or checks, or the project a test command"
    problems.push({ path: ["tasks", index], message })
  }
  if (agent !== undefined && !facts.agents.includes(agent)) at("agent", noSuch(agent, "agent", facts.agents))
  if (agent === SCRIPT && run.length === 0) at("agent", "the script agent needs commands to run; add run")
  if (run.length > 0 && agent !== undefined && agent !== SCRIPT)
    at("run", `is for the agent script, and ${agent} takes none; leave one of the two out`)
  if (repair.length > 0 && run.length === 0) at("repair", "is for tasks of the script agent; add run")
  if (agentType !== undefined) {
    try {
      const role = getRole(facts.roles, agentType)
      if (role.prefix !== undefined && !isOwned(role.prefix, task.id))
        at("id", `${quoteInput(task.id)} belongs to ${agentType}, whose ids begin with ${role.prefix}-`)
      assertCapable(task, role)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      at("agentType", error.message)
    }
  }
  return problems
}

function findDuplicates(tasks: readonly PlanTask[]): PlanProblem[] {
  const seen = new Map<string, number>()
  return tasks.flatMap(({ id }, index) => {
    const first = seen.get(id)
    if (first === undefined) {
      seen.set(id, index)
      return []
    }
    return [{ path: ["tasks", index, "id"], message: `${quoteInput(id)} is the id of tasks[${first}] already` }]
  })
}

function dropUnknownNeeds(tasks: readonly PlanTask[], problems: PlanProblem[]): PlanTask[] {
  const ids = new Set<string>(tasks.map(({ id }) => id))
  return tasks.map((task, index) => ({
    ...task,
    needs: [...new Set(task.needs)].filter((need) => {
      if (ids.has(need)) return true
      const message = noSuch(need, "task of this plan", ids)
      problems.push({ path: ["tasks", index, "needs", task.needs.indexOf(need)], message })
      return false
    }),
  }))
}

function noSuch(name: string, what: string, known: Iterable<string>): string {
  const close = nearest(name, known) ?? [...known].find((each) => name.startsWith(each) || each.startsWith(name))
  return `${quoteInput(name)} is no ${what}${close === undefined ? "" : `; did you mean ${quoteInput(close)}?`}`
}

const MOST_CYCLES = 20

/** Reports every cycle, and continues without the need that closes it. */
function dropCycles(given: readonly PlanTask[], problems: PlanProblem[]): readonly PlanTask[] {
  let tasks = given
  for (let found = 0; found < MOST_CYCLES; found++) {
    const cycle = findCycle(tasks)
    if (cycle === undefined) return tasks
    const [last = "", first = ""] = (cycle.details.path as readonly string[]).slice(-2)
    const index = tasks.findIndex(({ id }) => id === last)
    const at = given[index]?.needs.indexOf(first as TaskId) ?? 0
    problems.push({ path: ["tasks", index, "needs", at], message: cycle.message })
    tasks = tasks.map((task) => (task.id === last ? { ...task, needs: task.needs.filter((id) => id !== first) } : task))
  }
  return tasks.map((task) => ({ ...task, needs: [] }))
}

function findCycle(tasks: readonly PlanTask[]): AppError | undefined {
  try {
    layer(tasks)
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.code === "need.cycle") return error
    throw error
  }
}

function layer(tasks: readonly PlanTask[]): readonly string[][] {
  return layerTasks(firstOfEach(tasks).map(({ id, needs }) => ({ id, blockedBy: needs }))).layers
}

/** Two tasks with one id are duplicates, not a cycle. */
function firstOfEach(tasks: readonly PlanTask[]): PlanTask[] {
  const seen = new Set<string>()
  return tasks.filter(({ id }) => !seen.has(id) && seen.add(id))
}

const MOST_OVERLAPS = 24

interface Kept {
  readonly tasks: readonly PlanTask[]
  readonly notes: readonly string[]
}

/** Concurrent tasks must not own a common file: refuse it, or let the later one wait. */
function keepApart(tasks: readonly PlanTask[], facts: PlanFacts, problems: PlanProblem[]): Kept {
  const owning = firstOfEach(tasks).filter(({ files }) => files.length > 0)
  const canMeet = makeConcurrency(tasks.map(({ id, needs }) => ({ id, status: "open", blockedBy: needs })))
  // A run merges changes of several tasks in these.
  const joint = jointPatterns(facts.shared)
  const overlaps = listOverlaps(owning, facts.shared, joint).filter(({ task, other }) => canMeet(task, other))
  if (overlaps.length === 0) return { tasks, notes: [] }
  // Each task after all its needs, so that needs in this order make no cycle.
  const place = new Map(
    layer(tasks)
      .flat()
      .map((id, index) => [id, index]),
  )
  const pairs = overlaps.map((overlap) => laterFirst(overlap, place))
  if (facts.onOverlap === "refuse") {
    problems.push(...pairs.slice(0, MOST_OVERLAPS).map((pair) => overlapProblem(pair, tasks)))
    return { tasks, notes: [] }
  }
  const added = new Map<string, TaskId[]>()
  for (const { task, other } of pairs) added.set(task, [...(added.get(task) ?? []), other as TaskId])
  return {
    tasks: tasks.map((task) => ({ ...task, needs: [...task.needs, ...(added.get(task.id) ?? [])] })),
    notes: pairs.map(({ task, other, path }) => `task ${task} waits for ${other}: both own ${path}`),
  }
}

function laterFirst(overlap: Overlap, place: ReadonlyMap<string, number>): Overlap {
  const { task, pattern, other, otherPattern, path } = overlap
  if ((place.get(task) ?? 0) >= (place.get(other) ?? 0)) return overlap
  return { task: other, pattern: otherPattern, other: task, otherPattern: pattern, path }
}

function overlapProblem(
  { task, pattern, other, otherPattern, path }: Overlap,
  tasks: readonly PlanTask[],
): PlanProblem {
  const index = tasks.findIndex(({ id }) => id === task)
  const at = tasks[index]?.files.indexOf(pattern) ?? 0
  const both = `${pattern} and ${otherPattern} of task ${other} both match ${path}, and the two could run at the same time`
  const message = `${both}; change the files, add a need, or serialise them with --on-overlap serialise`
  return { path: ["tasks", index, "files", at], message }
}
