import { expect, it } from "bun:test"
import { parseTaskId } from "../../kernel/ids.ts"
import type { RunFact } from "../../reporting/history-facts.ts"
import { parseLogLine } from "../run-log.ts"
import { renderItem, runHeading } from "./run-log-view.ts"

const SCREEN = { columns: 60, color: false }
const AT = Date.parse("2026-01-02T03:04:05.678Z")
const show = (event: Record<string, unknown>, screen = SCREEN) => {
  const entry = parseLogLine(JSON.stringify({ at: AT, ...event }))
  if (entry === undefined) throw new Error("no entry")
  return renderItem({ type: "entry", entry }, screen)
}

it("says whose run it was", () => {
  const run: RunFact = {
    ...{
      id: "3-1-2",
      task: parseTaskId("3"),
      attempt: 1,
      worker: "w1",
      agent: "claude",
      model: "opus",
      turn: 2,
      startedAt: AT,
    },
    ...{
      endedAt: null,
      reason: null,
      error: null,
      session: null,
      inputTokens: 0,
      cachedTokens: 0,
      tokens: 0,
      dollars: null,
      dollarsAreEstimated: false,
    },
  }
  expect(runHeading(run, SCREEN)).toBe(
    "=== run 3-1-2: task 3, attempt 1, turn 2, claude (opus) for w1, 2026-01-02 03:04:05Z",
  )
  expect(runHeading({ ...run, id: "p1", task: null, attempt: null, model: null }, SCREEN)).toBe(
    "=== run p1: turn 2, claude for w1, 2026-01-02 03:04:05Z",
  )
})

it("shows what an agent says and does, with times", () => {
  expect(show({ type: "started", model: "opus", session: "s1" })).toBe("03:04:05  started opus, session s1")
  expect(show({ type: "text", text: "First.\n\nSecond.\n" })).toBe("03:04:05  First.\n\n          Second.")
  expect(show({ type: "reasoning", text: "hm" })).toBe("03:04:05  (thinks) hm")
  expect(show({ type: "tool_use", name: "Edit", files: ["a.ts", "b.ts"], input: '{"x":1}' })).toBe(
    '03:04:05  -> Edit a.ts, b.ts: {"x":1}',
  )
  expect(show({ type: "tool_result", ok: true, output: "fine" })).toBe("03:04:05  <- fine")
  expect(show({ type: "tool_result", ok: true, output: "\n" })).toBe("03:04:05  <- (nothing printed)")
  expect(show({ type: "tool_result", ok: false, output: "no such file" })).toBe("03:04:05  <- failed: no such file")
  expect(show({ type: "message_delivered", messageId: "m1" })).toBe("03:04:05  got message m1")
  expect(show({ type: "usage", inputTokens: 7, outputTokens: 2, dollars: null })).toBe(
    "03:04:05  used 7 tokens in, 2 out, cost unknown",
  )
})

it("says how a run ended", () => {
  const usage = { inputTokens: 70, outputTokens: 2, cachedTokens: 0, dollars: 0.25 }
  const result = { reason: "done", error: "", durationMs: 61_400, usage, filesTouched: ["a.ts"] }
  expect(show({ type: "finished", result })).toBe(
    "03:04:05  ended after 61 s: done\n          used 70 tokens in, 2 out, $0.2500\n          wrote a.ts",
  )
  const nothing = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, dollars: null }
  const failed = {
    ...result,
    reason: "crashed",
    error: "exit code 1\nboom",
    durationMs: 400,
    usage: nothing,
    filesTouched: [],
  }
  expect(show({ type: "finished", result: failed })).toBe("03:04:05  ended after 400 ms: crashed: exit code 1 boom")
  expect(show({ type: "finished", result: { ...failed, durationMs: 200_000 } })).toContain("after 3 min 20 s")
  expect(renderItem({ type: "cut-off", isEmpty: false }, SCREEN)).toBe("          cut off: its end was not recorded")
  expect(renderItem({ type: "cut-off", isEmpty: true }, SCREEN)).toBe("          nothing of it is recorded here")
})

it("shortens results and inputs to the screen", () => {
  const output = Array.from({ length: 9 }, (_, at) => `line ${at} ${"x".repeat(80)}`).join("\n")
  const lines = show({ type: "tool_result", ok: true, output }).split("\n")
  expect(lines).toHaveLength(6)
  expect(lines.at(-1)).toBe("             (4 more lines)")
  expect(lines.every((line) => line.length <= SCREEN.columns)).toBe(true)
  expect(show({ type: "tool_use", name: "Bash", files: [], input: "y".repeat(500) }).length).toBe(SCREEN.columns)
})

it("lets nothing through that would do something to the screen", () => {
  const evil = "\u001b[2J\u001b]0;title\u0007a\u202Eb"
  const BAD = /\p{Cc}|\u202E/u
  for (const type of ["text", "reasoning"]) expect(show({ type, text: evil })).not.toMatch(BAD)
  expect(show({ type: "tool_use", name: evil, files: [evil], input: evil })).not.toMatch(BAD)
  expect(show({ type: "finished", result: { reason: "x", error: evil, filesTouched: [evil] } })).not.toContain("\u001b")
  expect(renderItem({ type: "line", line: "\u001b[31mred\u001b[0m\r" }, SCREEN)).toBe("red")
  expect(show({ type: "tool_use", name: "Edit", files: [], input: "" }, { ...SCREEN, color: true })).toBe(
    "\u001b[36m03:04:05  -> Edit\u001b[0m",
  )
})
