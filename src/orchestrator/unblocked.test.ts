import { describe, expect, it } from "bun:test"
import { makeSnapshot, openTask } from "../../test/support/engine.ts"
import { parseTaskId, parseWorkerId } from "../kernel/ids.ts"
import { emptyHistory, taskOf } from "../reporting/history.ts"
import type { Task } from "../tasks/task.ts"
import { notifyUnblocked } from "./react.ts"

const met = (id: string, completedAt: string) => openTask(id, { status: "resolved", completedAt })
const waiting = (change: Partial<Task> = {}) =>
  openTask("3", { blockedBy: [parseTaskId("1"), parseTaskId("2")], assignee: parseWorkerId("w1"), ...change })
const needs = [met("1", "2026-01-02T00:00:00.000Z"), met("2", "2026-01-01T00:00:00.000Z")]

describe("notifyUnblocked", () => {
  it("tells whom a task is meant for, and by which need it was held last", () => {
    expect(notifyUnblocked(makeSnapshot({ tasks: [...needs, waiting()] }))).toEqual([
      { type: "notify-unblocked", task: "3", by: "1" },
    ])
  })

  it("tells it once in each attempt", () => {
    const history = emptyHistory()
    taskOf(history, "3").isUnblockedNotified = true
    expect(notifyUnblocked(makeSnapshot({ tasks: [...needs, waiting()], history }))).toEqual([])
  })

  it.each([
    ["an unmet need", { unmet: 1 }],
    ["nobody it is meant for", { assignee: null }],
    ["nothing it ever waited for", { blockedBy: [] }],
    ["somebody at work on it", { status: "in_progress" as const }],
  ])("says nothing of a task with %s", (_, change) => {
    expect(notifyUnblocked(makeSnapshot({ tasks: [...needs, waiting(change)] }))).toEqual([])
  })

  it("waits for the wave, and for a team that goes on", () => {
    const wave = (id: number) => ({ id, status: "planning", tasks: [], startedAt: null, verifiedAt: null }) as const
    const waves = { version: "1.0", totalWaves: 2, currentWave: 1, waves: [wave(1), wave(2)] } as const
    const snapshot = makeSnapshot({ waves, tasks: [...needs, waiting({ wave: 2 })] })
    expect(notifyUnblocked(snapshot)).toEqual([])
    expect(notifyUnblocked({ ...snapshot, waves: { ...waves, currentWave: 2 } })).toHaveLength(1)
    expect(notifyUnblocked({ ...snapshot, team: { ...snapshot.team, schedule: "eager" } })).toHaveLength(1)
    expect(notifyUnblocked({ ...snapshot, team: { ...snapshot.team, schedule: "eager", status: "paused" } })).toEqual(
      [],
    )
  })
})
