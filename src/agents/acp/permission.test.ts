import { describe, expect, it } from "bun:test"
import { owning } from "../../../test/support/agents.ts"
import { makeAgentJob } from "../make-agent-job.ts"
import type { AgentJob } from "../port.ts"
import { findObjection, type Wish } from "./permission.ts"

const JOB = makeAgentJob({ prompt: "", workspace: "/w", stateFolder: "/s", env: {}, permission: "edit" })

const objection = (wish: Partial<Wish>, job: Partial<AgentJob> = {}) =>
  findObjection({ ...JOB, ...job }, { name: "Tool", kind: "other", server: "", files: [], ...wish })
const write = (...files: string[]) => ({ name: "Write", kind: "edit", files })

describe("owned files", () => {
  const owned = { ownership: owning("src/**", "./docs/", "a.txt") }

  it.each(["src/a.ts", "/w/src/deep/b.ts", "docs/x/y.md", "a.txt", "src/../a.txt"])("hold %s", (path) => {
    expect(objection(write(path), owned)).toBeUndefined()
    expect(objection(write(path), { ...owned, permission: "full" })).toBeUndefined()
  })

  it.each(["b.txt", "src/../b.txt", "/w2/src/a.ts", "/src/a.ts", "../w/../x", "src", "/w", ""])(
    "do not hold %p",
    (path) => {
      expect(objection(write(path), owned)).toMatch(/does not belong to task 1|is not inside the repository/)
      expect(objection(write(path), { ...owned, permission: "full", allowedTools: ["Write"] })).toBeString()
    },
  )

  it("hold all or nothing, and nothing that is not named", () => {
    expect(objection(write("src/a.ts", "b.txt"), owned)).toContain("b.txt")
    expect(objection(write(), owned)).toContain("does not say which")
    expect(objection(write())).toBeUndefined()
  })

  it("hold for whatever shows that it writes, whatever it calls itself", () => {
    expect(objection({ kind: "read", files: ["b.txt"] }, owned)).toContain("b.txt")
    expect(objection({ kind: "read", files: ["a.txt"] }, { permission: "ask" })).toContain("not permitted")
  })
})

describe("tools", () => {
  it("are allowed and denied by name, pattern or kind, and denial wins", () => {
    const bash = { name: "Bash", kind: "execute" }
    expect(objection(bash)).toBe("Bash is not among the allowed tools")
    for (const tool of ["Bash", "B*", "execute"]) expect(objection(bash, { allowedTools: [tool] })).toBeUndefined()
    for (const tool of ["Bash", "B*", "execute", "Bash(rm *)"]) {
      const denied = { deniedTools: [tool], allowedTools: ["Bash"], permission: "full" } as const
      expect(objection(bash, denied)).toBe("Bash is denied")
    }
    // A rule that we cannot read allows nothing.
    expect(objection(bash, { allowedTools: ["Bash(git *)"] })).toBeString()
  })

  it("of the network or of modes are not reading", () => {
    for (const kind of ["fetch", "switch_mode", "other", ""]) expect(objection({ kind })).toBeString()
    for (const kind of ["read", "search", "think"]) expect(objection({ kind }, { permission: "ask" })).toBeUndefined()
  })

  it("of our servers are not what only sounds like them", () => {
    const mcpServers = { run: { command: "true", args: [], env: {} } }
    expect(objection({ name: "run_tests" }, { mcpServers })).toBeUndefined()
    expect(objection({ name: "run_shell_command", kind: "execute" }, { mcpServers })).toBeString()
  })

  it("of our servers are known by the server, where the agent names it", () => {
    const mcpServers = { notes: { command: "true", args: [], env: {} } }
    const call = (server: string) => ({ name: "mcp.notes.add", kind: "execute", server })
    expect(objection(call("notes"), { mcpServers })).toBeUndefined()
    for (const server of ["other", "toString"]) expect(objection(call(server), { mcpServers })).toBeString()
    expect(objection(call("notes"), { mcpServers, deniedTools: ["mcp.notes.*"] })).toBe("mcp.notes.add is denied")
  })
})
