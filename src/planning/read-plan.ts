import { quoteInput, type TaskId } from "../kernel/ids.ts"
import { describeField, type Field, type Fields, problemWith } from "../lib/schema.ts"
import { nearest } from "../lib/text/nearest.ts"
import { GENERIC_ROLE } from "../tasks/task.ts"
import {
  PLAN_DEFAULTS,
  PLAN_FIELDS,
  PLAN_TASK_FIELDS,
  type Plan,
  type PlanPath,
  type PlanProblem,
  type PlanTask,
} from "./plan.ts"
import { ROLE_SPEC_FIELDS, type RoleSpec } from "./roles/role-spec.ts"

export interface ReadPlan {
  /** As far as it could be read: what is wrong was left out. */
  readonly plan: Plan
  /** All of them, in the order of the document. */
  readonly problems: readonly PlanProblem[]
  /** Which tasks there are is clear; with a wrong id, every need of that task would look wrong as well. */
  readonly knowsTasks: boolean
}

type Table = Readonly<Record<string, unknown>>

/** Makes a plan of what a document says, field by field. */
export function readPlan(given: unknown): ReadPlan {
  const problems: PlanProblem[] = []
  const nothing = { plan: { goal: "", tasks: [] }, knowsTasks: false }
  if (!isTable(given)) return { ...nothing, problems: [{ path: [], message: NOT_A_PLAN }] }
  const { tasks, defaults, roleSpecs, ...top } = readFields(PLAN_FIELDS, given, { path: [], problems })
  const common = isTable(defaults) ? readFields(PLAN_DEFAULTS, defaults, { path: ["defaults"], problems }) : {}
  const items = Array.isArray(tasks) ? tasks : []
  if (Array.isArray(tasks) && items.length === 0) problems.push({ path: ["tasks"], message: "has no task" })
  const read = items.flatMap((item, index) => {
    const path = ["tasks", index]
    if (isTable(item)) return [readTask(item, common, { path, problems })]
    problems.push({ path, message: "is not a task; write it as title: ..., id: ..." })
    return []
  })
  const knowsTasks = items.length > 0 && read.length === items.length && !problems.some(({ path }) => path[2] === "id")
  const specs = Array.isArray(roleSpecs) ? readSpecs(roleSpecs, problems) : []
  const own = { ...top, ...(specs.length === 0 ? {} : { roleSpecs: specs }) }
  return { plan: { goal: "", ...own, tasks: read }, problems, knowsTasks }
}

const NOT_A_PLAN = "is not a plan; it needs a goal and tasks, see docs/plans.md"

/** Without those that are wrong. */
function readSpecs(items: readonly unknown[], problems: PlanProblem[]): RoleSpec[] {
  return items.flatMap((item, index) => {
    const place: Place = { path: ["roleSpecs", index], problems: [] }
    const spec = isTable(item) ? readFields(ROLE_SPEC_FIELDS, withoutNothing(item), place) : {}
    if (!isTable(item))
      place.problems.push({ path: place.path, message: "is not a role; write it as name: ..., prefix: ..." })
    problems.push(...place.problems)
    return place.problems.length === 0 ? [spec as unknown as RoleSpec] : []
  })
}

interface Place {
  readonly path: PlanPath
  readonly problems: PlanProblem[]
}

function readTask(item: Table, common: Table, place: Place): PlanTask {
  const id = String(Number(place.path[1]) + 1) as TaskId
  const read: Partial<PlanTask> = readFields(PLAN_TASK_FIELDS, { id, ...common, ...withoutNothing(item) }, place)
  return { ...NOTHING, id, ...read }
}

/** Of a field that is wrong, nothing is left: others can still be checked. */
const NOTHING: Omit<PlanTask, "id"> = {
  ...{ title: "", description: "", role: GENERIC_ROLE, priority: 0, grantShared: false },
  ...{ acceptance: [], checks: [], needs: [], files: [], run: [], repair: [] },
}

function readFields(fields: Fields, given: Table, { path, problems }: Place): Table {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(fields, name) || (path.length === 0 && name === "$schema")) continue
    problems.push({ path: [...path, name], message: unknownField(name, fields) })
  }
  for (const [name, field] of Object.entries(fields)) {
    const { fallback, isOptional } = describeField(field)
    const value = adapt(field, given[name]) ?? fallback
    if (value === undefined) {
      if (!isOptional) problems.push({ path, message: `${name} is missing` })
      continue
    }
    const found = problemsWith(field, value)
    problems.push(...found.map((each) => ({ path: [...path, name, ...each.path], message: each.message })))
    if (found.length === 0) values[name] = value
  }
  return values
}

/** People write one thing where a list may be, and numbers for ids. */
function adapt(field: Field<unknown>, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  const { kind, item } = describeField(field)
  if (item !== undefined) {
    if (Array.isArray(value)) return value.map((each) => adapt(item, each) ?? each)
    return describeField(item).kind === "record" ? value : [adapt(item, value)]
  }
  return kind === "text" && typeof value === "number" ? String(value) : value
}

function problemsWith(field: Field<unknown>, value: unknown): { path: PlanPath; message: string }[] {
  const { item } = describeField(field)
  if (Array.isArray(value) && item !== undefined && describeField(item).kind !== "record") {
    return value.flatMap((each, index) => {
      const problem = saidProblem(item, each)
      return problem === undefined ? [] : [{ path: [index], message: problem }]
    })
  }
  if (item !== undefined && Array.isArray(value)) return [] // each of them is read on its own
  const problem = saidProblem(field, value)
  return problem === undefined ? [] : [{ path: [], message: problem }]
}

function saidProblem(field: Field<unknown>, value: unknown): string | undefined {
  const problem = problemWith(field, value)
  const { choices } = describeField(field)
  if (problem === undefined || choices === undefined || typeof value !== "string") return problem
  const close = nearest(value, choices)
  return `${quoteInput(value)} ${problem}${close === undefined ? "" : `; did you mean ${close}?`}`
}

function unknownField(name: string, fields: Fields): string {
  const close = nearest(name, Object.keys(fields))
  const hint = close === undefined ? `there are ${Object.keys(fields).join(", ")}` : `did you mean ${close}?`
  return `is not known here; ${hint}`
}

function withoutNothing(item: Table): Table {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null && value !== undefined))
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
