import { expect, it } from "bun:test"
import { isOnCriticalPath } from "./layers.ts"

const task = (id: string, ...blockedBy: string[]) => ({ id, blockedBy })

it("is the longest chain of tasks that are left", () => {
  const tasks = [task("a"), task("b", "a"), task("c", "b"), task("d", "a"), task("e")]
  expect(tasks.filter(({ id }) => isOnCriticalPath(tasks, id)).map(({ id }) => id)).toEqual(["a", "b", "c"])
})

it("has all of two chains that are equally long", () => {
  const tasks = [task("a"), task("b", "a"), task("c"), task("d", "c"), task("e")]
  expect(tasks.filter(({ id }) => isOnCriticalPath(tasks, id)).map(({ id }) => id)).toEqual(["a", "b", "c", "d"])
})

it("is not there where no task waits for another, and knows nothing of tasks that have ended", () => {
  expect(isOnCriticalPath([task("a"), task("b")], "a")).toBe(false)
  expect(isOnCriticalPath([task("b", "a"), task("c", "gone")], "b")).toBe(false)
  expect(isOnCriticalPath([task("a"), task("b", "a")], "x")).toBe(false)
})
