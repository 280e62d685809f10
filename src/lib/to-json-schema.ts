import { toJsonSchema } from "@valibot/to-json-schema"
import * as v from "valibot"
import type { Fields } from "./schema.ts"

export type JsonSchema = { [keyword: string]: unknown }

export interface ObjectJsonSchema extends JsonSchema {
  readonly type: "object"
  readonly properties: Record<string, JsonSchema>
  readonly required?: readonly string[]
}

interface Form {
  /** Another form of the schema of one value, such as one that also takes what people write by hand. */
  readonly adapt?: (json: JsonSchema) => JsonSchema
  /** False for models that take no defaults. */
  readonly hasDefaults?: boolean
}

/** A table of fields as a JSON Schema that allows no other properties. */
export function jsonSchemaOf(
  fields: Fields,
  { adapt = (json) => json, hasDefaults = true }: Form = {},
): ObjectJsonSchema {
  const {
    $schema,
    required = [],
    ...made
  } = toJsonSchema(v.strictObject(fields), {
    // Our own checks have no form in JSON Schema; teamwork makes them when the value arrives.
    errorMode: "ignore",
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (valibotAction.type === "safe_integer") return { ...jsonSchema, type: "integer" }
      if (valibotAction.type !== "metadata") return undefined
      // The separator is for command lines, and no keyword of JSON Schema.
      const { separator, ...known } = jsonSchema as JsonSchema
      return known
    },
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      plainForm(valibotSchema.type, jsonSchema as JsonSchema, hasDefaults),
  })
  const properties = Object.entries(made.properties ?? {}).map(([name, json]) => [name, adapt(json as JsonSchema)])
  return {
    type: "object",
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
  }
}

/** Without what says nothing: the description of an item, an empty default, the keys of any record. */
function plainForm(type: string, json: JsonSchema, hasDefaults: boolean): JsonSchema {
  const { default: fallback, propertyNames, additionalProperties, ...rest } = json
  switch (type) {
    case "array": {
      const { description, ...items } = json.items as JsonSchema
      return { ...json, items }
    }
    case "custom":
      return { ...json, type: "object" }
    case "record":
      return rest
    case "optional": {
      const isEmpty = fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)
      return isEmpty || !hasDefaults ? { ...json, default: undefined } : json
    }
    default:
      return json
  }
}
