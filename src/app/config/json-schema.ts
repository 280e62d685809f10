import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema"
import * as v from "valibot"
import { getSetting, SETTING_KEYS, type SettingKey } from "./settings.ts"

/** For editors; written to `docs/config.schema.json`. */
export function configJsonSchema(): JsonSchema {
  const $schema = v.optional(v.pipe(v.string(), v.description("The address of this schema, for editors.")))
  const file = v.strictObject({ $schema, ...groupSchema([]) })
  const title = "Settings of teamwork: config.json in its home folder, teamwork.json in a repository"
  const { $schema: draft, ...rest } = toJsonSchema(file, {
    target: "draft-2020-12",
    ignoreActions: ["safe_integer", "finite"],
    overrideSchema: ({ jsonSchema: { required: _, ...optional } }) => optional,
  })
  return { $schema: draft, $id: "config.schema.json", title, ...rest }
}

function groupSchema(parents: readonly string[]): v.ObjectEntries {
  const prefix = parents.map((name) => `${name}.`).join("")
  const names = SETTING_KEYS.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
  const entries: v.ObjectEntries = {}
  for (const [name = "", ...rest] of names.map((each) => each.split(".")))
    entries[name] ??= v.optional(
      rest.length === 0
        ? valueSchema(`${prefix}${name}` as SettingKey)
        : v.strictObject(groupSchema([...parents, name])),
    )
  return entries
}

function valueSchema(key: SettingKey) {
  const { schema, description, default: value } = getSetting(key)
  return v.optional(v.pipe(schema(), v.description(description)), value)
}
