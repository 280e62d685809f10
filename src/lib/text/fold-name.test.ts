import { expect, test } from "bun:test"
import { foldApart, foldName, foldWithHash } from "./fold-name.ts"

test("plain names keep their form", () => {
  expect(foldApart("api", "project")).toBe("api")
  expect(foldApart("my app", "project")).toBe("my-app")
  expect(foldApart(".config", "project")).toBe("config")
  expect(foldApart("", "project")).toBe("project")
  expect(foldApart("a".repeat(100), "project")).toBe("a".repeat(64))
})

test("F009 names in other scripts stay apart and readable", () => {
  const names = ["日本語", "中文", "проект", "ветка", "über", "uber", "😀x", "😃x", "é".repeat(200), "é".repeat(201)]
  const ids = names.map((name) => foldApart(name, "project"))
  expect(new Set(ids).size).toBe(names.length)
  expect(ids.every((id) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id))).toBe(true)
  expect(foldApart("über app", "project")).toMatch(/^uber-app-[0-9a-f]{6}$/)
  expect(foldApart("日本語", "project")).toMatch(/^project-[0-9a-f]{6}$/)
  expect(foldApart("日本語-app", "project")).toMatch(/^app-[0-9a-f]{6}$/)
})

test("two spellings of one name in Unicode are one name", () => {
  expect(foldApart("é", "x")).toBe(foldApart("e\u0301", "x"))
})

test("a hash keeps folded names apart", () => {
  expect(foldName("feature/x", "main")).toBe("feature-x")
  expect(foldWithHash("feature/x", "main")).toMatch(/^feature-x-[0-9a-f]{6}$/)
  expect(foldWithHash("feature/x", "main")).not.toBe(foldWithHash("feature-x", "main"))
})
