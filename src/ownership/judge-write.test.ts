import { describe, expect, it } from "bun:test"
import { owning } from "../../test/support/agents.ts"
import { resolvePath } from "../lib/paths.ts"
import { judgeWrite } from "./owned-files.ts"

const OWNED = { workspace: "/w", ownership: owning("src/**") }
const judge = (tool: string, input: Record<string, unknown>) =>
  judgeWrite({ tool, input }, OWNED, (path, from = "") => resolvePath(`${from}/${path}`))
const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")

describe("a tool that writes one file", () => {
  it.each([
    ["Write", "file_path"],
    ["Edit", "file_path"],
    ["MultiEdit", "file_path"],
    ["NotebookEdit", "notebook_path"],
    ["write_file", "file_path"],
    ["replace", "file_path"],
    ["write", "filePath"],
    ["edit", "filePath"],
  ])("%s goes by its %s", (tool, field) => {
    expect(judge(tool, { [field]: "src/a.ts", content: "x" })).toBeUndefined()
    expect(judge(tool, { [field]: "/w/src/a.ts" })).toBeUndefined()
    expect(judge(tool, { [field]: "b.ts", content: "x" })).toStartWith(
      '"b.ts" does not belong to task 1, which owns src/**',
    )
    expect(judge(tool, { [field]: "/w/src/../b.ts" })).toBeString()
  })

  it("must say which", () => {
    expect(judge("Write", { content: "x" })).toBe("it does not say which files it writes")
    expect(judge("write_file", { file_path: 7 })).toBeString()
  })
})

describe("a patch", () => {
  it.each([
    [["*** Add File: src/a.ts", "+x"]],
    [["*** Update File: src/a.ts", "*** Move to: src/b.ts", "@@", "-x", "+y"]],
    [["*** Delete File: src/a.ts"]],
    [["*** Add File: src/a.ts", "+*** Add File: b.ts"]],
  ])("within what is owned: %p", (lines) => {
    expect(judge("apply_patch", { command: patch(...lines) })).toBeUndefined()
  })

  const BEYOND: [string, ...string[]][] = [
    ["*** Add File: b.ts", "+x"],
    ["*** Add File: src/a.ts", "+x", "*** Delete File: b.ts"],
    ["*** Update File: b.ts", "*** Move to: src/b.ts"],
    ["*** Update File: src/a.ts", "*** Move to: b.ts"],
    ["*** Add File: src/a.ts", "+x", "  *** Update File: b.ts  "],
    ["*** Add File: ../src/a.ts", "+x"],
    ["*** Add File:  src/a.ts", "+x"],
    ["*** Add File: b.ts\r", "+x\r"],
  ]
  it.each(BEYOND.map((lines) => [lines]))("beyond it: %p", (lines) => {
    expect(judge("apply_patch", { command: patch(...lines) })).toMatch(
      /does not belong to task 1|is not inside the repository/,
    )
  })

  it("must say which files", () => {
    expect(judge("apply_patch", { command: patch() })).toBe("it does not say which files it writes")
    expect(judge("apply_patch", {})).toBeString()
  })

  it("is not for a shell, which may be in another folder", () => {
    const command = `cd lib && apply_patch <<'EOF'\n${patch("*** Add File: src/a.ts", "+x")}\nEOF`
    expect(judge("Bash", { command })).toContain("apply_patch itself")
  })
})

it("what does not write, or writes by a command, is not judged", () => {
  expect(judge("Read", { file_path: "b.ts" })).toBeUndefined()
  expect(judge("Bash", { command: "echo x > b.ts" })).toBeUndefined()
  expect(judge("run_shell_command", { command: "cat apply_patch.md" })).toBeUndefined()
})
