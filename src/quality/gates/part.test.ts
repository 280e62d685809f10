import { describe, expect, it } from "bun:test"
import { makeTask } from "../../../test/support/tasks.ts"
import type { Task } from "../../tasks/task.ts"
import { describeLeftOut, listLeftOut } from "../left-out.ts"
import { statusOf } from "./findings.ts"
import { checkLeftOut, checkPart, partOf } from "./part.ts"

const task = (id: string, status: Task["status"], ...needs: string[]) =>
  makeTask({ id: id as Task["id"], status, blockedBy: needs as Task["id"][] })

describe("F023: a part", () => {
  const all = [
    task("1", "resolved"),
    task("2", "failed"),
    task("3", "open", "2"),
    task("4", "skipped"),
    task("5", "resolved"),
  ]
  const reasonOf = ({ id }: Task) => (id === "2" ? "npm test exited with 1\n    line" : null)
  const part = partOf(all, { isMissing: ({ id }) => id === "5", reasonOf })

  it("holds what is finished and merged, and says of the rest why not", () => {
    expect(part.tasks.map(({ id }) => String(id))).toEqual(["1", "4"])
    expect(describeLeftOut(part.leftOut)).toBe(
      "2 (failed: npm test exited with 1), 3 (open, needs 2), 5 (its work is not merged)",
    )
  })

  it("is told apart from the whole in the verdict", () => {
    const { checks } = checkLeftOut(part.leftOut)
    expect(listLeftOut({ scope: "final", checks })).toEqual([...part.leftOut])
    expect(listLeftOut({ scope: "wave", checks })).toBeNull()
    expect(listLeftOut({ scope: "final", checks: [] })).toBeNull()
  })

  it("needs something that is finished", () => {
    expect(statusOf(checkPart(part.tasks))).toBe("passed")
    expect(statusOf(checkPart([task("4", "skipped")]))).toBe("failed")
  })
})
