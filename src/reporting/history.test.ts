import { describe, expect, it } from "bun:test"
import { BEGIN, claimed, eventAt, resolved, workerStarted } from "../../test/support/sample-view.ts"
import type { Event } from "../kernel/events.ts"
import { applyEvent, emptyHistory, type History, taskOf, workerOf } from "./history.ts"

function fold(...events: Event[]): History {
  const history = emptyHistory()
  for (const event of events) applyEvent(history, event)
  return history
}

const exited = (seconds: number, worker: string, reason: string) =>
  eventAt(seconds, "worker.exited", { worker, reason, detail: null })
const setback = (seconds: number, task: string, worker: string) =>
  eventAt(seconds, "task.setback", {
    ...{ task, attempt: 1, worker, agent: null, kind: "interrupted", reason: "stopped", advice: null },
  })
const released = (seconds: number, task: string) => eventAt(seconds, "task.released", { task, owner: "w1", reason: "" })

describe("history", () => {
  it("counts all crashes and setbacks of a worker, and how long its processes lived", () => {
    const history = fold(
      ...[workerStarted(0, "w1", null), claimed(1, "1", "w1"), exited(10, "w1", "crashed"), setback(10, "1", "w1")],
      ...[released(10, "1"), workerStarted(20, "w1", null), claimed(21, "1", "w1"), resolved(25, "1", "w1")],
      exited(30, "w1", "done"),
    )
    const worker = workerOf(history, "w1")
    expect(worker).toMatchObject({ crashes: 0, allCrashes: 1, allSetbacks: 1, aliveMs: 20_000, busyMs: 13_000 })
    expect(worker).toMatchObject({ starts: 2, finished: 1 })
  })

  it("counts an end that two notice once", () => {
    const history = fold(workerStarted(0, "w1", null), exited(10, "w1", "lost"), exited(12, "w1", "lost"))
    expect(workerOf(history, "w1").aliveMs).toBe(10_000)
  })

  it("knows whose a task was before, when it began and when it ended", () => {
    const history = fold(claimed(1, "1", "w1"), released(5, "1"), claimed(6, "1", "w2"), resolved(9, "1", "w2"))
    expect(taskOf(history, "1")).toMatchObject({
      ...{ worker: "w2", takenFrom: ["w1"], workMs: 7_000 },
      ...{ startedAt: BEGIN + 1000, endedAt: BEGIN + 9000 },
    })
    applyEvent(history, eventAt(10, "task.reopened", { task: "1", attempt: 2, reason: null }))
    expect(taskOf(history, "1")).toMatchObject({ endedAt: null, startedAt: BEGIN + 1000 })
    applyEvent(history, claimed(11, "1", "w2"))
    applyEvent(
      history,
      eventAt(12, "task.status_changed", { task: "1", from: "in_progress", to: "failed", reason: null }),
    )
    expect(taskOf(history, "1")).toMatchObject({ endedAt: BEGIN + 12_000, takenFrom: ["w1"] })
  })

  it("knows what a fix mends, and that a fix that is done once more mends no other", () => {
    const failed = (task: string, fix: string) =>
      eventAt(1, "task.merge_failed", { task, attempt: 1, reason: "conflict", fix })
    const history = fold(failed("3", "fix-3-1"), failed("fix-3-1", "fix-3-1"))
    expect(taskOf(history, "fix-3-1").fixOf).toBe("3")
    expect(taskOf(history, "3").fixOf).toBeNull()
  })

  it("ignores a step of a worker that lost the task to another", () => {
    const step = (seconds: number, worker: string, name: string) =>
      eventAt(seconds, "task.step", { task: "1", attempt: 1, worker, step: name })
    const resolved = eventAt(5, "task.resolved", { task: "1", token: 2, attempt: 1 })
    const history = fold(claimed(1, "1", "w1"), step(2, "w1", "agent"), claimed(3, "1", "w2"), step(4, "w2", "deliver"))
    applyEvent(history, resolved)
    applyEvent(history, step(6, "w1", "agent"))
    expect(history.tasks.get("1")).toMatchObject({ worker: "w2", atWork: null, step: null })
  })

  it("knows when the latest orchestrator began", () => {
    const led = (seconds: number) => eventAt(seconds, "team.led", { holder: "h", token: 1, settings: "{}" })
    const left = eventAt(3, "team.left", { holder: "h", token: 1, reason: "interrupted" })
    expect(fold(led(1), left, led(5))).toMatchObject({ startedAt: BEGIN + 1000, ledAt: BEGIN + 5000, endedAt: null })
  })
})
