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
})
