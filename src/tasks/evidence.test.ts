import { describe, expect, it } from "bun:test"
import { findPattern } from "./evidence.ts"

const PATTERNS = ["should work", "TODO", "not implemented", "c++"]

describe("findPattern", () => {
  it.each([
    ["TODO"],
    ["todo"],
    ["ToDo: write it"],
    ["it is done (TODO)"],
    ["one\nTODO\ntwo"],
    ["rest is TODO."],
    ["TODO,later"],
    ["//TODO"],
    ["«TODO»"],
    ["世界 TODO 世界"],
    ["TODO-list"],
  ])("finds a whole word in any case: %p", (text) => {
    expect(findPattern(text, PATTERNS)).toBe("TODO")
  })

  it.each([
    ["TODOs"],
    ["methodology"],
    ["mastodon"],
    ["TODO_LIST"],
    ["xTODO"],
    ["TODO2"],
    ["éTODO"],
    ["e\u0301TODO"],
    ["TODOé"],
    ["TODOe\u0301"],
    ["TODO\u0301"],
    ["жTODO"],
    ["TODO世"],
    ["TODO٣"],
    [""],
  ])("does not find a part of a word: %p", (text) => {
    expect(findPattern(text, PATTERNS)).toBeUndefined()
  })

  it.each([["It should work now"], ["SHOULD  WORK"], ["should\n\twork"], ["should\u00a0work"]])(
    "finds several words with any space between them: %p",
    (text) => {
      expect(findPattern(text, PATTERNS)).toBe("should work")
    },
  )

  it.each([["should not work"], ["shouldwork"], ["should working"], ["should-work"]])(
    "wants the words side by side: %p",
    (text) => {
      expect(findPattern(text, PATTERNS)).toBeUndefined()
    },
  )

  it("takes a pattern literally, whatever it contains", () => {
    expect(findPattern("written in C++ today", PATTERNS)).toBe("c++")
    expect(findPattern("axb", ["a.b"])).toBeUndefined()
    expect(findPattern("a.b", ["a.b"])).toBe("a.b")
    expect(findPattern("(x", ["(x"])).toBe("(x")
    expect(findPattern("a", ["[a-z]"])).toBeUndefined()
  })

  it("ignores blanks around a pattern", () => {
    expect(findPattern("a todo b", [" todo "])).toBe(" todo ")
  })

  it("gives the first pattern of the list that is there", () => {
    expect(findPattern("not implemented: TODO", PATTERNS)).toBe("TODO")
    expect(findPattern("all good", PATTERNS)).toBeUndefined()
    expect(findPattern("TODO", [])).toBeUndefined()
  })

  it("reads a megabyte quickly", () => {
    const started = performance.now()
    expect(findPattern("should ".repeat(150_000), PATTERNS)).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
