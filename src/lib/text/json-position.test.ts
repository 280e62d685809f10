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
    for (const end of ["\n", "\r\n", "\r"]) {
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
    ["", "1:1: expected a value, found the end of the file"],
    ['{"a": 1,}', '1:9: expected a key in double quotes, found "}"'],
    ['{\n  "a": 1\n  "b": 2\n}', '3:3: expected a comma or "}", found a double quote'],
    ["{'a': 1}", '1:2: expected a key in double quotes, found "\'"'],
    ["{a: 1}", "1:2: expected a key in double quotes, found a"],
    ['{"a" 1}', "1:6: expected a colon after the key, found 1"],
    ['{"a": True}', "1:7: expected a value, found True"],
    ['{"a": undefined}', "1:7: expected a value, found undefined"],
    ['{"a": .5}', '1:7: expected a value, found "."'],
    ['{"a": -}', '1:7: expected a value, found "-"'],
    ['{"a": 01}', '1:8: expected a comma or "}", found 1'],
    ["[1,]", '1:4: expected a value, found "]"'],
    ["[1 2]", '1:4: expected a comma or "]", found 2'],
    ['{"a": 1', '1:8: expected a comma or "}", found the end of the file'],
    ['{"a": "x\n}', "1:9: expected a closing quote, found the end of the line"],
    ['{"a": "x', "1:9: expected a closing quote, found the end of the file"],
    ['{"a": "\t"}', "1:8: expected a closing quote, found the control character U+0009"],
    ['{"a": "\\x"}', '1:8: expected an escape such as \\n or \\u0041, found "\\"'],
    ['{"a": 1} {', '1:10: expected the end of the file, found "{"'],
    ["{\n  // why\n}", "2:3: expected a key in double quotes, found a comment"],
    ['{"😀": x}', "1:7: expected a value, found x"],
    ['{\r\n"a": 1,\r\n"b" = 2}', '3:5: expected a colon after the key, found "="'],
    ["<<<<<<< HEAD", '1:1: expected a value, found "<"'],
  ])("%j", (text, fault) => {
    expect(faultOf(text)).toBe(fault)
  })

  test("nesting without end is refused, not a crash", () => {
    expect(faultOf("[".repeat(100_000))).toBe("1:502: nested too deeply")
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
