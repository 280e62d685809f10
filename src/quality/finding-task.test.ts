import { expect, it } from "bun:test"
import { isId } from "../kernel/ids.ts"
import { isFixId } from "../tasks/fix-task.ts"
import { findingId, findingOf } from "./finding-task.ts"

it("names a task after the review and what it is about", () => {
  expect(findingId(2, "3")).toBe("finding-2-3" as never)
  expect(findingOf("finding-2-3")).toEqual({ round: 2, task: "3" })
  expect(findingOf(findingId(1, null))).toEqual({ round: 1, task: null })
  expect(findingOf(findingId(1, "fix-3-1"))).toEqual({ round: 1, task: "fix-3-1" })
  for (const id of ["3", "finding", "finding-x-3", "fix-3-1"]) expect(findingOf(id)).toBeNull()
})

it("is always a valid id, never one of a merge's fixes, and different for different tasks", () => {
  const long = (end: string) => `${"x".repeat(63)}${end}`
  expect(isId(findingId(12, long("a")))).toBe(true)
  expect(findingId(12, long("a"))).not.toBe(findingId(12, long("b")))
  expect(isFixId(findingId(1, "3"))).toBe(false)
})
