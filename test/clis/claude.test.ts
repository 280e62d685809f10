import { expect, it } from "bun:test"
import { CLOSING_SCHEMA, readClosingBlock } from "../../src/tasks/closing-block.ts"
import { cliSuite } from "./cli.suite.ts"
import { makeWorld } from "./cli-world.ts"
import { ownershipSuite } from "./ownership.suite.ts"
import { CLAUDE } from "./programs.ts"

cliSuite(CLAUDE)
ownershipSuite(CLAUDE, {
  allowing: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } },
})

it("F030: closes its answer by the schema with no request more, and in words", async () => {
  const end = { outcome: "failed", summary: "I wrote half.", reason: "no database", learned: ["the port is 5432"] }
  await using world = makeWorld(CLAUDE, {
    closing: [{ tool: CLAUDE.write("half.txt", "half\n") }, ...CLAUDE.structured(end)],
  })
  const { result, events } = await world.run({
    ...{ prompt: "[[closing]] do it", permission: "full", closingSchema: CLOSING_SCHEMA },
  })
  const answer = "I wrote half.\n\nFAILED: no database\nLEARNED: the port is 5432"
  expect(result).toMatchObject({ reason: "done", structured: end, answer })
  expect(events).toContainEqual(expect.objectContaining({ type: "text", text: answer }))
  expect(world.model.asked.map(({ step }) => step)).toEqual(["closing/0", "closing/1"])
  expect(readClosingBlock(result.answer, result.structured)).toMatchObject({ outcome: "failed", reason: "no database" })
})
