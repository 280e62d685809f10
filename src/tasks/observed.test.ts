import { describe, expect, it } from "bun:test"
import type { TaskId } from "../kernel/ids.ts"
import type { Evidence } from "./evidence.ts"
import { exitCodeOf, observedEvidence } from "./observed.ts"

const TASK = { attempt: 2, checks: ["./verify.sh"] }

function known(facts: Evidence["facts"], change: Partial<Evidence> = {}): Evidence {
  return {
    ...{ number: 1, taskId: "1" as TaskId, attempt: 2, by: "w1", timestamp: "", withdrawnAt: null, text: "", facts },
    ...{ type: facts.path === undefined ? "command" : "file", trust: "observed", blockedPattern: null },
    ...change,
  }
}

const run = (line: string, exitCode?: number, output = "") => ({ run: { line, exitCode, output }, files: [] })
const lines = (...all: Parameters<typeof observedEvidence>) => observedEvidence(...all).map(({ facts }) => facts)

describe("of what an agent does, evidence is", () => {
  it("a check, with the end of what it printed", () => {
    expect(lines(run("npm test", 1, `${"x".repeat(9000)}end`), TASK, [])).toEqual([
      { command: "npm test", exitCode: 1, output: `${"x".repeat(3997)}end` },
    ])
    expect(lines(run("bash -lc 'npm test | tail'", 0), TASK, [])).toEqual([{ command: "npm test | tail", output: "" }])
    expect(lines(run("./verify.sh"), TASK, [])).toEqual([{ command: "./verify.sh", output: "" }])
    expect(lines(run("ls"), TASK, [])).toEqual([])
  })

  it("not what the attempt shows already", () => {
    const passed = known({ command: "npm test", exitCode: 0 })
    expect(lines(run("npm test", 0), TASK, [passed])).toEqual([])
    expect(lines(run("npm test", 1), TASK, [passed])).toHaveLength(1)
    expect(lines(run("npm test", 0), TASK, [passed, known({ command: "npm test", exitCode: 1 })])).toHaveLength(1)
    expect(lines(run("npm test", 0), TASK, [known(passed.facts, { attempt: 1 })])).toHaveLength(1)
    expect(lines(run("npm test", 0), TASK, [known(passed.facts, { withdrawnAt: "now" })])).toHaveLength(1)
    const wrote = { run: null, files: [{ path: "a", action: "modified" as const }] }
    expect(lines(wrote, TASK, [])).toEqual([{ path: "a", action: "modified" }])
    expect(lines(wrote, TASK, [known({ path: "a", action: "created" }, { trust: "attested" })])).toEqual([])
  })

  it("no more than can be read", () => {
    const many = Array.from({ length: 49 }, (_, at) => known({ path: `f${at}`, action: "modified" }))
    const two = { run: null, files: ["a", "b"].map((path) => ({ path, action: "modified" as const })) }
    expect(lines(two, TASK, many)).toEqual([{ path: "a", action: "modified" }])
    expect(lines(two, TASK, [...many, ...many])).toEqual([])
  })
})

it.each([
  [{ output: "Exit code 7\nfailed", ok: false, program: "claude" }, 7],
  [{ output: "Exit code: 3\nWall time: 0", ok: true, program: "codex" }, 3],
  [{ output: "Output: x\nExit Code: 2\nPGID: 1", ok: true, program: "gemini" }, 2],
  [{ output: "all fine", ok: true, program: "claude" }, 0],
  [{ output: "all fine", ok: true, program: "gemini" }, undefined],
  [{ output: "no", ok: false, program: "codex" }, undefined],
  [{ output: "it said\nExit code 1", ok: true, program: "codex" }, 0],
])("of %j the exit code is %p", (told, code) => expect(exitCodeOf(told)).toBe(code))
