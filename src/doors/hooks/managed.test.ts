import { describe, expect, it } from "bun:test"
import { AppError } from "../../kernel/errors.ts"
import { VISIBLE_COMMANDS } from "../cli/commands.ts"
import { tellAgent } from "./managed.ts"

describe("what a hook tells an agent of a failure", () => {
  it("is what it may type in its shell", async () => {
    const remedy = { operation: "task claim", fields: { id: "3", owner: "w1" }, to: "claim it with" } as const
    const error = new AppError("usage", (say) => `${say.field("workerId")} holds nothing`, {}, { remedy })
    expect(await tellAgent(error, VISIBLE_COMMANDS)).toBe(
      "--worker-id holds nothing; claim it with: teamwork task claim 3 --owner w1",
    )
  })

  it("is the message of any other error", async () => {
    expect(await tellAgent(new Error("broken"), VISIBLE_COMMANDS)).toBe("broken")
    expect(await tellAgent("broken", VISIBLE_COMMANDS)).toBe("broken")
  })
})
