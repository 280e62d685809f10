import * as v from "valibot"
import { AppError } from "../kernel/errors.ts"
import { quoteInput } from "../kernel/ids.ts"
import { PROTOCOLS } from "../kernel/phase.ts"
import { SCHEDULES, TEAM_MODES } from "../kernel/team.ts"
import { choice, type Fields, flag, type InputOf, record, text } from "../lib/schema.ts"
import { nearest } from "../lib/text/nearest.ts"
import { GENERIC_ROLE, problemWithTitle, ROLES } from "../tasks/task.ts"
import { WORK_TYPES, type WorkType, workTypeOf } from "./complexity/work-type.ts"
import { PLAN_FIELDS, type Plan, type PlanTask } from "./plan.ts"
import { TEMPLATES } from "./plan-templates.ts"
import { assertCapable, getRole, type RoleDefinition } from "./roles/roles.ts"

/** Missing fields are left to the plan and the defaults. */
export const PRESET_FIELDS = {
  summary: text("what kind of team it is, in a line", problemWithTitle),
  protocol: v.optional(choice(PROTOCOLS, "whether tasks are planned and approved before they are done")),
  qa: flag("have a second agent check the work of each task before it counts"),
  mode: v.optional(choice(TEAM_MODES, "who decides routine matters")),
  schedule: v.optional(choice(SCHEDULES, "when tasks start")),
  followUps: flag("make follow-up tasks for tests and reviews; by default none"),
  workers: PLAN_FIELDS.workers,
  template: v.optional(choice(TEMPLATES, "the shape of a plan for a goal")),
  coordinate: flag("split a goal into capabilities, and make roles for them"),
  roles: v.optional(record(`who does tasks without a role, by their outcome: ${WORK_TYPES.join(", ")}`), {}),
} satisfies Fields

/** For tasks without a role, by type of work: a role or an agent type. */
export const PRESET_ROLES = {
  code: v.optional(text("role of code")),
  document: v.optional(text("role of documents")),
  research: v.optional(text("role of research")),
  design: v.optional(text("role of designs")),
} satisfies Record<WorkType, Fields[string]>

export const PRESET_SOURCES = ["built-in", "home", "repository"] as const

/** Settings that a plan can leave out. */
export interface Preset extends Omit<InputOf<typeof PRESET_FIELDS>, "roles"> {
  readonly name: string
  readonly source: (typeof PRESET_SOURCES)[number]
  readonly roles: InputOf<typeof PRESET_ROLES>
}

export function getPreset(presets: readonly Preset[], name: string): Preset {
  const found = presets.find((each) => each.name === name)
  if (found !== undefined) return found
  const names = presets.map((each) => each.name)
  const close = nearest(name, names)
  const hint = `${close === undefined ? "" : `did you mean ${close}? `}there are ${names.join(", ")}`
  throw new AppError("preset.not_found", `there is no preset ${quoteInput(name)}; ${hint}`, {
    preset: name,
    known: names,
  })
}

export function fillPlan(plan: Plan, preset: Preset, roles: readonly RoleDefinition[]): Plan {
  const { protocol, qa, mode, schedule, workers, followUps = false, name } = preset
  const said = { protocol, qa, mode, schedule, followUps, workers }
  const own = Object.fromEntries(
    Object.entries({ ...said, ...withoutNothing(plan) }).filter(([, value]) => value !== undefined),
  )
  return { ...plan, ...own, preset: name, tasks: plan.tasks.map((task) => fillTask(task, preset, roles)) }
}

/** Only tasks without a role and agent type, and only to a capable role. */
function fillTask(task: PlanTask, preset: Preset, roles: readonly RoleDefinition[]): PlanTask {
  if (task.role !== GENERIC_ROLE || task.agentType !== undefined) return task
  const name = preset.roles[workTypeOf(task)]
  if (name === undefined) return task
  const role = ROLES.find((each) => each === name)
  if (role !== undefined) return { ...task, role }
  const definition = getRole(roles, name)
  return isCapable(task, definition) ? { ...task, agentType: name } : task
}

function isCapable(task: PlanTask, definition: RoleDefinition): boolean {
  try {
    assertCapable(task, definition)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

function withoutNothing(plan: Plan): Partial<Plan> {
  return Object.fromEntries(Object.entries(plan).filter(([, value]) => value !== undefined))
}
