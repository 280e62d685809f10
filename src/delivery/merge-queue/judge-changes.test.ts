import { describe, expect, it } from "bun:test"
import type { Change } from "../../git/port.ts"
import { foldPaths, judgeCase, judgeChanges, judgeSizes, mayCollide } from "./judge-changes.ts"

describe("what a change may do", () => {
  it.each([".git/config", "sub/.git", ".GIT/hooks/x", "git~1/config", ".git./x", ".g\u200cit/x", ".git::$INDEX/x"])(
    "keeps out %p",
    (path) => expect(codes(change({ path }))).toEqual(["git_folder"]),
  )

  it.each([".github/workflows/x.yml", "legit/x", "src/git.ts", ".gitignore"])("lets in %p", (path) =>
    expect(judgeChanges([change({ path })])).toEqual({ problems: [], notices: [] }),
  )

  it.each(["/etc/passwd", "../..", "../../x", "a/../../../x", "C:\\x", "\\\\host\\x", "../.git/config"])(
    "keeps out a link to %p",
    (linksTo) => expect(codes(change({ path: "d/link", newMode: "120000", linksTo }))).toEqual(["link_outside"]),
  )

  it.each([".", "..", "file", "../other", "./a/../b"])("lets a link in d/e to %p in", (linksTo) =>
    expect(codes(change({ path: "d/e/link", newMode: "120000", linksTo }))).toEqual([]),
  )

  it("keeps out a new submodule, and tells of one that moved", () => {
    expect(codes(change({ newMode: "160000" }))).toEqual(["submodule"])
    const moved = change({ oldMode: "160000", newMode: "160000", status: "modified" })
    expect(judgeChanges([moved])).toMatchObject({ problems: [], notices: [{ code: "submodule" }] })
  })

  it.each(["test/a.ts", "src/a.test.ts", "a_test.go", "test_a.py", "src/__tests__/a.js", "spec/a_spec.rb"])(
    "tells when the test %p goes",
    (path) => {
      const gone = change({ path, oldMode: "100644", newMode: null, status: "deleted" })
      expect(judgeChanges([gone]).notices).toMatchObject([{ code: "deleted_tests" }])
      const renamed = { ...change({ path: "src/old.ts", oldMode: "100644", status: "renamed" }), oldPath: path }
      expect(judgeChanges([renamed]).notices).toMatchObject([{ code: "deleted_tests" }])
    },
  )

  it("tells of modes, large files, and files that steer git", () => {
    const mode = change({ oldMode: "100644", newMode: "100755", status: "modified" })
    expect(judgeChanges([mode]).notices).toEqual([{ code: "mode", message: "a was a file and is now executable" }])
    expect(judgeChanges([change({ path: "x/.gitattributes" })]).notices).toMatchObject([{ code: "attributes" }])
    const sizes = new Map([["1", 7_000_000]])
    expect(judgeSizes([change({ newId: "1" }), change({ newId: "2" })], sizes)).toEqual([
      { code: "large_file", message: "a has 7.0 MB" },
    ])
  })

  it("finds paths that differ in case only, folders too, unless the other one is gone", () => {
    const all = ["src/Button.ts", "src/button.ts", "Docs/x", "docs/y", "e\u0301", "\u00e9"]
    expect(judgeCase(["src/button.ts"], all)).toHaveLength(1)
    expect(judgeCase(["docs/y"], all)).toHaveLength(1)
    expect(judgeCase(["\u00e9"], all)).toHaveLength(1)
    expect(judgeCase(["src/button.ts"], ["src/button.ts"])).toEqual([])
    const known = foldPaths(["src/Button.ts"])
    expect(mayCollide(["src/button.ts"], known)).toBe(true)
    expect(mayCollide(["SRC/x"], known)).toBe(true)
    expect(mayCollide(["src/Button.ts", "src/other.ts"], known)).toBe(false)
  })
})

function codes(one: Change): string[] {
  return judgeChanges([one]).problems.map((problem) => problem.code)
}

function change(given: Partial<Change>): Change {
  const path = given.path ?? "a"
  const counts = { isBinary: false, addedLines: 1, deletedLines: 0 }
  return {
    path,
    oldPath: path,
    status: "added",
    oldMode: null,
    newMode: "100644",
    oldId: "0",
    newId: "1",
    ...counts,
    ...given,
  }
}
