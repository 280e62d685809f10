import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { isSame, type JsonValue, parseJson, plainValue } from "./json-text.ts"
import { mergeJson } from "./merge-json.ts"
import type { Decide, TextMerge } from "./shared-file.ts"

const NO_ANSWER: Decide = () => undefined

function merge(base: unknown, ours: unknown, theirs: unknown, decide: Decide = NO_ANSWER): TextMerge | undefined {
  const [b, o, t] = [base, ours, theirs].map((each) =>
    typeof each === "string" ? each : JSON.stringify(each, null, 2),
  )
  return mergeJson({ base: b ?? "", ours: o ?? "", theirs: t ?? "" }, decide)
}

function read(merged: TextMerge | undefined): unknown {
  const text = merged !== undefined && "text" in merged ? merged.text : "null"
  return JSON.parse(text)
}

describe("merging JSON by meaning", () => {
  it("keeps what several added, in the order of the names", () => {
    const base = '{\n  "dependencies": {\n    "a": "1",\n    "m": "1"\n  }\n}\n'
    const ours = base.replace('"a": "1",', '"a": "1",\n    "b": "2",')
    const theirs = base.replace('"a": "1",', '"a": "1",\n    "c": "3",').replace('"m": "1"', '"m": "1",\n    "z": "4"')
    expect(merge(base, ours, theirs)).toEqual({
      text: '{\n  "dependencies": {\n    "a": "1",\n    "b": "2",\n    "c": "3",\n    "m": "1",\n    "z": "4"\n  }\n}\n',
    })
  })

  it("adds a new object, and keeps tabs, CRLF and the end of the text", () => {
    const base = '{\r\n\t"name": "shop"\r\n}'
    const ours = '{\r\n\t"name": "shop",\r\n\t"version": "1.0.0"\r\n}'
    const theirs = '{\n  "name": "shop",\n  "scripts": {\n    "a": "b"\n  }\n}\n'
    const merged = merge(base, ours, theirs)
    expect(read(merged)).toEqual({ name: "shop", version: "1.0.0", scripts: { a: "b" } })
    const text = merged !== undefined && "text" in merged ? merged.text : ""
    expect(text).toStartWith('{\r\n\t"name": "shop",\r\n\t')
    expect(text.replaceAll("\r\n", "")).not.toContain("\n")
  })

  it("keeps comments and trailing commas where they are", () => {
    const base = '{\n  // strict\n  "a": 1, // one\n  "b": [ "x", ],\n}\n'
    const ours = base.replace('"a": 1', '"a": 2')
    const theirs = base.replace('[ "x", ]', '[ "x", "y" ]').replace('"b"', '"c": true, // new\n  "b"')
    const merged = merge(base, ours, theirs)
    const text = merged !== undefined && "text" in merged ? merged.text : ""
    expect(text).toContain('"a": 2, // one\n')
    expect(text).toContain("// strict")
    const node = parseJson(text)
    expect(node && plainValue(node)).toEqual({ a: 2, b: ["x", "y"], c: true })
  })

  it("takes the higher of two versions that fit together, and asks for the rest", () => {
    const of = (version: string) => ({ dependencies: { dayjs: version } })
    expect(read(merge(of("^1.0.0"), of("^1.2.0"), of("^1.10.1")))).toEqual(of("^1.10.1"))
    expect(read(merge(of("^1.0.0"), of("^1.10.1"), of("^1.2.0")))).toEqual(of("^1.10.1"))
    const undecided = { key: "dependencies.dayjs", base: '"^1.0.0"', ours: '"^1.2.0"', theirs: '"^2.0.0"' }
    expect(merge(of("^1.0.0"), of("^1.2.0"), of("^2.0.0"))).toEqual({ undecided: [undecided] })
    expect(read(merge(of("^1.0.0"), of("^1.2.0"), of("^2.0.0"), () => "theirs"))).toEqual(of("^2.0.0"))
    expect(read(merge(of("^1.0.0"), of("^1.2.0"), of("^2.0.0"), () => "ours"))).toEqual(of("^1.2.0"))
    for (const [one, other] of [
      ["^0.2.0", "^0.3.0"],
      ["~1.2.0", "~1.3.0"],
      ["^1.0.0", "~1.3.0"],
      ["1.0.0", "latest"],
    ])
      expect(merge({ dependencies: {} }, of(one ?? ""), of(other ?? ""))).toMatchObject({
        undecided: [{ key: "dependencies.dayjs" }],
      })
  })

  it("asks about a key that one removed and the other changed, and about two commands of one script", () => {
    const base = { scripts: { test: "a", lint: "b" } }
    expect(merge(base, { scripts: { test: "a" } }, { scripts: { test: "a", lint: "c" } })).toMatchObject({
      undecided: [{ key: "scripts.lint", ours: null, theirs: '"c"' }],
    })
    expect(merge(base, { scripts: { test: "x", lint: "b" } }, { scripts: { test: "y", lint: "b" } })).toMatchObject({
      undecided: [{ key: "scripts.test" }],
    })
    expect(read(merge(base, { scripts: { test: "x", lint: "b" } }, { scripts: { test: "a" } }))).toEqual({
      scripts: { test: "x" },
    })
  })

  it("removes an item as often as it stands in a list", () => {
    expect(read(merge({ a: [1] }, { a: [1, 2, 1, 1] }, { a: [] }))).toEqual({ a: [2] })
  })

  it("cannot tell where a text is no JSON, or has a key twice", () => {
    expect(merge("{", "{}", "{}")).toBeUndefined()
    expect(merge("{}", '{"a":1,"a":2}', "{}")).toBeUndefined()
    expect(merge("[]", "[]", "[1]")).toBeUndefined()
  })

  const keys = fc.constantFrom("a", "b", "c", "d", "e", "__proto__", 'q"r')
  const values = fc.oneof(
    fc.integer(),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer({ max: 3, min: 0 }), { maxLength: 3 }),
  )
  const objects = fc.dictionary(keys, fc.oneof(values, fc.dictionary(keys, values)))
  const forms = fc.constantFrom<[number | string]>([2], ["\t"], [0], [4])

  it("never makes a text that is no JSON, and loses no key that one side added", () => {
    fc.assert(
      fc.property(objects, objects, objects, forms, (base, ours, theirs, [indent]) => {
        const texts = [base, ours, theirs].map((each) => JSON.stringify(each, null, indent))
        const merged = mergeJson({ base: texts[0] ?? "", ours: texts[1] ?? "", theirs: texts[2] ?? "" }, () => "theirs")
        expect(merged).toBeDefined()
        const now = read(merged) as Record<string, JsonValue>
        for (const [side, other] of [
          [ours, theirs],
          [theirs, ours],
        ] as const)
          for (const [key, value] of Object.entries(side))
            if (!Object.hasOwn(base, key) && !Object.hasOwn(other, key))
              expect(isSame(now[key], value as JsonValue)).toBeTrue()
      }),
      { numRuns: 400 },
    )
  })

  it("gives the same, whichever of two that added different things comes first", () => {
    const part = (names: readonly string[]) => fc.dictionary(fc.constantFrom(...names), fc.string())
    fc.assert(
      fc.property(part(["a", "c", "e"]), part(["b", "f"]), part(["d", "g"]), (base, one, other) => {
        const [was, ours, theirs] = [
          { dependencies: base },
          { dependencies: { ...base, ...one } },
          { dependencies: { ...base, ...other } },
        ]
        const expected = { dependencies: { ...base, ...one, ...other } }
        expect(read(merge(was, ours, theirs))).toEqual(expected)
        expect(read(merge(was, theirs, ours))).toEqual(expected)
      }),
    )
  })
})
