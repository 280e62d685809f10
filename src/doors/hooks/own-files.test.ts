import { describe, expect, it } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import type { Phase } from "../../kernel/phase.ts"
import { writesOwnFiles } from "./own-files.ts"

const FILES = ["src/"]

interface Scene {
  readonly phase?: Phase
  readonly store?: string
  readonly shared?: readonly string[] | undefined
  readonly cwd?: string
}

/** Asks for a session that joined in a repository and holds a task with `src/`. */
function ask(root: string, tool: string, input: Record<string, unknown>, scene: Scene = {}): boolean {
  const { phase = null, store = "sqlite:/store.db", cwd = root } = scene
  const raw = { session_id: "s1", cwd, tool_name: tool, tool_input: input }
  const looked: string[] = []
  return writesOwnFiles(
    raw,
    { project: "p", team: "t", folder: root, store },
    {
      userHome: root,
      shared: "shared" in scene ? scene.shared : ["**/package.json"],
      held(path, session) {
        looked.push(path, session)
        expect(looked).toEqual(["/store.db", "s1"])
        return [
          { files: ["docs/"], phase: "plan_design" },
          { files: FILES, phase },
        ]
      },
    },
  )
}

function makeRepository() {
  const scratch = makeScratch()
  mkdirSync(join(scratch.path, ".git"))
  mkdirSync(join(scratch.path, "src"))
  symlinkSync("/tmp", join(scratch.path, "src/out"))
  symlinkSync("../lib", join(scratch.path, "src/lib"))
  return scratch
}

describe("a tool writes the session's own files", () => {
  it.each([
    ["Write", { file_path: "src/a.ts" }, true],
    ["Edit", { file_path: "~/src/a.ts" }, true],
    ["NotebookEdit", { notebook_path: "src/a.ipynb" }, true],
    ["apply_patch", { input: "*** Begin Patch\n*** Add File: src/a\n*** Update File: src/b\n*** End Patch" }, true],
    ["apply_patch", { input: "*** Begin Patch\n*** Add File: src/a\n*** Update File: lib/b\n*** End Patch" }, false],
    ["Write", { file_path: "lib/a.ts" }, false],
    ["Write", { file_path: "src/../lib/a.ts" }, false],
    ["Write", { file_path: "src/out/a.ts" }, false],
    ["Write", { file_path: "src/lib/a.ts" }, false],
    ["Write", { file_path: "/elsewhere/src/a.ts" }, false],
    ["Write", { file_path: "src/package.json" }, false],
    // A task whose plan is not approved yet.
    ["Write", { file_path: "docs/a.md" }, false],
    ["Write", {}, false],
    ["mcp__disk__put", { path: "src/a.ts" }, false],
  ])("%s %j: %p", (tool, input, isOwn) => {
    using scratch = makeRepository()
    expect(ask(scratch.path, tool, input)).toBe(isOwn)
  })

  it("only where everything that decides is known", () => {
    using scratch = makeRepository()
    const write = (scene: Scene) => ask(scratch.path, "Write", { file_path: join(scratch.path, "src/a.ts") }, scene)
    expect(write({})).toBe(true)
    expect(write({ phase: "execution" })).toBe(true)
    expect(write({ phase: "awaiting_approval" })).toBe(false)
    expect(write({ store: "postgres://somewhere/db" })).toBe(false)
    expect(write({ store: "" })).toBe(false)
    expect(write({ shared: undefined })).toBe(false)
    expect(write({ cwd: "" })).toBe(false)
  })
})
