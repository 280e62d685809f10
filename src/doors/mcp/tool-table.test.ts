import { describe, expect, it } from "bun:test"
import { COMMANDS } from "../cli/commands.ts"
import { loadTool, TOOLS } from "./tool-table.ts"
import { leadOf, offer } from "./who.ts"

const WORKER = { ...leadOf({ project: "shop", team: "main" }), worker: "w1", isFixed: true }

describe("the table of tools", () => {
  it("names each once, in snake_case", () => {
    const names = TOOLS.map((tool) => tool.name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))("%s says only what its command knows", async (_, tool) => {
    const command = await loadTool(tool, COMMANDS)
    const said = [
      ...[...(tool.without ?? []), ...(tool.ofLead ?? []), ...(tool.mustHold === undefined ? [] : [tool.mustHold])],
      ...[...Object.keys(tool.fixed ?? {}), ...Object.keys(tool.names ?? {})],
    ]
    // Jobs share their names, and each has only some of them.
    const isKnown = (field: string) => field in command.fields || field === "jobId"
    expect(said.filter((field) => !isKnown(field))).toEqual([])
  })

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))("%s lets no worker say who it is", async (_, tool) => {
    const command = await loadTool(tool, COMMANDS)
    const { names, filled } = offer(tool, command, WORKER)
    for (const field of ["owner", "workerId", "from", "inbox", "by"]) {
      expect([...names.values()]).not.toContain(field)
      if (field in command.fields) expect(filled).toMatchObject({ [field]: "w1" })
    }
  })
})
