import * as v from "valibot"
import { describeField, type Fields } from "../lib/schema.ts"
import { type JsonSchema, jsonSchemaOf, type ObjectJsonSchema } from "../lib/to-json-schema.ts"
import { PLAN_DEFAULTS, PLAN_FIELDS, PLAN_TASK_FIELDS } from "./plan.ts"
import { MAX_ROLE_SPECS, ROLE_SPEC_FIELDS } from "./roles/role-spec.ts"

/** For editors; docs/plan.schema.json contains it. */
export function planJsonSchema(): JsonSchema {
  const form = { adapt: formOfDocuments }
  const { properties, ...plan } = jsonSchemaOf(PLAN_FIELDS, form)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "plan.schema.json",
    title: "A plan for teamwork: goal and tasks",
    ...plan,
    properties: {
      $schema: { type: "string", description: "The address of this schema, for editors." },
      ...properties,
      defaults: { ...jsonSchemaOf(PLAN_DEFAULTS, form), description: describeField(PLAN_FIELDS.defaults).description },
      roleSpecs: {
        type: "array",
        maxItems: MAX_ROLE_SPECS,
        description: describeField(PLAN_FIELDS.roleSpecs).description,
        items: jsonSchemaOf(ROLE_SPEC_FIELDS, form),
      },
      tasks: {
        type: "array",
        minItems: 1,
        description: describeField(PLAN_FIELDS.tasks).description,
        items: jsonSchemaOf({ ...PLAN_TASK_FIELDS, id: v.optional(PLAN_TASK_FIELDS.id) }, form),
      },
    },
  }
}

export const UNDERSTANDING: JsonSchema = {
  type: "string",
  description: "the goal, in one or two sentences that a newcomer understands",
}

/** A planner chooses neither who does a task nor its commands. */
const PLANNED = [
  "id",
  "title",
  "description",
  "acceptance",
  "checks",
  "role",
  "agentType",
  "complexity",
  "needs",
  "files",
]

/** Strict, as some models need it: all fields required, and no others. */
export function answerSchema(agentTypes: readonly string[]): JsonSchema {
  const { agentType, ...fields } = PLAN_TASK_FIELDS
  const planned = {
    ...fields,
    agentType: v.pipe(v.picklist(agentTypes), v.description(describeField(agentType).description)),
  }
  const tasks = { type: "array", items: strictSchemaOf(planned, PLANNED) }
  const properties = { understanding: UNDERSTANDING, tasks }
  return { type: "object", additionalProperties: false, required: Object.keys(properties), properties }
}

/** All required. */
export function strictSchemaOf(fields: Fields, names: readonly string[] = Object.keys(fields)): ObjectJsonSchema {
  const own = names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const]))
  return { ...jsonSchemaOf(Object.fromEntries(own), { hasDefaults: false }), required: names }
}

/** People may write a number for an id, and one value for a list. */
function formOfDocuments({ type, items, ...json }: JsonSchema): JsonSchema {
  if (type === "string" && json.enum === undefined) return { ...json, type: ["string", "number"] }
  if (type !== "array") return { ...json, type }
  const item = formOfDocuments(items as JsonSchema)
  return { ...json, anyOf: [item, { type: "array", items: item }] }
}
