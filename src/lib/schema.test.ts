import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import * as v from "valibot"
import { checkFields, choice, describeField, type Fields, flag, list, number, record, text } from "./schema.ts"

function problem(fields: Fields, given: Record<string, unknown>): string | undefined {
  const checked = checkFields(fields, given)
  return checked.ok ? undefined : `${checked.field} ${checked.problem}`
}

describe("checkFields", () => {
  it("gives back what fits, fills in defaults and drops what it does not know", () => {
    const fields = {
      title: text("a title"),
      role: v.optional(choice(["a", "b"], "role"), "a"),
      size: v.optional(number("size")),
      force: flag("force"),
      tags: v.optional(list(text("tag"), "tags"), []),
      extra: v.optional(record("anything")),
    }
    expect(checkFields(fields, { title: "x", unknown: 1, extra: { deep: [1] } })).toEqual({
      ok: true,
      values: { title: "x", role: "a", tags: [], extra: { deep: [1] } },
    })
    expect(checkFields(fields, { title: "x", role: "b", size: 0, force: false, tags: ["t"] })).toEqual({
      ok: true,
      values: { title: "x", role: "b", size: 0, force: false, tags: ["t"] },
    })
  })

  it("tells a missing value from a wrong one", () => {
    expect(checkFields({ id: text("id") }, {})).toMatchObject({
      ok: false,
      field: "id",
      isMissing: true,
      problem: "is missing",
    })
    expect(checkFields({ id: text("id") }, { id: 3 })).toMatchObject({
      ok: false,
      field: "id",
      isMissing: false,
      problem: "is not a text",
    })
    expect(problem({ id: text("id") }, { id: null })).toBe("id is missing")
  })

  it("names what is wrong with each kind", () => {
    const whole = number("n", { min: 1, max: 5, isInteger: true })
    const cases: [Fields, unknown, string | undefined][] = [
      [{ v: text("") }, "", undefined],
      [{ v: text("") }, [], "v is not a text"],
      [{ v: number("") }, "1", "v is not a number"],
      [{ v: number("") }, Number.NaN, "v is not a number"],
      [{ v: number("") }, -0.5, undefined],
      [{ v: whole }, 0, "v is less than 1"],
      [{ v: whole }, 6, "v is more than 5"],
      [{ v: whole }, 1.5, "v is not a whole number"],
      [{ v: whole }, 2 ** 60, "v is not a whole number"],
      [{ v: whole }, 5, undefined],
      [{ v: flag("") }, "true", "v is not true or false"],
      [{ v: record("") }, [], "v is not an object"],
      [{ v: record("") }, "{}", "v is not an object"],
      [{ v: list(text(""), "") }, "a", "v is not a list"],
      [{ v: list(text(""), "") }, { length: 1 }, "v is not a list"],
      [{ v: list(text(""), "") }, ["a", 1], "v is not a text"],
      [{ v: list(choice(["a"], ""), "") }, ["a", "b"], "v is not one of a"],
      [{ v: choice(["a", "b"], "") }, "c", "v is not one of a, b"],
      [{ v: text("", (value) => (value === "x" ? undefined : "is not x")) }, "y", "v is not x"],
    ]
    for (const [fields, value, expected] of cases) expect(problem(fields, { v: value })).toBe(expected)
  })

  it("describes choices by name", () => {
    expect(describeField(choice(["a", "b"], "what")).description).toBe("what: a, b")
  })

  it("never throws, whatever it is given", () => {
    const fields = {
      a: text("", (value) => (value.length > 3 ? "is long" : undefined)),
      b: v.optional(number("", { min: 0, isInteger: true })),
      c: flag(""),
      d: v.optional(list(choice(["x"], ""), ""), []),
      e: v.optional(record("")),
    }
    const given = fc.record({
      a: fc.anything(),
      b: fc.anything(),
      c: fc.anything(),
      d: fc.anything(),
      e: fc.anything(),
    })
    fc.assert(fc.property(given, (values) => void checkFields(fields, values)))
  })
})
