import { expect, it } from "bun:test"
import * as v from "valibot"
import { choice, flag, list, number, record, text } from "./schema.ts"
import { jsonSchemaOf } from "./to-json-schema.ts"

it("says of every kind what it takes, what is required and what is the default", () => {
  const fields = {
    title: text("what"),
    color: v.optional(choice(["red", "blue"], "which")),
    count: v.optional(number("how many", { min: 1, max: 9, isInteger: true }), 3),
    share: v.optional(number("of it", { min: 0 })),
    names: v.optional(list(text("name"), "who"), []),
    isNew: flag("whether"),
    rest: v.optional(record("more")),
  }
  expect(jsonSchemaOf(fields)).toEqual({
    type: "object",
    additionalProperties: false,
    required: ["title"],
    properties: {
      title: { type: "string", description: "what" },
      color: { type: "string", enum: ["red", "blue"], description: "which: red, blue" },
      count: { type: "integer", minimum: 1, maximum: 9, description: "how many", default: 3 },
      share: { type: "number", minimum: 0, description: "of it" },
      names: { type: "array", items: { type: "string" }, description: "who" },
      isNew: { type: "boolean", description: "whether" },
      rest: { type: "object", description: "more" },
    },
  })
})
