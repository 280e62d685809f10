import { describe, expect, it } from "bun:test"
import { BEGIN, claimed, makeView, makeWorker, resolved, sampleView } from "../../test/support/sample-view.ts"
import { makeTask } from "../../test/support/tasks.ts"
import type { TaskId } from "../kernel/ids.ts"
import { estimateRest } from "./estimate-rest.ts"

const now = BEGIN + 100_000
const task = (id: string, wave: number, ...needs: string[]) =>
  makeTask({ id: id as TaskId, wave, blockedBy: needs as TaskId[] })
/** One task took ten seconds, six are left: a chain of two and four others. */
const tasks = [
  makeTask({ id: "done" as TaskId, wave: 1, status: "resolved" }),
  task("a", 2),
  task("b", 3, "a"),
  ...["c", "d", "e", "f"].map((id) => task(id, 2)),
]
const events = [claimed(0, "done", "w1"), resolved(10, "done", "w1")]
const workers = (count: number) => Array.from({ length: count }, (_, index) => makeWorker(`w${index}`))
const eager = { ...sampleView().team, schedule: "eager" as const }

describe("the estimate of the rest", () => {
  it("is unknown while nothing is done", () => {
    expect(estimateRest(makeView({ tasks, events: [] }), now)).toBeNull()
  })

  it("sums up what the layers take", () => {
    expect(estimateRest(makeView({ tasks, events, workers: workers(1) }), now)).toBe(60_000)
    expect(estimateRest(makeView({ tasks, events, workers: workers(5) }), now)).toBe(20_000)
    expect(estimateRest(makeView({ tasks, events }), now)).toBe(60_000)
  })

  it("goes by workers or by the longest chain where there are no gates between", () => {
    const view = (count: number) => makeView({ tasks, events, workers: workers(count), team: eager })
    expect(estimateRest(view(2), now)).toBe(30_000)
    expect(estimateRest(view(9), now)).toBe(20_000)
  })

  it("counts what was already done of a task, and nothing for one that only has to be merged", () => {
    const held = makeTask({ id: "x" as TaskId, wave: 1, status: "in_progress" })
    const reviewed = makeTask({ id: "y" as TaskId, wave: 1, status: "in_review" })
    const view = makeView({ tasks: [held, reviewed], events: [...events, claimed(96, "x", "w1")] })
    expect(estimateRest(view, now)).toBe(6_000)
    expect(estimateRest(view, now + 60_000)).toBe(0)
  })
})
