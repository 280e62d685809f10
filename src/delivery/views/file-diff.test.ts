import { describe, expect, it } from "bun:test"
import { paintDiff, renderFileDiff } from "./file-diff.ts"

describe("the diff of a file", () => {
  it("shows what comes in and goes out, with some of what is around it", () => {
    const before = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", ""].join("\n")
    const after = before.replace("2\n", "2\n2a\n").replace("11\n", "")
    expect(renderFileDiff("a.txt", before, after).split("\n")).toEqual([
      ...["--- a/a.txt", "+++ b/a.txt"],
      ...["@@ -1,5 +1,6 @@", " 1", " 2", "+2a", " 3", " 4", " 5"],
      ...["@@ -8,5 +9,4 @@", " 8", " 9", " 10", "-11", " 12"],
    ])
  })

  it("shows a file that comes, one that goes, and an end without a line break", () => {
    expect(renderFileDiff("a", null, "x\n").split("\n")).toEqual(["--- /dev/null", "+++ b/a", "@@ -0,0 +1,1 @@", "+x"])
    expect(renderFileDiff("a", "x", null).split("\n")).toEqual([
      ...["--- a/a", "+++ /dev/null", "@@ -1,1 +0,0 @@", "-x", "\\ No newline at end of file"],
    ])
    expect(renderFileDiff("a", "x", "x\n")).toContain("-x\n\\ No newline at end of file\n+x")
  })

  it("is made also where much is different", () => {
    const many = (size: number, step: number) => Array.from({ length: size }, (_, i) => `${i * step}\n`).join("")
    const diff = renderFileDiff("a", many(3000, 1), many(3000, 2))
    expect(diff.match(/^[-+]\d+$/gm)?.length).toBeGreaterThan(1000)
  })

  it("is in colours for a screen that has them", () => {
    const diff = renderFileDiff("a", "x\n", "y\n")
    expect(paintDiff(diff, false)).toBe(diff)
    expect(paintDiff(diff, true)).toContain("\u001b[31m-x\u001b[0m\n\u001b[32m+y\u001b[0m")
  })
})
