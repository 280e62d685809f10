import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { uniteAdditions } from "./unite-additions.ts"

function unite(base: string, ours: string, theirs: string): string | undefined {
  const merged = uniteAdditions({ base, ours, theirs }, () => undefined)
  return merged !== undefined && "text" in merged ? merged.text : undefined
}

describe("F019: the union of additions", () => {
  it("holds both, what is merged already first, each as a whole", () => {
    expect(unite("a\nz\n", "a\nf {\n}\nz\n", "a\ng {\n}\nz\n")).toBe("a\nf {\n}\ng {\n}\nz\n")
    expect(unite("a\n", "a\none\n", "a\ntwo\n")).toBe("a\none\ntwo\n")
    expect(unite("a\n", "one\na\n", "two\na\n")).toBe("one\ntwo\na\n")
  })

  it("takes what both added alike once, and what one side did elsewhere as it is", () => {
    expect(unite("a\nb\n", "a\nx\nb\n", "a\nx\nb\n")).toBe("a\nx\nb\n")
    expect(unite("a\nb\nc\nd\n", "a\none\nb\nc\nD\n", "a\ntwo\nb\nc\nd\n")).toBe("a\none\ntwo\nb\nc\nD\n")
  })

  it("keeps the ends of lines", () => {
    expect(unite("a\r\nb\n", "a\r\none\r\nb\n", "a\r\ntwo\nb\n")).toBe("a\r\none\r\ntwo\nb\n")
  })

  it.each([
    ["a side changed the line", "a\nb\n", "A\nb\n", "a\ntwo\nb\n"],
    ["a side removed the line", "a\nb\nc\n", "a\nc\n", "a\nb\ntwo\nc\n"],
    ["both changed it", "a\n", "b\n", "c\n"],
    ["the last line has no end", "a", "a\none", "a\ntwo"],
    ["there was no file", "", "one\n", "two\n"],
    ["it is no text", "a\n\0\n", "a\n\0\none\n", "a\n\0\ntwo\n"],
  ])("is not made where %s", (_, base, ours, theirs) => {
    expect(unite(base, ours, theirs)).toBeUndefined()
  })

  it("has every line of both sides, and no other", () => {
    const words = fc.array(fc.constantFrom<string[]>("a", "b", "c", "}", ""), { minLength: 1, maxLength: 12 })
    const added = fc.array(fc.constantFrom<string[]>("x", "y", "}", ""), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(words, added, added, fc.nat(12), (base, one, two, place) => {
        const at = Math.min(place, base.length)
        const text = (more: readonly string[]) =>
          base
            .toSpliced(at, 0, ...more)
            .map((line) => `${line}\n`)
            .join("")
        const merged = unite(text([]), text(one), text(two)) ?? ""
        const lines = (all: string) => all.split("\n").sort().join("\n")
        const isSame = one.join("\n") === two.join("\n")
        expect(lines(merged)).toBe(lines(text(isSame ? one : [...one, ...two])))
      }),
    )
  })
})
