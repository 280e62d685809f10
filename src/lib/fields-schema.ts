import type { Field, Fields, NumberLimits } from "./fields.ts"
import { unreachable } from "./unreachable.ts"

/** Tables of fields as JSON Schema, for whoever checks or fills them in elsewhere: editors, models, MCP clients. */
export type JsonSchema = { [keyword: string]: unknown }

type Form = (field: Field<unknown>) => JsonSchema

export function objectSchema(fields: Fields, form: Form, optional: readonly string[] = []) {
  const entries = Object.entries(fields)
  const required = entries.flatMap(([name, { isOptional }]) => (isOptional || optional.includes(name) ? [] : [name]))
  const properties: Record<string, JsonSchema> = {}
  for (const [name, field] of entries) {
    const { fallback, description } = field
    const isSaid = fallback !== undefined && !(Array.isArray(fallback) && fallback.length === 0)
    properties[name] = { ...form(field), description, ...(isSaid && form !== plainForm ? { default: fallback } : {}) }
  }
  return {
    type: "object" as const,
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
    properties,
  }
}

export function plainForm(field: Field<unknown>): JsonSchema {
  switch (field.kind) {
    case "text":
      return { type: "string", ...(field.choices && { enum: field.choices }) }
    case "number":
      return numberForm(field.limits ?? {})
    case "flag":
      return { type: "boolean" }
    case "list":
      return { type: "array", items: field.item === undefined ? {} : plainForm(field.item) }
    case "record":
      return { type: "object" }
    default:
      return unreachable(field.kind)
  }
}

function numberForm({ min, max, isInteger }: NumberLimits): JsonSchema {
  return {
    type: isInteger === true ? "integer" : "number",
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  }
}
