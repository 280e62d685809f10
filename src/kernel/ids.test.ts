import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { AppError } from "./errors.ts"
import { ID_RULE, isId, MAX_ID_LENGTH, parseTaskId, parseWorkerId, quoteInput } from "./ids.ts"

describe("isId", () => {
  it.each(["1", "w1", "A", "a-b_c.d", "0.1", "1-", "x_", "CON", "a".repeat(MAX_ID_LENGTH)])("takes %p", (text) => {
    expect(isId(text)).toBe(true)
  })

  it.each([
    ["nothing", ""],
    ["a blank", " "],
    ["blanks around", " a "],
    ["a parent folder", "../x"],
    ["a parent folder inside", "a/../b"],
    ["a slash", "a/b"],
    ["a backslash", "a\\b"],
    ["two dots", "a..b"],
    ["a leading dot", ".a"],
    ["a lone dot", "."],
    ["a trailing dot", "a."],
    ["a leading dash, which looks like a flag", "-rf"],
    ["a leading underscore", "_a"],
    ["git's lock suffix", "a.lock"],
    ["nothing but the lock suffix", ".lock"],
    ["10 kB", "a".repeat(10_240)],
    ["one character too many", "a".repeat(MAX_ID_LENGTH + 1)],
    ["NUL", "a\0b"],
    ["a trailing line end", "a\n"],
    ["a tab", "a\tb"],
    ["the Cyrillic а", "tаsk"],
    ["the Greek ο", "wοrker"],
    ["full-width digits", "１"],
    ["an accent", "café"],
    ["a zero-width joiner", "a\u200db"],
    ["a direction mark", "a\u202eb"],
    ["an emoji", "👍"],
    ["half of a character pair", "a\ud800"],
    ["a colon", "a:b"],
    ["what git gives a meaning", "a@{b}~^"],
    ["a wildcard", "a*"],
    ["a quote", "a'b"],
    ["a comma", "1,2"],
    ["an equals sign", "a=b"],
  ])("refuses %s", (_, text) => {
    expect(isId(text)).toBe(false)
    const error = refusal(() => parseTaskId(text))
    expect(error.code).toBe("input.invalid")
    expect(error.message).toContain(ID_RULE)
    expect(error.message.length).toBeLessThan(400)
  })

  it("lets nothing through that leaves its folder, whatever is typed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
        if (isId(text)) expect(text).toMatch(/^[A-Za-z0-9](?!.*\.\.)[A-Za-z0-9._-]{0,63}(?<!\.)$/)
      }),
    )
  })
})

describe("parse", () => {
  it("gives back what it was given", () => {
    expect(String(parseTaskId("1"))).toBe("1")
    expect(String(parseWorkerId("w1"))).toBe("w1")
  })

  it("says which kind of id is wrong", () => {
    expect(refusal(() => parseTaskId("a b")).message).toStartWith('task id "a b" is not valid')
    expect(refusal(() => parseWorkerId("a b")).message).toStartWith('worker id "a b" is not valid')
  })
})

describe("quoteInput", () => {
  it("shows foreign text in one line, cut short", () => {
    expect(quoteInput("a")).toBe('"a"')
    expect(quoteInput("a\nb\0")).toBe('"a\\nb\\u0000"')
    expect(quoteInput("x".repeat(50))).toBe(`"${"x".repeat(40)}..."`)
    expect(quoteInput("\u001b[31m")).not.toContain("\u001b")
  })
})

function refusal(work: () => unknown): AppError {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error("was not refused")
}
