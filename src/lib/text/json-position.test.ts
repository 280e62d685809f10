import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { readJsonPositions } from "./json-position.ts"

function lineOf(text: string, ...path: string[]): number | undefined {
  const positions = readJsonPositions(text)
  if (!positions.ok) throw new Error(positions.problem)
  return positions.lineOf(path)
}

function faultOf(text: string): string {
  const positions = readJsonPositions(text)
  return positions.ok ? "no fault" : `${positions.line}:${positions.column}: ${positions.problem}`
}

describe("the line of a key", () => {
  test("at every depth", () => {
    const text = '{\n  "a": {\n    "b": [1, 2],\n    "c": {"d":\n true}\n  },\n  "e": null\n}\n'
    expect(lineOf(text, "a")).toBe(2)
    expect(lineOf(text, "a", "b")).toBe(3)
    expect(lineOf(text, "a", "c")).toBe(4)
    expect(lineOf(text, "a", "c", "d")).toBe(4)
    expect(lineOf(text, "e")).toBe(7)
    expect(lineOf(text, "b")).toBeUndefined()
    expect(lineOf(text)).toBeUndefined()
  })

  test("with any line ending", () => {
    for (const end of ["\n", "\r\n"]) {
      expect(lineOf(["{", '  "a": 1,', '  "b": 2', "}"].join(end), "b")).toBe(3)
    }
  })

  test("a line break written as an escape is no line break", () => {
    expect(lineOf('{"a": "x\\n\\r\\n",\n"b": 1}', "b")).toBe(2)
  })

  test("with keys in any writing", () => {
    expect(lineOf('{\n"ключ😀": 1,\n"\\u0061b": 2,\n"a.b": 3, "": 4}', "ключ😀")).toBe(2)
    expect(lineOf('{\n"ключ😀": 1,\n"\\u0061b": 2,\n"a.b": 3, "": 4}', "ab")).toBe(3)
    expect(lineOf('{\n"ключ😀": 1,\n"\\u0061b": 2,\n"a.b": 3, "": 4}', "a.b")).toBe(4)
    expect(lineOf('{\n"ключ😀": 1,\n"\\u0061b": 2,\n"a.b": 3, "": 4}', "")).toBe(4)
  })

  test("a key with a dot is not the nested key of the same name", () => {
    const text = '{"a.b": 1,\n"a": {\n"b": 2}}'
    expect(lineOf(text, "a.b")).toBe(1)
    expect(lineOf(text, "a", "b")).toBe(3)
  })

  test("given twice, the last one counts", () => {
    expect(lineOf('{"a": 1,\n"a": 2}', "a")).toBe(2)
  })

  test("elements of an array go by their index", () => {
    expect(lineOf('[\n1,\n{"a":\n2}]', "1")).toBe(3)
    expect(lineOf('[\n1,\n{"a":\n2}]', "1", "a")).toBe(3)
  })
})

describe("the first fault", () => {
  test.each([
    ["", "1:1"],
    ['{"a": 1,}', "1:8"],
    ['{\n  "a": 1,\n}', "2:9"],
    ['{\n  "a": 1\n  "b": 2\n}', "2:8"],
    ["{'a': 1}", "1:2"],
    ["{a: 1}", "1:2"],
    ['{"a" 1}', "1:6"],
    ['{"a": True}', "1:7"],
    ['{"a": .5}', "1:7"],
    ['{"a": 01}', "1:7"],
    ["[1,]", "1:3"],
    ['{"a": 1', "1:8"],
    ['{"a": "x\n}', "1:9"],
    ['{"a": "\t"}', "1:8"],
    ['{"a": "\\x"}', "1:8"],
    ['{"a": 1} {', "1:10"],
    ["{\n  // why\n}", "2:3"],
    ['{"😀": x}', "1:7"],
    ['{\r\n"a": 1,\r\n"b" = 2}', "3:5"],
    ["<<<<<<< HEAD", "1:1"],
    ["a: 1\nb: 2", "1:1"],
  ])("%j", (text, place) => {
    expect(faultOf(text)).toStartWith(`${place}: `)
  })

  test("endless nesting is refused without a crash", () => {
    expect(faultOf("[".repeat(100_000))).not.toBe("no fault")
  })
})

describe("the same language as JSON.parse", () => {
  test("whatever JSON.stringify writes is read, and every key is found", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const positions = readJsonPositions(text)
        expect(positions.ok).toBe(true)
        const parsed: unknown = JSON.parse(text)
        if (!positions.ok || typeof parsed !== "object" || parsed === null) return
        for (const key of Object.keys(parsed)) expect(positions.lineOf([key])).toBe(1)
      }),
    )
  })

  test("a damaged text is refused exactly when JSON.parse refuses it", () => {
    const piece = fc.constantFrom(..."{}[]:,\"'\\ \n\t\r0123456789.-+eEtrufalsn\u0000\u007f\u2028é😀")
    const damaged = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(3), fc.string({ unit: piece, maxLength: 4 }))
      .map(([text, at, cut, insert]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + insert + text.slice(place + cut)
      })
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string({ unit: piece, maxLength: 12 })), (text) => {
        expect(readJsonPositions(text).ok).toBe(isJson(text))
      }),
      { numRuns: 3000 },
    )
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
