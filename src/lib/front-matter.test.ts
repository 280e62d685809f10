import { expect, it } from "bun:test"
import * as v from "valibot"
import { readFrontMatter } from "./front-matter.ts"

const schema = v.strictObject({
  name: v.string(),
  tools: v.optional(v.array(v.string())),
  size: v.optional(v.string()),
})
const read = (text: string, repair = false) => {
  const { lineOf: _, ...rest } = { lineOf: undefined, ...readFrontMatter(text, schema, { repair }) }
  return rest
}

it("gives values as text, the lines of keys and the body", () => {
  const text = '\uFEFF---\r\n# first\r\nname: true\r\ntools: [a, "b, c"] # two\r\nsize: 12\r\n---\r\nbody\r\n'
  const front = readFrontMatter(text, schema)
  expect(front).toMatchObject({ value: { name: "true", tools: ["a", "b, c"], size: "12" }, body: "body\n" })
  expect("value" in front && [front.lineOf("name"), front.lineOf("size"), front.lineOf("missing")]).toEqual([3, 5, 1])
})

it("names the line and the key of a problem", () => {
  expect(read("# no front matter")).toEqual({ problem: "the file does not begin with a line ---", line: 1 })
  expect(read("---\nname: x\n")).toEqual({ problem: "the front matter is not closed with a line ---", line: 3 })
  expect(read("---\n- a\n---")).toEqual({ problem: "the front matter is not of the form key: value", line: 2 })
  expect(read("---\nname: x\nname: y\n---")).toEqual({ problem: "Map keys must be unique", line: 3 })
  expect(read("---\nname: x\ntools: [a\n---")).toMatchObject({ line: 3 })
  expect(read("---\nname: *x\n---")).toMatchObject({ problem: expect.stringContaining("alias") })
  expect(read("---\nname: x\nsize: [a]\n---")).toMatchObject({ problem: expect.stringMatching(/^size: /), line: 3 })
  expect(read("---\nname: x\nother: a\n---")).toMatchObject({ problem: expect.stringMatching(/^other: /), line: 3 })
})

it("accepts values that are not YAML only where it repairs", () => {
  const text = "---\nname: a: b\n  c\nsize: [1] [2]\nsize: *x\n---\n"
  expect(read(text)).toMatchObject({ line: 2 })
  expect(read(text, true)).toMatchObject({ value: { name: "a: b c", size: "*x" } })
})
