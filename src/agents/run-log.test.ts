import { describe, expect, it } from "bun:test"
import { type EventType, readEvent } from "../kernel/events.ts"
import { applyEvent, emptyHistory } from "../reporting/history.ts"
import { isOver, parseLogLine } from "./run-log.ts"

describe("a line of a recording", () => {
  const parse = (event: Record<string, unknown>) => parseLogLine(JSON.stringify({ at: 5, ...event }))

  it("becomes an entry, whatever its kind", () => {
    expect(parse({ type: "started", session: "s", model: null, agentVersion: "1" })).toEqual({
      ...{ at: 5, kind: "started", session: "s", model: null },
    })
    expect(parse({ type: "text", text: "hi" })).toEqual({ at: 5, kind: "text", text: "hi" })
    expect(parse({ type: "reasoning", text: "hm" })).toEqual({ at: 5, kind: "reasoning", text: "hm" })
    expect(parse({ type: "tool_use", id: "1", name: "Edit", files: ["a.ts"], input: "{}" })).toEqual({
      ...{ at: 5, kind: "tool", name: "Edit", files: ["a.ts"], input: "{}" },
    })
    expect(parse({ type: "tool_result", id: "1", ok: false, output: "no" })).toEqual({
      ...{ at: 5, kind: "result", ok: false, output: "no" },
    })
    expect(parse({ type: "message_delivered", messageId: "m1" })).toEqual({ at: 5, kind: "message", id: "m1" })
    expect(parse({ type: "unknown", line: "???" })).toEqual({ at: 5, kind: "unknown", text: "???" })
    const used = { inputTokens: 3, outputTokens: 2, cachedTokens: 1, dollars: 0.5 }
    const usage = { ...used, dollarsAreEstimated: false }
    expect(parse({ type: "usage", isTotal: true, ...used })).toEqual({ at: 5, kind: "usage", usage })
    const result = { reason: "crashed", error: "x", durationMs: 9, usage: used, filesTouched: ["a"], answer: "long" }
    expect(parse({ type: "finished", result })).toEqual({
      ...{ at: 5, kind: "finished", reason: "crashed", error: "x", durationMs: 9, usage, files: ["a"] },
    })
    expect(parseLogLine('{"type":"teamwork.left_out","bytes":7}')).toEqual({ at: null, kind: "left-out", bytes: 7 })
  })

  it("tells that an agent waits, and until when", () => {
    const told = { at: 1, type: "waiting", reason: "rate-limited", until: 9000, retryAt: null, why: "429" }
    const waiting = { at: 1, kind: "waiting", reason: "rate-limited", why: "429" }
    expect(parseLogLine(JSON.stringify(told))).toEqual({ ...waiting, until: 9000 } as never)
    expect(parseLogLine(JSON.stringify({ ...told, retryAt: 99_000 }))).toEqual({ ...waiting, until: 99_000 } as never)
    expect(parseLogLine(JSON.stringify({ ...told, until: null }))).toEqual({ ...waiting, until: null } as never)
  })

  it("is passed over when it is none that we know", () => {
    for (const line of ["", "{", "null", "7", '"text"', "[]", '{"type":"from-the-future"}'])
      expect(parseLogLine(line)).toBeUndefined()
    expect(parseLogLine('{"type":"tool_use","files":[1,"a"]}')).toMatchObject({ name: "", files: ["a"] })
  })
})

describe("a run is over", () => {
  let seq = 0
  const told = (...events: [EventType, Record<string, unknown>][]) => {
    const history = emptyHistory()
    for (const [type, data] of events) {
      const timestamp = new Date(++seq * 1000).toISOString()
      applyEvent(history, readEvent({ seq, cursor: "", type, version: 1, timestamp, by: "w1", data }))
    }
    const run = history.runs.get("1-1-1")
    if (run === undefined) throw new Error("no run")
    return isOver(history, run)
  }
  const USED = {
    duration_ms: 1,
    input_tokens: 1,
    output_tokens: 1,
    cached_tokens: 0,
    dollars: null,
    dollars_are_estimated: false,
  }
  const begun = { run: "1-1-1", task: "1", attempt: 1, worker: "w1", agent: "script", model: null, turn: 1 }
  const up = { worker: "w1", role: null, runtime: "child", machine: "m", pid: 1, process_start: "x" }
  const start: [EventType, Record<string, unknown>][] = [
    ["worker.started", up],
    ["run.started", begun],
  ]

  it("when it ended, and not before", () => {
    expect(told(...start)).toBe(false)
    expect(told(...start, ["run.ended", { ...begun, ...USED, reason: "done" }])).toBe(true)
  })

  it("when its worker is gone or was started again", () => {
    expect(told(...start, ["worker.exited", { worker: "w1", reason: "lost", detail: null }])).toBe(true)
    expect(told(...start, ["worker.started", up])).toBe(true)
    expect(told(...start, ["worker.started", { ...up, worker: "w2" }])).toBe(false)
  })

  it("when somebody else goes on with its task", () => {
    expect(told(...start, ["run.started", { ...begun, run: "1-1-2", worker: "w2" }])).toBe(true)
    expect(told(...start, ["run.started", { ...begun, run: "2-1-1", task: "2", worker: "w2" }])).toBe(false)
    expect(told(["run.started", { ...begun, task: null }], ["run.started", { ...begun, run: "x", task: null }])).toBe(
      false,
    )
  })
})
