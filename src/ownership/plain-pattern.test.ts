import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { problemWithPattern } from "./file-pattern.ts"
import { judgePath } from "./judge-path.ts"
import { isPlainlyHeld } from "./plain-pattern.ts"

const SHARED = ["**/package.json", "**/.env.*", "*.config.*", "teamwork.json"]

describe("what is plainly owned", () => {
  it.each([
    ["src/api/a.ts", ["src/api/**"], true],
    ["src/api/a.ts", ["docs/", "src/api/"], true],
    ["src/a.ts", ["src/a.ts"], true],
    ["SRC/A.ts", ["src/a.ts"], true],
    ["src/apis/a.ts", ["src/api/"], false],
    ["src/api", ["src/api/"], false],
    ["src/a.ts", ["src"], false],
    ["src/a.ts", [], false],
    // Not plain to see, so left to the rule itself.
    ["src/a.ts", ["src/*.ts"], false],
    ["src/api/package.json", ["src/api/"], false],
    ["src/.env.local", ["src/"], false],
    ["src/sub/.git/config", ["src/"], false],
    ["src/GIT~1/config", ["src/"], false],
    ["src/a\0.ts", ["src/"], false],
    ["src/../b.ts", ["src/"], false],
    ["src/./b.ts", ["src/"], false],
    ["src//", ["src/"], false],
    ["src/api/", ["src/"], false],
  ])("%s for who owns %j: %p", (path, files, isOwned) => {
    expect(isPlainlyHeld(path, [{ files, phase: null }], SHARED)).toBe(isOwned)
  })

  it("is owned by the rule as well, whoever else owns what", () => {
    const letters = fc.constantFrom("a", "b", "A", ".", "-", "é", "*", "**", "?", "/", "{a,b}", "[ab]", ".git", "json")
    const text = fc.array(letters, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""))
    const pattern = text.filter((each) => problemWithPattern(each) === undefined)
    const files = fc.array(fc.oneof(pattern, fc.constantFrom("a/", "a/**", "a/b", "b/a/")), { maxLength: 3 })
    const path = fc.oneof(
      text,
      fc.constantFrom("a/b", "A/B", "a/b.json", "a/bé", "b/a/b"),
      fc.constantFrom("b/a/.git/x", "a//", "a/../b", "a/..", "a/./b", "a/b/"),
    )
    let plain = 0
    const property = fc.property(path, files, files, files, (each, owned, shared, other) => {
      if (!isPlainlyHeld(each, [{ files: owned, phase: "execution" }], shared)) return
      plain++
      const task = { id: "1", files: owned }
      const ownership = { task, others: [{ id: "2", files: other }], granted: [], shared }
      expect(judgePath(each, ownership)).toMatchObject({ allowed: true, reason: "owned" })
    })
    fc.assert(property, { numRuns: 3000 })
    expect(plain).toBeGreaterThan(100)
  })
})
