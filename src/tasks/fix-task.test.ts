import { describe, expect, it, test } from "bun:test"
import { isId, parseTaskId } from "../kernel/ids.ts"
import { findFixed, findWorkToBring, fixIdOf, isFixId, isRepairComing } from "./fix-task.ts"
import type { TaskStatus } from "./task.ts"

test("the id of a fix follows from the attempt, and is an id for any task", () => {
  expect(fixIdOf({ id: parseTaskId("3"), attempt: 2 })).toBe("fix-3-2" as never)
  const long = ["x".repeat(63), "y"].map((end) => parseTaskId(`${"a".repeat(64 - end.length)}${end}`.slice(0, 64)))
  const ids = long.map((id) => fixIdOf({ id, attempt: 1 }))
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect([isId(id), isFixId(id)]).toEqual([true, true])
  expect(isFixId("3")).toBe(false)
  expect(isFixId("fix-the-roof")).toBe(false)
})

test("a fix is traced back to the attempt that it mends", () => {
  const tasks = ["3", "fix-3", "x".repeat(64), "other"].map((id) => ({ id: parseTaskId(id) }))
  for (const { id } of tasks)
    for (const attempt of [1, 12]) expect(findFixed(fixIdOf({ id, attempt }), tasks)).toEqual({ id, attempt })
  for (const id of ["fix-4-1", "3", "fix-the-roof"]) expect(findFixed(id, tasks)).toBeUndefined()
})

test("a fix has to bring along the work that still waits for it", () => {
  const id = parseTaskId("3")
  const bring = (attempt: number, status: "resolved" | "open" | "skipped") =>
    findWorkToBring("fix-3-1", [{ id, attempt, status }])
  expect(bring(1, "resolved")).toEqual({ taskId: id, attempt: 1 })
  for (const given of [bring(2, "resolved"), bring(2, "open"), bring(1, "skipped")]) expect(given).toBeUndefined()
  expect(findWorkToBring("3", [{ id, attempt: 1, status: "resolved" }])).toBeUndefined()
})

describe("a repair that others wait for", () => {
  const tasks = (status: TaskStatus, need?: TaskStatus) =>
    new Map(
      [
        { id: parseTaskId("fix-1-1"), status, blockedBy: need === undefined ? [] : [parseTaskId("2")] },
        { id: parseTaskId("2"), status: need ?? "open", blockedBy: [] },
      ].map((task) => [task.id as string, task]),
    )

  it("is one that comes without anybody's help", () => {
    for (const status of ["open", "in_progress", "in_review"] as const)
      expect(isRepairComing("fix-1-1", tasks(status))).toBe(true)
    for (const status of ["resolved", "failed", "skipped", "paused"] as const)
      expect(isRepairComing("fix-1-1", tasks(status))).toBe(false)
    expect(isRepairComing("fix-9-1", tasks("open"))).toBe(false)
  })

  it("does not keep others waiting for what it waits for in vain", () => {
    expect(isRepairComing("fix-1-1", tasks("open", "in_progress"))).toBe(true)
    expect(isRepairComing("fix-1-1", tasks("open", "failed"))).toBe(false)
    expect(isRepairComing("fix-1-1", tasks("open", "paused"))).toBe(false)
  })
})
