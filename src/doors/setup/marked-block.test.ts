import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { putBlock, takeBlock } from "./marked-block.ts"

const MARKS = { begin: "# ours: begin", end: "# ours: end" }
const put = (bytes: string | null, lines = ["x = 1"]) => putBlock(bytes, MARKS, lines)

describe("a marked block", () => {
  it("goes to the end, is brought up to date, and is not put in twice", () => {
    expect(put("a\n")).toBe("a\n# ours: begin\nx = 1\n# ours: end\n")
    expect(put(put("a\n"))).toBe(put("a\n"))
    expect(put(`${put("a\n")}b\n`, ["y = 2"])).toBe("a\n# ours: begin\ny = 2\n# ours: end\nb\n")
  })

  it("takes the file with it that it made, and leaves one that was empty", () => {
    expect(takeBlock(put(null), MARKS)).toBeNull()
    expect(takeBlock(put(""), MARKS)).toBe("")
  })

  it("leaves what came in meanwhile, before and behind it", () => {
    expect(takeBlock(`new\n${put("a\n")}more\n`, MARKS)).toBe("new\na\nmore\n")
  })

  it.each([
    "# ours: begin\n",
    "# ours: end\n",
    "# ours: end\n# ours: begin\n",
    "# ours: begin\n# ours: begin\n# ours: end\n",
  ])("is not guessed at in %j", (bytes) => {
    expect(() => put(bytes)).toThrow("must both be there, once")
    expect(() => takeBlock(bytes, MARKS)).toThrow("must both be there, once")
  })

  it("is gone without a trace, whatever bytes the file has", () => {
    const piece = fc.constantFrom("\n", "\r\n", "\r", "a", "# ours: begin ", " # ours: end", "", "\u0000", "\u00ff")
    const bytes = fc
      .array(fc.oneof(piece, fc.string({ unit: "binary-ascii" })), { maxLength: 12 })
      .map((all) => all.join(""))
    fc.assert(
      fc.property(bytes, (text) => {
        const after = put(text)
        expect(put(after)).toBe(after)
        expect(takeBlock(after, MARKS)).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })
})
