import { unreachable } from "../../lib/unreachable.ts"
import { CONFIG_KEY_NAMES, type ConfigKey, configRow } from "./keys.ts"

export type JsonSchema = { [keyword: string]: unknown }

/** The JSON Schema of our settings files, for editors. `docs/config.schema.json` is this, written out. */
export function configJsonSchema(): JsonSchema {
  const root = objectSchema()
  root.properties.$schema = { type: "string", description: "The address of this schema, for editors." }
  for (const key of CONFIG_KEY_NAMES) place(root, key.split("."), valueSchema(key))
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "config.schema.json",
    title: "Settings of teamwork: config.json in its home folder, teamwork.json in a repository",
    ...root,
  }
}

type ObjectSchema = {
  type: "object"
  additionalProperties: false
  properties: { [name: string]: JsonSchema | ObjectSchema }
}

function objectSchema(): ObjectSchema {
  return { type: "object", additionalProperties: false, properties: {} }
}

function place(parent: ObjectSchema, [name = "", ...rest]: string[], schema: JsonSchema): void {
  if (rest.length === 0) {
    parent.properties[name] = schema
    return
  }
  const existing = parent.properties[name]
  const group = existing !== undefined && isObjectSchema(existing) ? existing : objectSchema()
  parent.properties[name] = group
  place(group, rest, schema)
}

function isObjectSchema(schema: JsonSchema | ObjectSchema): schema is ObjectSchema {
  return schema.type === "object"
}

function valueSchema(key: ConfigKey): JsonSchema {
  const row = configRow(key)
  const common = { description: row.description, default: row.default }
  switch (row.type) {
    case "string":
      return {
        type: "string",
        ...common,
        ...(row.choices && { enum: row.choices }),
        ...(row.pattern && { pattern: row.pattern }),
      }
    case "number":
      return { ...common, ...wholeNumber(row), ...(row.isDecimal && { type: "number" }) }
    case "boolean":
      return { type: "boolean", ...common }
    case "strings":
      return { type: "array", ...common, items: { type: "string", pattern: row.pattern ?? "\\S" } }
    case "numbers":
      return { type: "array", ...common, items: wholeNumber(row) }
    default:
      return unreachable(row)
  }
}

function wholeNumber({ min, max }: { readonly min: number; readonly max?: number }): JsonSchema {
  return { type: "integer", minimum: min, ...(max !== undefined && { maximum: max }) }
}
