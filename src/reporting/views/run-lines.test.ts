import { describe, expect, it } from "bun:test"
import {
  claimed,
  eventAt,
  resolved,
  runEnded,
  runStarted,
  stepped,
  workerStarted,
} from "../../../test/support/sample-view.ts"
import type { Event, EventType } from "../../kernel/events.ts"
import { runLines, stamped } from "./run-lines.ts"

const texts = (events: readonly Event[], steps = false) => runLines(events, { steps }).map(({ text }) => text)
const told = (type: EventType, data: Record<string, unknown>) => texts([eventAt(0, type, data)])
const failed = (reason: string, fix: string) => ({ task: "3", attempt: 1, reason, fix })

describe("lines for people", () => {
  it("bear the time", () => {
    const [line] = runLines([claimed(62, "3", "w1")], { steps: false })
    if (line === undefined) throw new Error("no line")
    expect(stamped(line)).toBe("[09:01:02] task 3 claimed by w1")
  })

  it("tell of tasks", () => {
    expect(texts([claimed(0, "3", "w2", "w1")])).toEqual(["task 3 claimed by w2, taken over from w1"])
    expect(texts([resolved(0, "3", "w2")])).toEqual(["task 3 resolved by w2"])
    expect(told("task.status_changed", { task: "3", from: "in_progress", to: "in_review", reason: null })).toEqual([
      "task 3 in review",
    ])
    expect(told("task.status_changed", { task: "3", from: "open", to: "paused", reason: "ask me" })).toEqual([
      "task 3 paused: ask me",
    ])
    expect(told("task.reopened", { task: "3", attempt: 2, reason: "wrong" })).toEqual([
      "task 3 reopened, attempt 2: wrong",
    ])
    expect(told("task.merged", { task: "3", attempt: 1, commit: "abc" })).toEqual(["task 3 merged"])
    const place = { machine: "vm", folder: "/clone", repository: null }
    const missing = { task: "3", attempt: 1, commit: "0123456789abcdef", ...place, command: "git fetch /clone" }
    expect(told("task.work_missing", missing)).toEqual([
      "task 3 is not merged: its commit 0123456789ab is in /clone on vm, and not in the repository of this run",
    ])
    expect(told("task.merge_failed", failed("conflict", "fix-3-1"))).toEqual([
      "task 3 does not merge (conflict); task fix-3-1 mends it",
    ])
    expect(told("task.merge_failed", failed("conflict", "3"))).toEqual([
      "task 3 does not merge (conflict) and is done once more",
    ])
  })

  it("tell of a task that somebody made only when no person did", () => {
    const data = { task: "3", title: "Mend it", blocked_by: [] }
    expect(texts([eventAt(0, "task.created", data, "teamwork")])).toEqual(["task 3 created: Mend it"])
    expect(texts([eventAt(0, "task.created", data, "person")])).toEqual([])
  })

  it("tell of a setback once, and of a release that stands alone", () => {
    const data = { task: "3", attempt: 1, worker: "w1", agent: null, kind: "gate", reason: "tests fail", advice: null }
    const released = eventAt(0, "task.released", { task: "3", owner: "w1", reason: "tests fail" })
    expect(texts([eventAt(0, "task.setback", data), released])).toEqual(["task 3 set back by w1 (gate): tests fail"])
    expect(texts([released])).toEqual(["task 3 released: tests fail"])
    expect(texts([eventAt(0, "task.setback", { ...data, task: "4" }), released])).toHaveLength(2)
  })

  it("tell of what waits for a person, and that it was decided", () => {
    const record = { number: 2, task: "3", about: "budget: it costs too much" }
    expect(told("record.added", { ...record, kind: "escalation", status: "open" })).toEqual([
      "escalation 2 waits for a decision: budget: it costs too much",
    ])
    expect(told("record.changed", { ...record, kind: "escalation", status: "open" })).toEqual([])
    expect(
      told("record.changed", { ...record, kind: "escalation", status: "decided", about: "escalation 2: skip" }),
    ).toEqual(["escalation 2: skip, decided"])
    expect(told("record.added", { ...record, kind: "approval", status: "pending", about: "plan" })).toEqual([
      "approval 2 is asked for: plan",
    ])
    expect(told("record.added", { ...record, kind: "wisdom", status: "kept" })).toEqual([])
  })

  it("tell of steps only to whoever wants them", () => {
    expect(texts([stepped(0, "3", "w1", "gate")])).toEqual([])
    expect(texts([stepped(0, "3", "w1", "gate")], true)).toEqual(["task 3: gate (w1)"])
  })

  it("tell of runs that are for no task, or that went wrong", () => {
    expect(texts([runStarted(0, "3-1-1"), runEnded(1, "3-1-1")])).toEqual([])
    expect(texts([runStarted(0, "r", { task: null, worker: "reviewer" })])).toEqual(["reviewer asks claude (sonnet)"])
    expect(texts([runEnded(0, "3-1-1", { reason: "crashed", error: "exit code 7" })])).toEqual([
      "claude of w1 ended: crashed: exit code 7",
    ])
  })

  it("tell of verdicts where nothing else does", () => {
    const verdict = (scope: string, subject: string | null, status: string) =>
      told("verdict.recorded", { scope, subject, status })
    expect(verdict("task", "3", "passed")).toEqual([])
    expect(verdict("task", "3", "failed")).toEqual(["gate of task 3: failed"])
    expect(verdict("wave", "1", "failed")).toEqual(["gate of wave 1: failed"])
    const failure = ["npm test exited with 1", "  expected 3, got 4"]
    expect(told("verdict.recorded", { scope: "task", subject: "3", status: "failed", failure })).toEqual([
      "gate of task 3: failed: npm test exited with 1",
    ])
    expect(told("wave.updated", { wave: 1, from: "completed", to: "failed" })).toEqual(["wave 1 failed"])
    expect(verdict("wave", "1", "skipped")).toEqual(["gate of wave 1: skipped"])
    expect(verdict("final", null, "passed")).toEqual(["final gate: passed"])
    expect(verdict("cross-agent", null, "skipped")).toEqual(["review by another agent: skipped"])
  })

  it("tell of the beginning of merges and gates, of those of tasks only to whoever wants steps", () => {
    expect(told("merge.started", { tasks: ["1"], wave: null })).toEqual(["merging task 1"])
    expect(told("merge.started", { tasks: ["1", "2"], wave: 1 })).toEqual(["merging tasks 1, 2"])
    expect(told("merge.ended", { tasks: ["1", "2"], wave: 1 })).toEqual([])
    const gate = { subject: null, task: null, commit: "a016404189a0", checks: ["npm test", "npm run lint"] }
    expect(told("gate.started", { ...gate, scope: "wave", subject: "2" })).toEqual([
      "gate of wave 2 begins: npm test; npm run lint",
    ])
    expect(told("gate.started", { ...gate, scope: "final", checks: [] })).toEqual(["final gate begins"])
    const ofTask = { ...gate, scope: "task", subject: "3", task: "3", checks: ["true"] }
    expect(told("gate.started", ofTask)).toEqual([])
    expect(texts([eventAt(0, "gate.started", ofTask)], true)).toEqual(["gate of task 3 begins: true"])
  })

  it("tell of workers and of the run", () => {
    expect(texts([workerStarted(0, "w1", "backend"), workerStarted(0, "w2", null)])).toEqual([
      "w1 started (backend)",
      "w2 started",
    ])
    expect(told("worker.exited", { worker: "w1", reason: "crashed", detail: "exit code 7" })).toEqual([
      "w1 ended: crashed, exit code 7",
    ])
    expect(told("team.left", { holder: "h", token: 1, reason: "done" })).toEqual(["the run is done"])
    expect(told("team.left", { holder: "h", token: 1, reason: "failed" })).toEqual(["the run ended: failed"])
    expect(told("target.delivered", { target: "main", from: "a", to: "0123456789abcdef" })).toEqual([
      "main moved to 0123456789ab",
    ])
  })

  it("are harmless and not too long, whatever they quote", () => {
    const [line = ""] = told("team.paused", { reason: `\u001b[2J${"long\n".repeat(200)}` })
    expect(line).toStartWith("the team is paused: [2Jlong long")
    expect(line.length).toBeLessThan(230)
  })

  it("leave out messages, evidence and whatever else nobody follows", () => {
    expect(told("message.sent", { id: "m", from: "a", to: "b", type: "text" })).toEqual([])
    expect(told("evidence.added", { task: "3", type: "note", trust: "reported" })).toEqual([])
  })
})
