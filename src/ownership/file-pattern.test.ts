import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { findOverlap, isCoveredBy, matchesPattern, problemWithPattern } from "./file-pattern.ts"
import { cleanPattern, prefixOf } from "./plain-pattern.ts"

describe("a pattern", () => {
  it.each([
    ["src/a.ts", "src/a.ts"],
    ["src/a.ts", "src/*.ts"],
    ["src/a.ts", "src/?.ts"],
    ["src/a.ts", "src/**"],
    ["src/deep/er/a.ts", "src/**"],
    ["src/a.ts", "src/**/a.ts"],
    ["src/deep/er/a.ts", "src/**/a.ts"],
    ["src/deep/er/a.ts", "**/a.ts"],
    ["a.ts", "**/a.ts"],
    ["a.ts", "**"],
    ["src/.hidden/.env", "src/**"],
    [".env", "*"],
    ["src/a.ts", "src/"],
    ["src/deep/a.ts", "./src/"],
    ["src/a.ts", "src//./a.ts"],
    ["anything/at/all", "."],
    ["src/a.ts", "src/{a,b}.ts"],
    ["lib/x/y.ts", "{src,lib/x}/**"],
    ["src/ab.ts", "src/{a{b,c},d}.ts"],
    ["src/{a}.ts", "src/{a}.ts"],
    ["src/b7.ts", "src/[a-c][0-9].ts"],
    ["src/z.ts", "src/[!a-c].ts"],
    ["src/z.ts", "src/[^a-c].ts"],
    ["src/*.ts", "src/[*].ts"],
    ["src/].ts", "src/[]].ts"],
    ["src/-.ts", "src/[a-].ts"],
    ["app/[id]/page.tsx", "app/[id]/page.tsx"],
    ["app/[...all]/page.tsx", "app/[...all]/**"],
    ["src/[x", "src/[x"],
    ["SRC/A.TS", "src/a.ts"],
    ["src/a.ts", "SRC/[A-C].TS"],
    ["gr\u00f6\u00dfer/\u00e9.md", "gro\u0308\u00dfer/?.md"],
    ["\u03a3\u03c2/a", "\u03c3\u03c3/a"],
    ["with space/a b.txt", "with space/*"],
    ["a\\b", "a?b"],
    ["\u{1f680}/x", "?/x"],
  ])("matches %j: %j", (path, pattern) => {
    expect(problemWithPattern(pattern)).toBeUndefined()
    expect(matchesPattern(path, pattern)).toBe(true)
  })

  it.each([
    ["src/deep/a.ts", "src/*.ts"],
    ["src/ab.ts", "src/?.ts"],
    ["srcs/a.ts", "src/**"],
    ["src", "src/**"],
    ["src", "src/"],
    ["src/a.ts", "src"],
    ["a/src/a.ts", "src/**"],
    ["src/a.tsx", "src/a.ts"],
    ["src/a.ts", "src/[!a].ts"],
    ["src/a/b.ts", "src/[!x]b.ts"],
    ["src/c.ts", "src/{a,b}.ts"],
    ["src/a.ts/../b.ts", "src/b.ts"],
    ["src/deep/a.ts", "src/d*"],
  ])("does not match %j: %j", (path, pattern) => {
    expect(matchesPattern(path, pattern)).toBe(false)
  })

  it.each([
    ["", "empty"],
    ["  ", "empty"],
    ["!src/**", "cannot exclude files"],
    ["src\\a.ts", "write / between folders"],
    ["/etc/passwd", "from the repository's root"],
    ["~/x", "from the repository's root"],
    ["C:/x", "from the repository's root"],
    ["../x", "lead out"],
    ["a/../b", "lead out"],
    ["{a,..}/b", "lead out"],
    ["{a,/etc}", "from the repository's root"],
    [".git/config", ".git"],
    ["sub/.GIT/**", ".git"],
    ["a\nb", "single line"],
    ["a".repeat(401), "400"],
    ["{a,b}".repeat(9), "200"],
    ["*a".repeat(21), "20 stars"],
  ])("%j is refused: %s", (pattern, why) => {
    expect(problemWithPattern(pattern)).toContain(why)
    expect(matchesPattern("etc/passwd", pattern)).toBe(false)
  })

  it("is kept without what means nothing", () => {
    expect(["./src//a.ts", "src/./b/", ".", "./", "a/**", "e\u0301"].map(cleanPattern)).toEqual([
      "src/a.ts",
      "src/b/",
      "**",
      "**",
      "a/**",
      "\u00e9",
    ])
  })
})

describe("two patterns", () => {
  it.each([
    ["src/**", "src/api/**"],
    ["src/**/*.ts", "**/api/*"],
    ["src/*.test.ts", "src/user.*"],
    ["src/auth/", "src/auth/login.ts"],
    ["{src,lib}/**", "{lib,docs}/a.md"],
    ["SRC/a.ts", "src/A.ts"],
    ["[a-m]*", "[m-z]*"],
    ["a*c", "*b*"],
    ["**", "x"],
  ])("overlap: %j and %j", (a, b) => {
    const path = findOverlap(a, b)
    expect(path).toBeString()
    expect([matchesPattern(path ?? "", a), matchesPattern(path ?? "", b)]).toEqual([true, true])
  })

  it.each([
    ["src/**/*.ts", "src/**/*.css"],
    ["src/api/**", "src/ui/**"],
    ["src/*.ts", "src/*/*.ts"],
    ["[a-l]*", "[m-z]*"],
    ["a?", "a"],
    ["src/*/index.ts", "src/index.ts"],
    ["Makefile", "**/*.md"],
    ["?", "[.]"], // no file is called that
  ])("do not overlap: %j and %j", (a, b) => {
    expect(findOverlap(a, b)).toBeUndefined()
  })

  it("overlap exactly when some path is matched by both", () => {
    fc.assert(
      fc.property(pattern(), pattern(), (a, b) => {
        const common = ALL_PATHS.find((path) => byHand(path, a) && byHand(path, b))
        const witness = findOverlap(a, b)
        if (common !== undefined) expect(witness).toBeDefined()
        if (witness === undefined) return
        expect([byHand(witness, a), byHand(witness, b), findOverlap(b, a) !== undefined]).toEqual([true, true, true])
        expect(witness).toMatch(/^[^/]+(\/[^/]+)*$/)
      }),
      { numRuns: 300 },
    )
  }, 60_000)

  it("match what a simple reading of them matches", () => {
    fc.assert(
      fc.property(pattern(), fc.constantFrom(...ALL_PATHS), (each, path) => {
        expect(matchesPattern(path, each)).toBe(byHand(path, each))
      }),
      { numRuns: 5000 },
    )
  }, 60_000)

  it("are one within the other exactly when no path of it is outside", () => {
    fc.assert(
      fc.property(pattern(), fc.array(pattern(), { maxLength: 3 }), (each, others) => {
        const [branch = ""] = branchesOf(each)
        const outside = ALL_PATHS.find((path) => byHand(path, branch) && !others.some((other) => byHand(path, other)))
        if (outside !== undefined) expect(isCoveredBy(branch, others)).toBe(false)
        if (!isCoveredBy(branch, others)) return
        expect(
          ALL_PATHS.filter((path) => byHand(path, branch)).every((path) => others.some((o) => byHand(path, o))),
        ).toBe(true)
      }),
      { numRuns: 400 },
    )
    expect(isCoveredBy("packages/*/package.json", ["**/package.json"])).toBe(true)
    expect(isCoveredBy("packages/*/*.json", ["**/package.json"])).toBe(false)
    expect(isCoveredBy("[ab].lock", ["a.lock", "b.*"])).toBe(false) // it matches [ab].lock as well
    expect(isCoveredBy("[ab].lock", ["a.lock", "b.*", "[[]ab].lock"])).toBe(true)
    expect(isCoveredBy("{package.json,src/**}", ["**/package.json"])).toBe(true)
  }, 60_000)
})

it("is not said to be within others where it would take for ever to find out", () => {
  const many = "?".repeat(24)
  const others = (end: string) => [`*a${end}`, `*b${end}`, `*[[]ab]${end}`]
  expect(isCoveredBy("*[ab]??", others("??"))).toBe(true)
  expect(isCoveredBy(`*[ab]${many}`, others(many))).toBe(false)
})

/** Parts of patterns over two letters and a dot, and every short path over these. */
function pattern(): fc.Arbitrary<string> {
  const token = fc.constantFrom("a", "b", ".", "?", "*", "[ab]", "[!a]", "{a,b}", "{a,b*}", "A")
  const segment = fc.oneof(
    { weight: 4, arbitrary: fc.array(token, { minLength: 1, maxLength: 3 }).map((tokens) => tokens.join("")) },
    { weight: 1, arbitrary: fc.constant("**") },
  )
  return fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "", "/"))
    .map(([segments, end]) => `${segments.join("/")}${end}`)
    .filter((text) => problemWithPattern(text) === undefined)
}

const NAMES = ["a", "b", "aa", "ab", "ba", "bb", "a.", ".a", "b.", ".b", "aab", "bab", "[ab]", "c"]
const ALL_PATHS = [
  ...NAMES,
  ...NAMES.flatMap((one) => NAMES.map((two) => `${one}/${two}`)),
  ...NAMES.slice(0, 8).flatMap((one) =>
    NAMES.slice(0, 8).flatMap((two) => NAMES.slice(0, 8).map((three) => `${one}/${two}/${three}`)),
  ),
]

function branchesOf(text: string): string[] {
  const group = /\{([^{}]*)\}/.exec(text)
  if (group === null) return [text]
  return (group[1] ?? "").split(",").flatMap((choice) => branchesOf(text.replace(group[0], () => choice)))
}

/** The same rules, read in another way: a regular expression for each choice of the braces. */
function byHand(path: string, text: string): boolean {
  return branchesOf(text.toLowerCase()).some((branch) => {
    const segments = branch.split("/").filter((segment) => segment !== "" && segment !== ".")
    if (branch.endsWith("/") || segments.length === 0) segments.push("**")
    const parts = segments.map((segment, index) => {
      const isLast = index === segments.length - 1
      if (segment === "**") return isLast ? ".+" : "(?:.+/)?"
      const inner = segment.replaceAll(/\[ab\]|\[!a\]|[.?*]/g, (token) => {
        if (token === "[ab]") return "(?:[ab]|\\[ab\\])"
        if (token === "[!a]") return "(?:[^a/]|\\[!a\\])"
        return token === "." ? "\\." : token === "?" ? "[^/]" : "[^/]*"
      })
      return isLast ? inner : `${inner}/`
    })
    return new RegExp(`^${parts.join("")}$`).test(path)
  })
}

it("the beginning of a pattern is one of all that it matches", () => {
  fc.assert(
    fc.property(pattern(), fc.constantFrom("", "./", ".//"), fc.constantFrom(...ALL_PATHS), (each, lead, path) => {
      if (byHand(path, each)) expect(path.startsWith(prefixOf(`${lead}${each}`))).toBe(true)
    }),
    { numRuns: 3000 },
  )
  expect([".", "./", "src/", "SRC/{a,b}", "a//b/*", "a/./b"].map(prefixOf)).toEqual([
    "",
    "",
    "src/",
    "src/",
    "a/b/",
    "a/b",
  ])
})
