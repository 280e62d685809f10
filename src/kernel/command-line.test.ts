import { describe, expect, it } from "bun:test"
import { commandLine, flagOf } from "./command-line.ts"
import type { Remedy } from "./remedy.ts"

describe("commandLine", () => {
  const claim: Remedy = { operation: "task claim", fields: { id: "3", owner: "NAME" } }

  it("names flags, and leaves them out where the command can do without", () => {
    expect(commandLine({ operation: "task list" })).toBe("teamwork task list")
    expect(commandLine(claim)).toBe("teamwork task claim --id 3 --owner NAME")
    expect(commandLine(claim, { positional: ["id"] })).toBe("teamwork task claim 3 --owner NAME")
    expect(commandLine(claim, { positional: ["id", "owner"] })).toBe("teamwork task claim 3 NAME")
  })

  it("keeps the flag after a gap, and leaves out what is not given", () => {
    const positional = ["to", "id"]
    expect(commandLine({ operation: "task phase", fields: { id: "3", to: undefined } }, { positional })).toBe(
      "teamwork task phase --id 3",
    )
  })

  it("knows flags without a value, numbers and lists", () => {
    expect(commandLine({ operation: "doctor", fields: { fix: true } })).toBe("teamwork doctor --fix")
    expect(commandLine({ operation: "approve", fields: { number: 2 } }, { positional: ["number"] })).toBe(
      "teamwork approve 2",
    )
    const put: Remedy = { operation: "explore put", fields: { angle: "errors", files: ["a.ts", "b c.ts"] } }
    expect(commandLine(put)).toBe("teamwork explore put --angle errors --files a.ts --files 'b c.ts'")
    expect(commandLine(put, { positional: ["angle", "files"] })).toBe("teamwork explore put errors a.ts 'b c.ts'")
    expect(commandLine(put, { positional: ["angle"], takesRest: "files" })).toBe(
      "teamwork explore put errors -- a.ts 'b c.ts'",
    )
  })

  it("quotes for a shell, and ties a word that looks like a flag to its own", () => {
    const importing = (path: string) => commandLine({ operation: "import", fields: { path } }, { positional: ["path"] })
    expect(importing("it's here; rm -r ~")).toBe("teamwork import 'it'\\''s here; rm -r ~'")
    expect(importing("")).toBe("teamwork import ''")
    expect(importing("--force")).toBe("teamwork import --path=--force")
  })
})

describe("flagOf", () => {
  it("is the flag of a field", () => {
    expect([flagOf("workerId"), flagOf("id")]).toEqual(["--worker-id", "--id"])
  })
})
