import { text } from "../lib/schema.ts"
import type { JsonSchema } from "../lib/to-json-schema.ts"
import { PLAN_TASK_FIELDS } from "./plan.ts"
import { strictSchemaOf, UNDERSTANDING } from "./plan-schema.ts"
import { MAX_ROLE_SPECS, ROLE_SPEC_FIELDS } from "./roles/role-spec.ts"
import type { RoleDefinition } from "./roles/roles.ts"

const TASK = ["id", "title", "description", "acceptance", "checks", "complexity", "needs", "files"]

/** Capabilities, roles for them, and tasks. */
export function analysisSchema(): JsonSchema {
  const owned = { ...PLAN_TASK_FIELDS, owner: text("the name of the role that does it") }
  const list = (items: JsonSchema, description: string) => ({ type: "array", items, description })
  const properties = {
    understanding: UNDERSTANDING,
    capabilities: list({ type: "string" }, "the capabilities that the goal needs, each in a line"),
    roles: list(strictSchemaOf(ROLE_SPEC_FIELDS), `who has these capabilities; at most ${MAX_ROLE_SPECS}`),
    tasks: list(strictSchemaOf(owned, [...TASK, "owner"]), "the work, and its order: needs make the graph"),
  }
  return { type: "object", additionalProperties: false, required: Object.keys(properties), properties }
}

type Table = Readonly<Record<string, unknown>>

/** Reuses existing roles; the others become role-specs. The checks of plans report problems. */
export function planOfAnalysis(answer: unknown, goal: string, known: readonly RoleDefinition[]): unknown {
  const { roles = [], tasks, ...said } = (isTable(answer) ? answer : {}) as Table
  const rest = understood(said)
  if (!Array.isArray(tasks) || !Array.isArray(roles)) return { ...rest, goal }
  const isKnown = (name: unknown) => known.some((role) => role.name === name && role.prefix !== undefined)
  const responsibilityOf = (name: unknown) =>
    known.find((role) => role.name === name)?.responsibility ??
    roles.find((role): role is Table => isTable(role) && role.name === name)?.responsibility
  return {
    ...rest,
    goal,
    roleSpecs: roles.filter((role) => !(isTable(role) && isKnown(role.name))),
    tasks: tasks.map((task) => {
      if (!isTable(task)) return task
      const { owner, ...own } = task
      return { ...own, agentType: owner, role: responsibilityOf(owner) === "review" ? "review" : "worker" }
    }),
  }
}

/** Without a schema, an agent may answer its own wording as the goal. */
export function understood({ goal, ...rest }: Table): Table {
  return goal === undefined ? rest : { understanding: goal, ...rest }
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
