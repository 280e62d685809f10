import { describe, expect, it } from "bun:test"
import { posix } from "node:path"
import fc from "fast-check"
import { basename, dirname, resolvePath } from "./paths.ts"

const name = fc.oneof(
  fc.constantFrom("a", "b.c", "..", ".", "...", ".hidden", "with space", "ünï", "-x", "~"),
  fc.string({ minLength: 1, maxLength: 8 }).map((text) => text.replaceAll(/[/\0]/g, "_")),
)
const absolute = fc.array(name, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`)
/** With doubled and trailing slashes, as people type them. */
const untidy = fc
  .array(fc.tuple(name, fc.constantFrom("/", "//", "///")), { maxLength: 6 })
  .map((parts) => `/${parts.flat().join("")}`)
const relative = fc.array(name, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/"))

describe("paths", () => {
  it("have the folder and name that node:path gives them", () => {
    fc.assert(
      fc.property(absolute, (path) => {
        expect(dirname(path)).toBe(posix.dirname(path))
        expect(basename(path)).toBe(posix.basename(path))
      }),
    )
  })

  it("resolve as node:path resolves them", () => {
    fc.assert(fc.property(fc.oneof(absolute, untidy), (path) => expect(resolvePath(path)).toBe(posix.resolve(path))))
    fc.assert(
      fc.property(fc.oneof(relative, absolute, untidy), untidy, (path, folder) =>
        expect(resolvePath(path, folder)).toBe(posix.resolve(folder, path)),
      ),
    )
  })

  it("count from the current folder when no other is named", () => {
    expect(resolvePath("a/../b")).toBe(`${process.cwd()}/b`)
    expect(resolvePath("")).toBe(process.cwd())
    expect(resolvePath("/")).toBe("/")
    expect(dirname("/")).toBe("/")
  })
})
