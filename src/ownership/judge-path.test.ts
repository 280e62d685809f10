import { describe, expect, it } from "bun:test"
import { judgePath, listSharedParts, type Ownership } from "./judge-path.ts"

const SHARED = ["**/package.json", "**/*.lock", "**/.env", "**/.env.*"]
const OTHERS = [
  { id: "4", files: ["src/web/**"] },
  { id: "5", files: ["docs/"] },
]

function ownership(files: readonly string[] | null, change: Partial<Ownership> = {}): Ownership {
  return { task: files === null ? null : { id: "3", files }, others: OTHERS, granted: [], shared: SHARED, ...change }
}

describe("whether a task may write a file", () => {
  it.each([
    ["src/api/a.ts", ["src/api/**"], "owned", true],
    ["./src//api/../api/a.ts", ["src/api/**"], "owned", true],
    ["SRC/API/A.ts", ["src/api/**"], "owned", true],
    ["src/web/a.ts", ["src/api/**"], "not_owned", false],
    ["lib/a.ts", ["src/api/**"], "not_owned", false],
    ["lib/a.ts", [], "free", true],
    ["src/web/a.ts", [], "owned_by_other", false],
    ["package.json", [], "shared", false],
    ["src/api/package.json", ["src/api/**"], "shared", false],
    ["src/api/package.json", ["**"], "shared", false],
    ["src/api/package.json", ["src/api/package.json"], "owned", true],
    ["src/api/package.json", ["{src/api/package.json,src/**}"], "owned", true],
    ["src/api/.env", ["{src/api/package.json,src/**}"], "shared", false],
    ["../other/a.ts", ["**"], "outside", false],
    ["src/../../a.ts", ["**"], "outside", false],
    ["/etc/passwd", ["**"], "outside", false],
    ["", ["**"], "outside", false],
    [".git/hooks/pre-commit", ["**"], "git_folder", false],
    ["sub/.GIT/config", ["**"], "git_folder", false],
  ] as const)("%j for a task that owns %j: %s", (path, files, reason, allowed) => {
    expect(judgePath(path, ownership(files))).toMatchObject({ reason, allowed })
  })

  it("F011: may change shared files where the engine merges them, also those that other tasks name, and no other file of theirs", () => {
    const others = [...OTHERS, { id: "6", files: ["package.json"] }]
    const coordinated = (files: readonly string[]) => ownership(files, { others, isCoordinated: true })
    for (const path of ["package.json", "src/web/package.json", "yarn.lock", ".env"])
      expect(judgePath(path, coordinated(["src/api/**"]))).toMatchObject({ reason: "shared", allowed: true })
    expect(judgePath("package.json", coordinated([]))).toMatchObject({ reason: "shared", allowed: true })
    expect(judgePath("src/web/a.ts", coordinated(["src/api/**"]))).toMatchObject({ reason: "not_owned", owner: "4" })
    expect(judgePath("src/web/a.ts", coordinated([]))).toMatchObject({ reason: "owned_by_other", allowed: false })
  })

  it("a grant widens what it may write, also by shared files and those of others, and by nothing else", () => {
    const granted = ownership(["src/api/**"], { granted: ["package.json", "src/web/menu.ts"] })
    expect(judgePath("package.json", granted)).toMatchObject({ allowed: true, reason: "granted" })
    expect(judgePath("src/web/menu.ts", granted)).toMatchObject({ allowed: true, pattern: "src/web/menu.ts" })
    expect(judgePath("src/web/page.ts", granted)).toMatchObject({ allowed: false, owner: "4", pattern: "src/web/**" })
    expect(judgePath("../package.json", { ...granted, granted: ["**"] })).toMatchObject({ allowed: false })
    expect(judgePath(".git/config", { ...granted, granted: ["**"] })).toMatchObject({ allowed: false })
  })

  it("says in one line whose it is and what to do", () => {
    expect(judgePath("src/web/a.ts", ownership(["src/api/**"])).message).toBe(
      '"src/web/a.ts" belongs to task 4 (src/web/**), not to task 3; ask the lead: teamwork ownership ask --task 3 --path PATH --reason WHY',
    )
    expect(judgePath("src/api/a.ts", ownership(["src/api"])).message).toContain(
      "task 3 owns src/api as a file; the files of a folder are src/api/;",
    )
    expect(judgePath("x", ownership(["a", "b", "c", "d", "e"])).message).toContain("which owns a, b, c and 2 more;")
    expect(judgePath("a\nb", ownership(["src/**"])).message).not.toContain("\n")
  })

  it("the lead writes shared files and what no task owns", () => {
    expect(judgePath("package.json", ownership(null))).toMatchObject({ allowed: true, reason: "shared" })
    expect(judgePath("README.md", ownership(null))).toMatchObject({ allowed: true, reason: "free" })
    expect(judgePath("docs/a.md", ownership(null))).toMatchObject({ allowed: false, owner: "5" })
    const owned = ownership(null, { others: [{ id: "9", files: ["package.json"] }] })
    expect(judgePath("package.json", owned)).toMatchObject({ allowed: false, owner: "9" })
  })
})

it("a pattern claims shared files when it can match nothing else", () => {
  expect(
    ["package.json", "packages/*/package.json", "*.lock", "{yarn.lock,src/**}", "**", "*.json"].map(claims),
  ).toEqual([["package.json"], ["packages/*/package.json"], ["*.lock"], ["yarn.lock"], [], []])
})

function claims(pattern: string): string[] {
  return listSharedParts(pattern, SHARED)
}
