import { describe, expect, it } from "bun:test"
import { type FileChange, judgeChanges } from "./scope.ts"

const OWNERSHIP = {
  task: { id: "3", files: ["src/**", "vendor/lib"] },
  others: [{ id: "4", files: ["docs/**"] }],
  granted: ["README.md"],
  shared: ["**/package.json"],
}

function reasonOf(change: Partial<FileChange>): string {
  const whole: FileChange = { path: "src/a", change: "modified", type: "file", ...change }
  const { kept, aside } = judgeChanges([whole], OWNERSHIP)
  return kept[0] === undefined ? `aside: ${aside[0]?.reason}` : `kept: ${kept[0].reason}`
}

describe("the scope of a change", () => {
  it.each([
    [{}, "kept: owned"],
    [{ change: "added" }, "kept: owned"],
    [{ change: "deleted" }, "kept: owned"],
    [{ change: "mode" }, "kept: owned"],
    [{ path: "README.md" }, "kept: granted"],
    [{ path: "docs/a.md" }, "aside: not_owned"],
    [{ path: "docs/a.md", change: "deleted" }, "aside: not_owned"],
    [{ path: "docs/a.md", change: "mode" }, "aside: not_owned"],
    [{ path: "src/package.json" }, "aside: shared"],
    [{ path: "src/a\ufffd.ts" }, "aside: unreadable_name"],
    [{ type: "link", target: "b.ts" }, "kept: owned"],
    [{ type: "link", target: "../lib/b.ts" }, "kept: owned"],
    [{ type: "link", target: "../../etc" }, "aside: link_outside"],
    [{ type: "link", target: "/etc/passwd" }, "aside: link_outside"],
    [{ type: "link", target: "../.git/config" }, "aside: link_outside"],
    [{ type: "link", target: "/etc/passwd", change: "deleted" }, "kept: owned"],
    [{ path: "docs/l", type: "link", target: "/etc" }, "aside: not_owned"],
    [{ type: "repository", change: "added" }, "aside: nested_repository"],
    [{ path: "vendor/lib", type: "repository", change: "modified" }, "kept: owned"],
  ] as const)("%j: %s", (change, reason) => {
    expect(reasonOf(change)).toBe(reason)
  })

  it("leaves out what cannot be there without a change that is not kept", () => {
    const change = (path: string, what: FileChange["change"]): FileChange => ({ path, change: what, type: "file" })
    const scope = (changes: FileChange[]) => {
      const ownership = { ...OWNERSHIP, task: { id: "3", files: ["lib/a/**", "docs"] } }
      const { kept, aside } = judgeChanges(changes, ownership)
      return [kept.map(({ path }) => path), aside.map(({ path, reason }) => `${path}: ${reason}`)]
    }
    expect(scope([change("lib/a", "deleted"), change("lib/a/b", "added")])).toEqual([
      [],
      ["lib/a: not_owned", "lib/a/b: in_the_way"],
    ])
    expect(scope([change("docs/x", "deleted"), change("docs", "added"), change("lib/a/c", "added")])).toEqual([
      ["lib/a/c"],
      ["docs/x: not_owned", "docs: in_the_way"],
    ])
  })
})
