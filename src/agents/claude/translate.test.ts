import { expect, it } from "bun:test"
import { readClosingBlock } from "../../tasks/closing-block.ts"
import type { AgentJob } from "../port.ts"
import { translateClaude } from "./translate.ts"

const JOB = { workspace: "/w", answerSchema: null, resume: null } as AgentJob

it("does not take an error of the server for what the model said", () => {
  const claude = translateClaude(JOB, { now: () => 0 })
  const say = (model: string, text: string) => {
    const message = { id: text, model, content: [{ type: "text", text }], usage: {} }
    return claude.line(JSON.stringify({ type: "assistant", session_id: "s", message }))
  }
  expect(say("claude-sonnet", "half of it")).toHaveLength(2)
  expect(say("<synthetic>", "API Error: cut off")).toEqual([])
  expect(claude.turns()).toBe(1)
  claude.line(JSON.stringify({ type: "result", subtype: "success", is_error: true, result: "API Error: cut off" }))
  expect(claude.end({ exitCode: 1, signal: null }, "")).toMatchObject({
    reason: "crashed",
    answer: "half of it",
    error: "API Error: cut off",
  })
})

it("passes over what it tells of messages on their way", () => {
  const claude = translateClaude(JOB, { now: () => 0 })
  expect(claude.line(JSON.stringify({ type: "command_lifecycle", state: "queued", command_uuid: "x" }))).toEqual([])
})

it("waits for the end of a limit that was reached, not of one it only tells of", () => {
  const retryAt = (status: string, after: object[] = []) => {
    const claude = translateClaude(JOB, { now: () => 0 })
    const limit = { type: "rate_limit_event", session_id: "s", rate_limit_info: { status, resetsAt: 1_794_767_466 } }
    const words = "You've hit your session limit · resets 3:45pm (UTC)"
    const result = { type: "result", is_error: true, api_error_status: 429, result: words }
    for (const event of [limit, ...after, result]) claude.line(JSON.stringify(event))
    const outcome = claude.end({ exitCode: 1, signal: null }, "")
    expect(outcome.reason).toBe("rate-limited")
    return outcome.retryAt
  }
  expect(retryAt("rejected")).toBe(1_794_767_466_000)
  expect(retryAt("allowed")).toBeNull()
  expect(retryAt("allowed_warning")).toBeNull()
  const over = { type: "rate_limit_event", rate_limit_info: { status: "allowed", resetsAt: 1_800_000_000 } }
  expect(retryAt("rejected", [over])).toBeNull()
})

it("F030: gives the structured end of an answer as words, with all that was said after the last tool", () => {
  const claude = translateClaude({ ...JOB, closingSchema: {} }, { now: () => 0 })
  const content = (...blocks: object[]) => {
    const message = { id: JSON.stringify(blocks), model: "m", content: blocks, usage: {} }
    return claude.line(JSON.stringify({ type: "assistant", session_id: "s", message }))
  }
  content({ type: "text", text: "I look at it." }, { type: "tool_use", id: "t1", name: "Read", input: {} })
  content({ type: "text", text: "I wrote half.\nFAILED: no database" })
  const structured = { outcome: "done", summary: "Half of it.", learned: ["use port 1"] }
  const told = content({ type: "tool_use", id: "t2", name: "StructuredOutput", input: structured })
  expect(told[0]).toEqual({ type: "text", text: "Half of it.\n\nLEARNED: use port 1" })
  const results = [{ type: "tool_result", tool_use_id: "t2", content: "ok" }]
  expect(claude.line(JSON.stringify({ type: "user", message: { content: results } }))).toEqual([])
  const result = { type: "result", result: JSON.stringify(structured), structured_output: structured }
  claude.line(JSON.stringify(result))
  expect(claude.end({ exitCode: 0, signal: null }, "")).toMatchObject({
    ...{ reason: "done", structured },
    answer: "I wrote half.\nFAILED: no database\n\nHalf of it.\n\nLEARNED: use port 1",
  })
})

it("reads the text of an agent that gives no structured end", () => {
  const claude = translateClaude({ ...JOB, closingSchema: {} }, { now: () => 0 })
  for (const text of ["FAILED: no database", "As I said."]) {
    const message = { id: text, model: "m", content: [{ type: "text", text }], usage: {} }
    claude.line(JSON.stringify({ type: "assistant", session_id: "s", message }))
  }
  claude.line(JSON.stringify({ type: "result", result: "As I said." }))
  expect(claude.end({ exitCode: 0, signal: null }, "")).toMatchObject({
    ...{ reason: "done", structured: null, answer: "FAILED: no database\n\nAs I said." },
  })
})

const say = (text: string) => ({ type: "text", text })
const use = (name = "Bash", input: object = {}) => ({ type: "tool_use", id: "t", name, input })
const end = (result: string, structured_output?: unknown) => ({ type: "result", result, structured_output })
const DONE = { outcome: "done", summary: "All of it." }
const NO_DISK = { outcome: "failed", summary: "Half of it.", reason: "no disk" }
const goodbyes = Array.from({ length: 15 }, (_, n) => say(`Bye ${n}.`))

function closeOf(events: readonly ({ readonly type: string } & object)[]) {
  const claude = translateClaude({ ...JOB, closingSchema: {} }, { now: () => 0 })
  for (const [index, event] of events.entries()) {
    const message = { id: `m${index}`, model: "m", content: [event], usage: {} }
    claude.line(JSON.stringify(event.type === "result" ? event : { type: "assistant", session_id: "s", message }))
  }
  const { answer, structured } = claude.end({ exitCode: 0, signal: null }, "")
  return readClosingBlock(answer, structured)
}

it.each([
  ["before one more tool", [use(), say("FAILED task #1: no disk"), use(), say("Bye."), end("Bye.")]],
  ["before one more tool and a result alone", [use(), say("FAILED: no disk"), use(), end("Bye.")]],
  ["before one more tool and a structure that is done", [say("FAILED: no disk"), use(), end("{}", DONE)]],
  [
    "before one more tool and a call that is done",
    [say("FAILED: no disk"), use(), use("StructuredOutput", DONE), end(JSON.stringify(DONE), DONE)],
  ],
  ["before many more tools", [say("FAILED: no disk"), ...Array.from({ length: 30 }, () => use()), end("Bye.", DONE)]],
  ["before many messages", [use(), say("FAILED: no disk"), ...goodbyes, end("Bye 14.")]],
  ["in small letters before many messages", [use(), say("Failed: no disk"), ...goodbyes, end("Bye 14.")]],
  ["by the first of two results", [use(), end("x", NO_DISK), end("All done!")]],
  ["by the text of the first of two results", [end("FAILED: no disk"), end("All done!", DONE)]],
  [
    "by a call before another turn",
    [use("StructuredOutput", NO_DISK), end("x", NO_DISK), use(), say("All done!"), end("All done!")],
  ],
  ["in the reason of an outcome that is done", [end("x", { ...DONE, reason: "FAILED: no disk" })]],
  ["in an issue of an outcome that is done", [end("x", { ...DONE, issues: ["FAILED task #1: no disk"] })]],
  ["by a structure that is a string", [end("x", JSON.stringify(NO_DISK))]],
  ["only by the text of a result that has a structure", [say("I am done."), end("FAILED: no disk", DONE)]],
])("F030: a failure is not lost that is told %s", (_, events) =>
  expect(closeOf(events)).toMatchObject({ outcome: "failed", reason: "no disk" }),
)

it("F030: a question is not lost that is asked before one more tool", () => {
  expect(closeOf([say("ESCALATE budget: who pays?"), use(), say("Bye."), end("Bye.", DONE)])).toMatchObject({
    ...{ outcome: "escalate", trigger: "budget", reason: "who pays?" },
  })
})

it("F030: what a model says in passing between its tools is no failure", () => {
  const passing = ["2 tests fail.", "Failed: the import. I mend it.", "FAILED tests/a.py::b - x", "FAILED -> PASSED: b"]
  const work = passing.flatMap((text) => [say(text), use()])
  expect(closeOf([...work, say("All done."), end("All done.", DONE)])).toMatchObject({ outcome: "done" })
})
