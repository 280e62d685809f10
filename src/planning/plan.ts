import * as v from "valibot"
import { BUDGET_FORMS, problemWithBudget } from "../kernel/budget.ts"
import { ID_RULE, isId, quoteInput, type TaskId } from "../kernel/ids.ts"
import { PROTOCOLS } from "../kernel/phase.ts"
import { SCHEDULES, type Schedule, TEAM_MODES, type TeamMode } from "../kernel/team.ts"
import { choice, type Field, type Fields, flag, type InputOf, list, number, record, text } from "../lib/schema.ts"
import { problemWithPattern } from "../ownership/file-pattern.ts"
import { EFFORTS } from "../tasks/effort.ts"
import { COMPLEXITIES, GENERIC_ROLE, MAX_PRIORITY, problemWithText, problemWithTitle, ROLES } from "../tasks/task.ts"
import type { RoleSpec } from "./roles/role-spec.ts"
import { parseStaffing, STAFFING_FORMS } from "./staffing.ts"

const line = (description: string) => text(description, problemWithText)
const id = text("its id, for the needs of others; by default its number in the list", (value) =>
  isId(value) ? undefined : `${quoteInput(value)} is not valid; use ${ID_RULE}`,
) as Field<TaskId>
const SHORT = 200

/**
 * Each merge is tested, so a task waits only for its own needs. Under supervision a person approves the draft after
 * the first wave.
 */
export function defaultSchedule(mode: TeamMode): Schedule {
  return mode === "SUPERVISED" ? "waves" : "eager"
}

/** A plan may set these for all its tasks. */
const COMMON_FIELDS = {
  role: v.optional(choice(ROLES, "role of the worker that takes it"), GENERIC_ROLE),
  agentType: v.optional(text("kind of agent that does it, such as executor; see teamwork role list", short)),
  complexity: v.optional(choice(COMPLEXITIES, "how hard it is; by default what its title and description show")),
  agent: v.optional(
    text("the agent that does it, such as codex or script; by default what teamwork route names", short),
  ),
  model: v.optional(text("the model by name; by default what the agent's settings say for the complexity", short)),
  effort: v.optional(choice(EFFORTS, "how hard the model should think")),
  checks: v.optional(list(line("command"), "commands that must exit with 0 at the end"), []),
} satisfies Fields

/** Checks, JSON Schema and docs are made from these. */
export const PLAN_TASK_FIELDS = {
  id,
  title: text("the work, in a line", problemWithTitle),
  description: v.optional(line("the work, in full"), ""),
  acceptance: v.optional(list(line("what must be true"), "what must be true at the end, in words"), []),
  ...COMMON_FIELDS,
  needs: v.optional(list(id, "ids of the tasks that must be done before"), []),
  files: v.optional(
    list(
      text("pattern", problemWithPattern),
      "patterns of the files that it may write; other tasks may write them only where they are shared",
    ),
    [],
  ),
  priority: v.optional(
    number("which ready task comes first: the highest", {
      min: -MAX_PRIORITY,
      max: MAX_PRIORITY,
      isInteger: true,
    }),
    0,
  ),
  grantShared: flag("where a lead owns shared files: let the task own those that its patterns name"),
  run: v.optional(list(line("command"), "commands that the script agent runs to do it"), []),
  repair: v.optional(
    list(line("command"), "commands it runs instead after the work was refused or could not be merged"),
    [],
  ),
} satisfies Fields

export const PLAN_FIELDS = {
  goal: text("the goal", problemWithText),
  understanding: v.optional(line("the goal in the planner's words; the goal itself stays as it was typed")),
  capabilities: v.optional(list(line("capability"), "the capabilities that the goal needs, from its analysis")),
  preset: v.optional(text("the kind of team, with settings for what the plan leaves out; see teamwork presets", short)),
  schedule: v.optional(choice(SCHEDULES, "when tasks start")),
  mode: v.optional(choice(TEAM_MODES, "who decides routine matters")),
  protocol: v.optional(choice(PROTOCOLS, "whether tasks are planned and approved before they are done")),
  qa: flag("have a second agent check the work of each task before it counts"),
  followUps: flag("make follow-up tasks for tests and reviews; by default as the preset says, or none"),
  workers: v.optional(text(`who works on it: ${STAFFING_FORMS}`, problemWithStaffing)),
  budget: v.optional(text(`what the agents may use in this run: ${BUDGET_FORMS}`, problemWithBudget)),
  template: v.optional(text("the template it was made from, or custom; for reports", short)),
  defaults: v.optional(record("defaults for all tasks"), {}),
  roleSpecs: v.optional(list(v.unknown(), "roles made for this plan, which its tasks name as their agentType")),
  tasks: list(v.unknown(), "the work"),
} satisfies Fields

export const PLAN_DEFAULTS: Fields = COMMON_FIELDS

export type PlanTask = Omit<InputOf<typeof PLAN_TASK_FIELDS>, "grantShared"> & { readonly grantShared: boolean }

export interface Plan extends Omit<InputOf<typeof PLAN_FIELDS>, "defaults" | "tasks" | "roleSpecs"> {
  readonly roleSpecs?: readonly RoleSpec[]
  readonly tasks: readonly PlanTask[]
}

/** `["tasks", 2, "needs"]` */
export type PlanPath = readonly (string | number)[]

export interface PlanProblem {
  readonly path: PlanPath
  readonly message: string
}

/** `tasks[2].needs` */
export function sayPath(path: PlanPath): string {
  return path.reduce<string>((said, part) => {
    if (typeof part === "number") return `${said}[${part}]`
    return said === "" ? part : `${said}.${part}`
  }, "")
}

function short(value: string): string | undefined {
  return value.length > SHORT ? `must be at most ${SHORT} characters` : problemWithTitle(value)
}

function problemWithStaffing(value: string): string | undefined {
  const read = parseStaffing(value)
  return "problem" in read ? read.problem : undefined
}
