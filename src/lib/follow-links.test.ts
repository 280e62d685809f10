import { expect, it } from "bun:test"
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../test/support/sandbox.ts"
import { followLinks } from "./follow-links.ts"

it("goes where the system would go, also to what is not there yet", () => {
  using scratch = makeScratch()
  const root = realpathSync(scratch.path)
  for (const folder of ["a/deep", "b"]) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, "b/file"), "")
  symlinkSync("../b", join(root, "a/relative"))
  symlinkSync(join(root, "b"), join(root, "a/absolute"))
  symlinkSync("relative/file", join(root, "a/twice"))
  symlinkSync("nowhere/at/all", join(root, "a/dangling"))
  const there = ["a", "a/relative", "a/relative/file", "a/absolute/file", "a/twice", "a/relative/../a/deep"]
  for (const path of there) expect(followLinks(`${root}/${path}`)).toBe(realpathSync.native(`${root}/${path}`))
  expect(followLinks(`${root}/a/relative/new/file`)).toBe(`${root}/b/new/file`)
  expect(followLinks(`${root}/a/relative/../new`)).toBe(`${root}/new`)
  expect(followLinks(`${root}/a/dangling`)).toBe(`${root}/a/nowhere/at/all`)
  expect(followLinks(`${root}/./a//deep/`)).toBe(`${root}/a/deep`)
  expect(followLinks("/../..")).toBe("/")
})

it("comes to an end with links that have none", () => {
  using scratch = makeScratch()
  symlinkSync("two", join(scratch.path, "one"))
  symlinkSync("one", join(scratch.path, "two"))
  expect(followLinks(join(scratch.path, "one/x"))).toEndWith("/x")
})
