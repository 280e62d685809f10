import { expect, it } from "bun:test"
import { nestedRepositories, plainPaths } from "./not-delivered.ts"

it.each([
  [["dist/out.js"], ["dist/out.js"]],
  [
    ["dist/**", "./dist/a.js"],
    ["dist", "dist/a.js"],
  ],
  [
    ["src/*/x", "**/*.ts", "!dist", "a/{b,c}"],
    ["src", "a"],
  ],
  [["build/"], ["build"]],
])("F134: %j names %j without doubt", (patterns, paths) => {
  expect(plainPaths(patterns)).toEqual(paths)
})

it("F134: says what a repository in the workspace is, and what to do", () => {
  const change = { change: "added", type: "repository", inScope: false, message: "" } as const
  const told = nestedRepositories([
    { ...change, path: "sub/", reason: "nested_repository" },
    { ...change, path: "other", reason: "not_owned" },
  ])
  expect(told).toMatchObject([{ path: "sub", what: "repository" }])
  expect(told[0]?.message).toContain("remove sub/.git")
})
