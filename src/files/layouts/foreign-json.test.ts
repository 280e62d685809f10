import { describe, expect, it } from "bun:test"
import { as, asLine, asWord, Count, Fields, Ids, parseJson, parseJsonText, Texts, Time } from "./foreign-json.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

describe("parseJson", () => {
  it("reads JSON with a byte order mark and Windows line ends", () => {
    expect(parseJson(bytes('\uFEFF{\r\n"a": 1\r\n}\r\n'))).toEqual({ ok: true, value: { a: 1 } })
  })

  it.each([
    ["", "is empty"],
    [" \r\n", "is empty"],
    ['{"a": ', "is not complete JSON; it may have been cut off while it was written"],
    [`${"[".repeat(300)}${"]".repeat(300)}`, "is nested too deeply"],
  ])("says what is wrong with %j", (text, why) => {
    expect(parseJsonText(text)).toEqual({ ok: false, why })
  })

  it("says when it is not UTF-8", () => {
    expect(parseJson(new Uint8Array([0xff, 0xfe, 0x7b, 0]))).toEqual({ ok: false, why: "is not UTF-8 text" })
  })

  it("takes out what no store keeps, in keys too", () => {
    const parsed = parseJsonText('{"a\\u0000b": ["\\ud800x\\u0000"]}')
    expect(parsed).toEqual({ ok: true, value: { ab: ["\uFFFDx"] } })
  })

  it("does not let a file reach the prototype", () => {
    const parsed = parseJsonText('{"__proto__": {"role": "docs"}}')
    if (!parsed.ok) throw new Error(parsed.why)
    expect(new Fields(parsed.value as Record<string, unknown>).text("role")).toBeUndefined()
  })
})

describe("values", () => {
  it.each([
    ["2025-03-01T10:00:00Z", "2025-03-01T10:00:00.000Z"],
    ["2025-03-01T10:00:00.123456+02:00", "2025-03-01T08:00:00.123Z"],
    ["2025-03-01 10:00:00", "2025-03-01T10:00:00.000Z"],
    ["2025-03-01T10:00:00+0100", "2025-03-01T09:00:00.000Z"],
    ["2025-03-01", "2025-03-01T00:00:00.000Z"],
    [1740819600, "2025-03-01T09:00:00.000Z"],
    [1740819600000, "2025-03-01T09:00:00.000Z"],
    ["1740819600", "2025-03-01T09:00:00.000Z"],
    ["2025-13-45T10:00:00Z", undefined],
    ["yesterday", undefined],
    [-5, undefined],
    [1e20, undefined],
    [null, undefined],
  ])("takes %j for the time %j", (value, time) => {
    expect(as(Time, value)).toBe(time)
  })

  it("takes many spellings for one", () => {
    expect(["In Progress", "in-progress", " IN_PROGRESS "].map(asWord)).toEqual(Array(3).fill("in_progress"))
    expect([3, "3", " 3 ", "-1", 1.5, "1234567890123"].map((each) => as(Count, each))).toEqual([
      3,
      3,
      3,
      undefined,
      undefined,
      undefined,
    ])
    expect([[1, "2", { id: 3 }, null], "1, 2", 7, { a: 1 }, [[1]]].map((each) => as(Ids, each))).toEqual([
      ["1", "2", "3"],
      ["1", "2"],
      ["7"],
      undefined,
      undefined,
    ])
    expect(as(Texts, "works, fast\n\nnice")).toEqual(["works, fast", "nice"])
    expect(as(Texts, ["a", { b: 1 }])).toEqual(["a", '{"b":1}'])
    expect(asLine("two\r\nlines ")).toBe("two lines")
  })
})

describe("Fields", () => {
  it("knows what was understood, what was of the wrong kind and what was not read", () => {
    const fields = new Fields({ title: "", subject: "x", wave: "first", extra: 1, none: null, empty: [] })
    expect(fields.text("title", "subject")).toBe("x")
    expect(fields.read(Count, "wave")).toBeUndefined()
    expect(fields.wrong).toEqual(["wave is not a whole number and was left out"])
    expect(fields.rest()).toEqual({ wave: "first", extra: 1 })
  })
})
