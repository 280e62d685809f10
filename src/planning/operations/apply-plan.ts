import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { parseTaskId, type TaskId } from "../../kernel/ids.ts"
import { protocolOf, type Team, type TeamName } from "../../kernel/team.ts"
import { choice, type Field, record } from "../../lib/schema.ts"
import { LEAD } from "../../messages/message.ts"
import { jointPatterns } from "../../ownership/joint-files.ts"
import { overlapError, sharedPatterns } from "../../ownership/operations/plan-files.ts"
import { listOverlaps, makeConcurrency } from "../../ownership/overlaps.ts"
import { askAtStart } from "../../requests/operations/checkpoints.ts"
import { operation, planFields, type Settings, teamFields } from "../../store/operation.ts"
import type { StoredTeam, TaskChange, Tx } from "../../store/port.ts"
import { getTeam, publicTeam } from "../../tasks/operations/lookup.ts"
import { replanWaves } from "../../tasks/operations/plan-waves.ts"
import { changePhase, leaveComplete } from "../../tasks/operations/task-moves.ts"
import { type Complexity, type Task, type TaskBrief, workOf } from "../../tasks/task.ts"
import { placeForPlan, runChoice } from "../../teams/operations/place-for-plan.ts"
import { startRun } from "../../teams/operations/start-run.ts"
import { complexityOf } from "../complexity/complexity.ts"
import { MODEL_TIERS, type ModelTier } from "../complexity/model-tier.ts"
import { defaultSchedule, type Plan, type PlanTask } from "../plan.ts"
import { putSpecs } from "./role-specs.ts"

export interface AppliedPlan {
  readonly team: Team
  readonly created: readonly TaskId[]
  readonly updated: readonly TaskId[]
  readonly unchanged: readonly TaskId[]
  /** Not in the plan; unchanged. */
  readonly others: readonly TaskId[]
  readonly totalWaves: number
  /** Only new ones. */
  readonly roleSpecs: readonly string[]
  /** The run that ended because the plan began a new one. */
  readonly closed: number | null
}

/**
 * Writes a checked plan in one transaction: a missing team, tasks and waves. If the run is over, begins the next
 * one. Before work begins, the same plan changes nothing, and a changed plan changes and adds open tasks.
 */
export const applyPlan = operation({
  name: "plan.apply",
  summary: "Create or change the tasks of a team as a plan says",
  input: {
    ...teamFields,
    plan: record("the plan, checked") as v.GenericSchema as Field<Plan>,
    onOverlap: planFields.onOverlap,
    defaultModel: v.optional(choice(MODEL_TIERS, "the model for tasks whose text shows nothing of their complexity")),
    ...runChoice,
  },
  async run(context, { project, team: name, onOverlap = context.settings.onOverlap, ...given }): Promise<AppliedPlan> {
    const { store, settings } = context
    await context.ownProject?.(project)
    return store.write(async (tx) => {
      const { team, closed } = await ensureRun(tx, { project, team: name }, given)
      const known = new Map((await tx.tasks.lockAll(team.key)).map((task) => [task.id, task]))
      const plan = given.add === true ? await withFreeIds(tx, team, given.plan, known) : given.plan
      const kept = await keepFromOthers(tx, team, { tasks: plan.tasks, known, settings, onOverlap })
      const tasks = kept.map((task) => withComplexity(task, known.get(task.id), given.defaultModel))
      const planned = new Set<string>(tasks.map(({ id }) => id))
      const changes = tasks.flatMap((task) => changeOf(task, known.get(task.id), planned) ?? [])
      assertNotBegun(changes)
      const created = tasks.filter(({ id }) => !known.has(id))
      await createTasks(tx, team, created)
      for (const change of changes) await changeTask(tx, team, change)
      const numbers = created.flatMap(({ id }) => (/^\d{1,9}$/.test(id) ? [Number(id)] : []))
      if (numbers.length > 0) await tx.teams.raiseTaskNumber(team.key, Math.max(...numbers) + 1)
      const roleSpecs = await putSpecs(tx, team.key, plan)
      await keepAnalysis(tx, team.key, plan)
      const isOther = await changeTeam(tx, team, plan)
      if (created.length > 0) await leaveComplete(tx, team, PERSON)
      const totalWaves = await layOut(tx, team, created.length > 0 || changes.some(({ needs }) => needs !== undefined))
      const updated = changes.map(({ task }) => task.id)
      if (created.length + updated.length > 0) await askAtStart(tx, { project, team: name }, PERSON)
      const { workers = null, template = null, followUps, budget } = plan
      const said = {
        ...(followUps === undefined ? {} : { follow_ups: followUps }),
        ...(budget === undefined ? {} : { budget }),
      }
      const applied = { created: created.length, updated: updated.length, workers, template, ...said }
      if (isOther || created.length + updated.length + roleSpecs.length > 0)
        await tx.events.append(team.key, PERSON, { type: "plan.applied", data: applied })
      return {
        team: publicTeam(await getTeam(tx, { project, team: name })),
        created: created.map(({ id }) => id),
        updated,
        unchanged: tasks.flatMap(({ id }) => (known.has(id) && !updated.includes(id) ? [id] : [])),
        others: [...known.keys()].filter((id) => !planned.has(id)),
        totalWaves,
        roleSpecs,
        closed,
      }
    })
  },
})

interface GivenPlan {
  readonly plan: Plan
  readonly add?: boolean
  readonly new?: boolean
}

async function ensureRun(
  tx: Tx,
  name: TeamName,
  { plan, ...asked }: GivenPlan,
): Promise<{ readonly team: StoredTeam; readonly closed: number | null }> {
  const { goal } = plan
  const known = await tx.teams.lock(name)
  if (known !== undefined) {
    const isSame = (tasks: readonly Task[]) => isSamePlan(plan, tasks)
    if ((await placeForPlan(tx, known, { ...asked, isSame })) === "current") return { team: known, closed: null }
    const guards = {
      protocol: plan.protocol ?? (plan.mode === undefined ? known.protocol : protocolOf(plan.mode)),
      hasQa: plan.qa ?? known.hasQa,
    }
    const { mode = known.mode, schedule = known.schedule } = plan
    const team = await startRun(tx, known, { goal, mode, schedule, ...guards })
    return { team, closed: known.run }
  }
  const { mode = "FULL_AUTO", schedule = defaultSchedule(mode) } = plan
  const guards = { protocol: plan.protocol ?? protocolOf(mode), hasQa: plan.qa ?? false }
  const team = await tx.teams.create({ ...name, goal, mode, schedule, ...guards, phase: "PLANNING", status: "active" })
  if (team === undefined) throw new AppError("team.busy", "another process created the team just now; try again")
  await tx.events.append(team.key, PERSON, { type: "team.created", data: { goal } })
  return { team, closed: null }
}

/** Every task exists as the plan describes it. */
export function isSamePlan({ tasks }: Plan, known: readonly Task[]): boolean {
  const byId = new Map<string, Task>(known.map((task) => [task.id, task]))
  const planned = new Set<string>(tasks.map(({ id }) => id))
  return tasks.every((task) => {
    const before = byId.get(task.id)
    return before !== undefined && changeOf(withComplexity(task, before, undefined), before, planned) === undefined
  })
}

/**
 * An added plan may use numbers of other tasks: its tasks then get free numbers, also in needs. A task with the
 * same content is not added twice. An id that a person chose, or a number with the same title, means the existing
 * task.
 */
async function withFreeIds(tx: Tx, team: StoredTeam, plan: Plan, known: ReadonlyMap<string, Task>): Promise<Plan> {
  const planned = new Set<string>(plan.tasks.map(({ id }) => id))
  const isOther = ({ id, title }: PlanTask) => /^\d{1,9}$/.test(id) && (known.get(id)?.title ?? title) !== title
  const taken = plan.tasks.filter(isOther)
  const renamed = new Map<string, TaskId>()
  for (const wish of taken) {
    const twin = [...known.values()].find((task) => isTwin(wish, task))
    renamed.set(wish.id, twin?.id ?? (await freeNumber(tx, team, (taken) => known.has(taken) || planned.has(taken))))
  }
  if (renamed.size === 0) return plan
  const rename = (id: TaskId) => renamed.get(id) ?? id
  return {
    ...plan,
    tasks: plan.tasks.map((task) => ({ ...task, id: rename(task.id), needs: task.needs.map(rename) })),
  }
}

/** The same except for its number and the numbers of its needs. */
function isTwin(wish: PlanTask, task: Task): boolean {
  const change = changeOf(withComplexity({ ...wish, needs: [] }, task, undefined), task, new Set())
  return change === undefined || change.fields.every((field) => field === "needs")
}

async function freeNumber(tx: Tx, team: StoredTeam, isTaken: (id: string) => boolean): Promise<TaskId> {
  for (;;) {
    const id = parseTaskId(String(await tx.teams.takeTaskNumber(team.key)))
    if (!isTaken(id)) return id
  }
}

const ANALYSIS = "task-analysis.json"

/** A document of the team with the planner's words and the capabilities. */
async function keepAnalysis(tx: Tx, key: number, plan: Plan): Promise<void> {
  const { goal, understanding = null, capabilities = [], tasks } = plan
  if (understanding === null && capabilities.length === 0) return
  const needs = Object.fromEntries(tasks.map((task) => [task.id, task.needs]))
  const content = `${JSON.stringify({ goal, understanding, capabilities, needs }, null, 2)}\n`
  const known = (await tx.documents.list(key)).find(({ path }) => path === ANALYSIS)
  if (known?.content !== content) await tx.documents.put(key, { path: ANALYSIS, content, encoding: "utf8", by: LEAD })
}

async function changeTeam(tx: Tx, team: StoredTeam, { goal, mode, schedule, protocol, qa }: Plan): Promise<boolean> {
  const change = {
    ...(goal === team.goal ? {} : { goal }),
    ...(mode === undefined || mode === team.mode ? {} : { mode }),
    ...(schedule === undefined || schedule === team.schedule ? {} : { schedule }),
  }
  const guards = {
    ...(protocol === undefined || protocol === team.protocol ? {} : { protocol }),
    ...(qa === undefined || qa === team.hasQa ? {} : { hasQa: qa }),
  }
  if (Object.keys({ ...change, ...guards }).length === 0) return false
  await tx.teams.update(team.key, { ...change, ...guards })
  const { hasQa, ...rest } = { ...change, ...guards }
  const data = hasQa === undefined ? rest : { ...rest, qa: hasQa ? "on" : "off" }
  await tx.events.append(team.key, PERSON, { type: "team.updated", data })
  return true
}

interface Known {
  readonly tasks: readonly PlanTask[]
  readonly known: ReadonlyMap<string, Task>
  readonly settings: Settings
  readonly onOverlap: Settings["onOverlap"]
}

/** Other tasks of the team own files too; the plan was only checked by itself. */
async function keepFromOthers(tx: Tx, team: StoredTeam, given: Known): Promise<readonly PlanTask[]> {
  const { tasks, known, settings, onOverlap } = given
  const planned = new Set<string>(tasks.map(({ id }) => id))
  const outsiders = (await tx.tasks.owning(team.key)).filter(({ id }) => !planned.has(id))
  if (outsiders.length === 0) return tasks
  const owning = tasks.filter(({ id, files }) => files.length > 0 && (known.get(id)?.status ?? "open") === "open")
  const canMeet = makeConcurrency([
    ...tasks.map((task) => ({
      id: task.id,
      status: known.get(task.id)?.status ?? "open",
      blockedBy: needsOf(task, known),
    })),
    ...[...known.values()].filter(({ id }) => !planned.has(id)),
  ])
  const shared = sharedPatterns(settings)
  const overlaps = listOverlaps([...owning, ...outsiders], shared, jointPatterns(shared)).filter(
    ({ task, other }) => planned.has(task) !== planned.has(other) && canMeet(task, other),
  )
  if (overlaps.length === 0) return tasks
  if (onOverlap === "refuse") throw overlapError(overlaps)
  const waits = new Map<string, TaskId[]>()
  for (const { task, other } of overlaps) {
    const [mine, theirs] = planned.has(task) ? [task, other] : [other, task]
    waits.set(mine, [...(waits.get(mine) ?? []), theirs as TaskId])
  }
  return tasks.map((task) => ({ ...task, needs: [...task.needs, ...(waits.get(task.id) ?? [])] }))
}

/** With needs added later: a fix task, or a task with the same files. */
function needsOf({ id, needs }: PlanTask, known: ReadonlyMap<string, Task>): TaskId[] {
  return [...new Set([...needs, ...(known.get(id)?.blockedBy ?? [])])]
}

interface PlannedChange {
  readonly task: Task
  readonly change: TaskChange
  readonly needs?: { readonly added: readonly TaskId[]; readonly removed: readonly TaskId[] }
  readonly fields: readonly string[]
}

/**
 * By the text, if the plan says nothing. An existing task with the same text keeps its complexity, so a changed
 * setting does not change the plan.
 */
function withComplexity(task: PlanTask, before: Task | undefined, defaultModel: ModelTier | undefined): JudgedTask {
  const isSame = before?.title === task.title && before.description === task.description
  const complexity = task.complexity ?? (isSame ? before.complexity : complexityOf(task, defaultModel).complexity)
  return { ...task, complexity }
}

type JudgedTask = PlanTask & { readonly complexity: Complexity }

/** Undefined if the task is as planned. */
function changeOf(wish: JudgedTask, task: Task | undefined, planned: ReadonlySet<string>): PlannedChange | undefined {
  if (task === undefined) return undefined
  const { blockedBy, assignee: _, ...brief } = briefOf(wish)
  const { cascadeOf, cascadeDepth } = task.work
  const wanted = { ...brief, work: { ...brief.work, cascadeOf, cascadeDepth } }
  const change: TaskChange = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !Bun.deepEquals(value, task[name as keyof Task])),
  )
  const added = blockedBy.filter((need) => !task.blockedBy.includes(need))
  const removed = task.blockedBy.filter((need) => !blockedBy.includes(need) && planned.has(need))
  const needs = added.length + removed.length === 0 ? undefined : { added, removed }
  const fields = [...Object.keys(change), ...(needs === undefined ? [] : ["needs"])]
  return fields.length === 0 ? undefined : { task, change, needs, fields }
}

function briefOf(task: JudgedTask): TaskBrief {
  const { title, description, role, complexity, needs, acceptance, checks, files, priority, agentType = null } = task
  const texts = { title, description, role, complexity, acceptance, checks, files, priority, agentType }
  return { ...texts, blockedBy: [...new Set(needs)], assignee: null, work: workOf(task) }
}

/** A plan cannot change a task that has begun. */
function assertNotBegun(changes: readonly PlannedChange[]): void {
  const begun = changes.filter(({ task }) => task.status !== "open")
  if (begun.length === 0) return
  const said = begun.map(({ task, fields }) => `${task.id} (${task.status}; the plan changes ${fields.join(", ")})`)
  const more = said.length - MOST_SHOWN
  const list = `${said.slice(0, MOST_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
  const failed = begun.find(({ task }) => task.status === "failed")?.task.id
  // A reopened task can be changed.
  const again = failed === undefined ? "" : `, or open a failed one again with: teamwork task reopen ${failed}`
  const way = `leave them as they were, or write what is to change as new tasks${again}`
  throw new AppError("plan.started", `these tasks have begun and cannot be changed: ${list}; ${way}`, {
    tasks: begun.map(({ task, fields }) => ({ task: task.id, status: task.status, fields })),
  })
}

const MOST_SHOWN = 10

async function createTasks(tx: Tx, team: StoredTeam, tasks: readonly JudgedTask[]): Promise<void> {
  const drafts = tasks.map((task) => ({ id: task.id, brief: briefOf(task) }))
  await tx.tasks.createAll(team.key, drafts)
  await Promise.all(
    drafts.map(({ id, brief }) => {
      const data = { task: id, title: brief.title, blocked_by: [...brief.blockedBy] }
      return tx.events.append(team.key, PERSON, { type: "task.created", data })
    }),
  )
}

async function changeTask(tx: Tx, team: StoredTeam, { task, change, needs, fields }: PlannedChange): Promise<void> {
  const changed = fields.filter((field) => field !== "needs")
  if (changed.length > 0) {
    await tx.tasks.update(team.key, task.id, change)
    await tx.events.append(team.key, PERSON, { type: "task.updated", data: { task: task.id, fields: changed } })
  }
  if (needs === undefined) return
  const { added, removed } = needs
  const now = [...task.blockedBy.filter((need) => !removed.includes(need)), ...added]
  await tx.tasks.setNeeds(team.key, task.id, now)
  const data = { task: task.id, added: [...added], removed: [...removed] }
  await tx.events.append(team.key, PERSON, { type: "task.needs_changed", data })
}

/** New waves if the graph changed; ends planning. */
async function layOut(tx: Tx, team: StoredTeam, hasChanged: boolean): Promise<number> {
  const before = (await tx.waves.list(team.key)).length
  const total = hasChanged || before === 0 ? await replanWaves(tx, team, PERSON) : before
  if (team.phase === "PLANNING") await changePhase(tx, team, { to: "EXECUTION", by: PERSON })
  return total
}
