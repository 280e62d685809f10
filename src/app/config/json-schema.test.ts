import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { configJsonSchema } from "./json-schema.ts"
import { getSetting, SETTING_KEYS } from "./settings.ts"

type JsonSchema = Record<string, unknown>

function child(schema: unknown, name: string): JsonSchema {
  const properties = isObject(schema) ? schema.properties : undefined
  const found = isObject(properties) ? properties[name] : undefined
  return isObject(found) ? found : {}
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null
}

// To bring it up to date:
// bun -e 'import { configJsonSchema } from "./src/app/config/json-schema.ts"
//   await Bun.write("docs/config.schema.json", JSON.stringify(configJsonSchema(), null, 2) + "\n")'
test("the published schema is up to date", () => {
  const published = readFileSync(join(import.meta.dir, "../../..", "docs", "config.schema.json"), "utf8")
  expect(JSON.parse(published)).toEqual(configJsonSchema())
})

test("every key is in it, nested, with description and default", () => {
  for (const key of SETTING_KEYS) {
    const row = getSetting(key)
    const schema = key.split(".").reduce<JsonSchema>(child, configJsonSchema() as JsonSchema)
    expect(schema.description).toBe(row.description)
    expect(schema.default).toEqual(row.default)
  }
})

test("every group and the file itself refuse other keys", () => {
  const schema = configJsonSchema()
  expect(schema.additionalProperties).toBe(false)
  for (const group of ["defaults", "team", "claim", "evidence"]) {
    expect(child(schema, group)).toMatchObject({ type: "object", additionalProperties: false })
  }
  expect(child(schema, "$schema").type).toBe("string")
})

test("limits and choices are in it", () => {
  const team = child(configJsonSchema(), "team")
  expect(child(team, "maxAgents")).toMatchObject({ type: "integer", minimum: 1, maximum: 64 })
  expect(child(team, "defaultModel")).toMatchObject({ type: "string", enum: ["haiku", "sonnet", "opus"] })
  expect(child(team, "enableCascade").type).toBe("boolean")
  expect(child(team, "restartBackoffSeconds")).toMatchObject({ type: "array", items: { type: "integer", minimum: 0 } })
  expect(child(child(configJsonSchema(), "evidence"), "warnPatterns")).toMatchObject({ items: { type: "string" } })
})

test("it names no place but the one of JSON Schema itself", () => {
  const text = JSON.stringify(configJsonSchema())
  expect(configJsonSchema().$id).toBe("config.schema.json")
  expect(text.match(/https?:\/\/[^/"]+/g)).toEqual(["https://json-schema.org"])
})
