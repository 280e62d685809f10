import type { Field, Fields } from "../lib/fields.ts"
import { type JsonSchema, objectSchema, plainForm } from "../lib/fields-schema.ts"
import { PLAN_DEFAULTS, PLAN_FIELDS, PLAN_TASK_FIELDS } from "./plan.ts"
import { MAX_ROLE_SPECS, ROLE_SPEC_FIELDS } from "./roles/role-spec.ts"

/** The JSON Schema of plan documents, for editors. `docs/plan.schema.json` is this, written out. */
export function planJsonSchema(): JsonSchema {
  const { properties, ...plan } = objectSchema(PLAN_FIELDS, formOfDocuments)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "plan.schema.json",
    title: "A plan for teamwork: goal and tasks",
    ...plan,
    properties: {
      $schema: { type: "string", description: "The address of this schema, for editors." },
      ...properties,
      defaults: { ...objectSchema(PLAN_DEFAULTS, formOfDocuments), description: PLAN_FIELDS.defaults.description },
      roleSpecs: {
        type: "array",
        maxItems: MAX_ROLE_SPECS,
        description: PLAN_FIELDS.roleSpecs.description,
        items: objectSchema(ROLE_SPEC_FIELDS, formOfDocuments),
      },
      tasks: {
        type: "array",
        minItems: 1,
        description: PLAN_FIELDS.tasks.description,
        items: objectSchema(PLAN_TASK_FIELDS, formOfDocuments, ["id"]),
      },
    },
  }
}

/** What a planner makes of the goal, which stays beside the user's words. */
export const UNDERSTANDING: JsonSchema = {
  type: "string",
  description: "the goal, in one or two sentences that somebody new understands",
}

/** What a planner agent may say of a task: not who does it, and no commands that run by themselves. */
const PLANNED = [
  ...["id", "title", "description", "acceptance", "checks", "role", "agentType"],
  ...["complexity", "needs", "files"],
]

/**
 * The answer of a planner agent. Strict, as some models want it: every field is required, and nothing else is allowed.
 */
export function answerSchema(agentTypes: readonly string[]): JsonSchema {
  const fields: Fields = PLAN_TASK_FIELDS
  const planned = Object.fromEntries(PLANNED.map((name) => [name, fields[name] as Field<unknown>]))
  const task = objectSchema(planned, plainForm)
  task.properties.agentType = { type: "string", enum: agentTypes, description: fields.agentType?.description }
  const tasks = { type: "array", items: { ...task, required: PLANNED } }
  const properties = { understanding: UNDERSTANDING, tasks }
  return { type: "object", additionalProperties: false, required: Object.keys(properties), properties }
}

/** As a person may write it: a number for an id, and one thing where a list may be. */
function formOfDocuments(field: Field<unknown>): JsonSchema {
  if (field.kind === "text" && field.choices === undefined) return { type: ["string", "number"] }
  if (field.kind !== "list" || field.item === undefined) return plainForm(field)
  const item = formOfDocuments(field.item)
  return { anyOf: [item, { type: "array", items: item }] }
}
