import type { TaskId } from "../kernel/ids.ts"
import { GENERIC_ROLE } from "../tasks/task.ts"
import { PLAN_DEFAULTS, PLAN_FIELDS, PLAN_TASK_FIELDS, type Plan, type PlanProblem, type PlanTask } from "./plan.ts"
import { isTable, readFields, type Table } from "./read-fields.ts"
import { ROLE_SPEC_FIELDS, type RoleSpec } from "./roles/role-spec.ts"

export interface ReadPlan {
  /** Without wrong fields. */
  readonly plan: Plan
  readonly problems: readonly PlanProblem[]
  /** All task ids are known. After a wrong id, every need of that task would look wrong too. */
  readonly knowsTasks: boolean
}

export function readPlan(given: unknown): ReadPlan {
  if (!isTable(given))
    return { plan: { goal: "", tasks: [] }, problems: [{ path: [], message: NOT_A_PLAN }], knowsTasks: false }
  const { $schema: _, ...document } = given
  const top = readFields(PLAN_FIELDS, document)
  const { tasks = [], defaults = {}, roleSpecs = [], ...own } = top.values
  const common = readFields(PLAN_DEFAULTS, defaults, ["defaults"])
  const problems: PlanProblem[] = [...top.problems, ...common.problems]
  if (Array.isArray(given.tasks) && given.tasks.length === 0) problems.push({ path: ["tasks"], message: "has no task" })
  const read = tasks.flatMap((item, index) => {
    const path = ["tasks", index]
    if (!isTable(item)) {
      problems.push({ path, message: "is not a task; write it as title: ..., id: ..." })
      return []
    }
    const id = String(index + 1) as TaskId
    const task = readFields(PLAN_TASK_FIELDS, { id, ...common.values, ...withoutNull(item) }, path)
    problems.push(...task.problems)
    return [{ ...EMPTY_TASK, id, ...task.values }]
  })
  const knowsTasks = read.length > 0 && read.length === tasks.length && !problems.some(({ path }) => path[2] === "id")
  const specs = roleSpecs.flatMap((item, index) => readSpec(item, index, problems))
  return {
    plan: { goal: "", ...own, ...(specs.length > 0 && { roleSpecs: specs }), tasks: read },
    problems,
    knowsTasks,
  }
}

const NOT_A_PLAN = "is not a plan; it needs a goal and tasks, see docs/plans.md"

/** Stands for wrong fields, so that the others can be checked. */
const EMPTY_TASK: Omit<PlanTask, "id"> = {
  title: "",
  description: "",
  role: GENERIC_ROLE,
  priority: 0,
  grantShared: false,
  acceptance: [],
  checks: [],
  needs: [],
  files: [],
  run: [],
  repair: [],
}

function readSpec(item: unknown, index: number, problems: PlanProblem[]): RoleSpec[] {
  const path = ["roleSpecs", index]
  if (!isTable(item)) {
    problems.push({ path, message: "is not a role; write it as name: ..., prefix: ..." })
    return []
  }
  const spec = readFields(ROLE_SPEC_FIELDS, item, path)
  problems.push(...spec.problems)
  return spec.problems.length === 0 ? [spec.values as RoleSpec] : []
}

/** An empty field does not override the defaults. */
function withoutNull(item: Table): Table {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null && value !== undefined))
}
