import { describe, expect, it } from "bun:test"
import { makeTask } from "../../test/support/tasks.ts"
import { listDueRechecks } from "./recheck.ts"
import type { Task } from "./task.ts"

const task = (id: string, status: Task["status"], ...needs: string[]) =>
  makeTask({ id: id as Task["id"], status, blockedBy: needs as Task["id"][] })
const due = (tasks: Task[], ...ids: string[]) =>
  listDueRechecks(tasks, new Map(ids.map((id) => [id, "a"]))).map(({ id }) => String(id))

describe("F020: tasks that build on a revised one", () => {
  it("are looked at again once it is done, those first that others build on", () => {
    const chain = (a: Task["status"]) => [task("a", a), task("b", "resolved", "a"), task("c", "resolved", "b")]
    expect(due(chain("open"), "b", "c")).toEqual([])
    expect(due(chain("resolved"), "b", "c")).toEqual(["b"])
    expect(due(chain("resolved"), "c")).toEqual(["c"])
  })

  it("are not when they were reopened themselves", () => {
    expect(due([task("a", "resolved"), task("b", "open", "a")], "b")).toEqual([])
  })
})
