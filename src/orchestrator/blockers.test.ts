import { describe, expect, it } from "bun:test"
import { LIMITS, makeSnapshot, openTask } from "../../test/support/engine.ts"
import { parseTaskId } from "../kernel/ids.ts"
import { emptyHistory, taskOf } from "../reporting/history.ts"
import { listWaiting, type OnBlockerFailed } from "../tasks/blocker.ts"
import type { Task } from "../tasks/task.ts"
import { settleBlockers } from "./react.ts"

const needing = (id: string, needs: string[], change: Partial<Task> = {}) =>
  openTask(id, { blockedBy: needs.map(parseTaskId), unmet: needs.length, ...change })
const failed = openTask("1", { status: "failed" })
const settle = (onBlockerFailed: OnBlockerFailed, change: Parameters<typeof makeSnapshot>[0] = {}) =>
  settleBlockers(makeSnapshot({ tasks: [failed, needing("2", ["1"])], ...change }), { ...LIMITS, onBlockerFailed })

describe("settleBlockers", () => {
  it.each(["retry", "remove-need", "skip-dependants"] as const)("does as the configuration says: %s", (choice) => {
    expect(settle(choice)).toEqual([{ type: "settle-blocker", task: "1", choice }])
  })

  it("leaves it to a person otherwise", () => {
    expect(settle("ask")).toEqual([])
  })

  it("tries again once", () => {
    const history = emptyHistory()
    taskOf(history, "1").retries = 1
    expect(settle("retry", { history })).toEqual([])
    expect(settle("skip-dependants", { history })).toHaveLength(1)
  })

  it("settles what keeps later waves waiting, where there are waves", () => {
    const tasks = [openTask("1", { status: "failed", wave: 1 }), openTask("2", { wave: 2 })]
    expect(settle("skip-dependants", { tasks })).toHaveLength(1)
    const { team } = makeSnapshot()
    expect(settle("skip-dependants", { tasks, team: { ...team, schedule: "eager" } })).toEqual([])
    expect(settle("skip-dependants", { tasks: tasks.slice(0, 1) })).toEqual([])
  })

  it("does nothing where nobody waits, or for a team that does not go on", () => {
    expect(settle("retry", { tasks: [failed] })).toEqual([])
    expect(settle("retry", { tasks: [failed, needing("2", ["1"], { status: "skipped" })] })).toEqual([])
    expect(settle("retry", { tasks: [openTask("1"), needing("2", ["1"])] })).toEqual([])
    const { team } = makeSnapshot()
    expect(settle("retry", { team: { ...team, status: "paused" } })).toEqual([])
  })
})

describe("listWaiting", () => {
  it("finds all that wait, through others and in any order", () => {
    const tasks = [needing("4", ["3"]), needing("3", ["2", "9"]), needing("2", ["1"]), failed, openTask("9")]
    expect(listWaiting(tasks, "1").map((task) => task.id as string)).toEqual(["4", "3", "2"])
  })

  it("ends at what has begun or ended", () => {
    const tasks = [failed, needing("2", ["1"], { status: "resolved" }), needing("3", ["2"])]
    expect(listWaiting(tasks, "1")).toEqual([])
  })
})
