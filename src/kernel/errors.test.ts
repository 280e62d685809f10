import { describe, expect, it } from "bun:test"
import { AppError } from "./errors.ts"
import type { Remedy, Words } from "./remedy.ts"

const WORDS: Words = {
  field: (name) => `<${name}>`,
  remedy: ({ to, operation, fields }) => `${to ?? "do"} ${operation} ${JSON.stringify(fields ?? {})}`,
}

describe("an error", () => {
  it("tells its message and its way out in the words of whoever tells it, and plainly otherwise", () => {
    const release: Remedy = { operation: "task release", fields: { id: "3" }, to: "free it with" }
    const error = new AppError("task.already_claimed", "task 3 is held by w1", { taskId: "3" }, { remedy: release })
    expect(error.tell(WORDS)).toBe('task 3 is held by w1; free it with task release {"id":"3"}')
    expect(error.message).toBe("task 3 is held by w1; free it with: teamwork task release --id 3")
    expect(error).toMatchObject({ code: "task.already_claimed", details: { taskId: "3" }, remedies: [release] })
  })

  it("names fields in the words of whoever tells it", () => {
    const error = new AppError("usage", (say) => `name it with ${say.field("workerId")}`)
    expect([error.tell(WORDS), error.message]).toEqual(["name it with <workerId>", "name it with workerId"])
  })

  it("joins several ways out", () => {
    const remedy: Remedy[] = [
      { operation: "approve", fields: { number: 2 } },
      { operation: "approvals", to: "see" },
      { operation: "cancel" },
    ]
    const error = new AppError("approval.needed", "it waits", {}, { remedy })
    expect(error.tell(WORDS)).toBe('it waits; do approve {"number":2}, or see approvals {}, or do cancel {}')
    expect(error.message).toBe(
      "it waits; run: teamwork approve --number 2, or see: teamwork approvals, or teamwork cancel",
    )
  })

  it("has none where none is given, and keeps its cause", () => {
    const cause = new Error("disk")
    const error = new AppError("store.full", "no room", {}, { cause, remedy: [] })
    expect(error).toMatchObject({ message: "no room", remedies: [], cause })
    expect("cause" in new AppError("store.full", "no room")).toBe(false)
  })
})

describe("a remedy", () => {
  it("names only operations and fields of the table", () => {
    const wrong: Remedy[] = [
      // @ts-expect-error there is no such operation
      { operation: "task relase" },
      // @ts-expect-error it has no such field
      { operation: "task release", fields: { taskId: "3" } },
      // @ts-expect-error it has no fields at all
      { operation: "task list", fields: { id: "3" } },
    ]
    expect(wrong).toHaveLength(3)
  })
})
