// The notes about waiting that the programs print, as they were recorded.
import { expect, it } from "bun:test"
import { translateClaude } from "../../src/agents/claude/translate.ts"
import { translateCodex } from "../../src/agents/codex/translate.ts"
import { translateGemini } from "../../src/agents/gemini/translate.ts"
import { translateOpencode } from "../../src/agents/opencode/translate.ts"
import type { AgentJob } from "../../src/agents/port.ts"

const JOB = { workspace: "/w", answerSchema: null, resume: null, model: null } as AgentJob
const clock = { now: () => 1000 }

it.each([
  [500, "server_error", "overloaded"],
  [529, "overloaded", "overloaded"],
  [429, "rate_limit", "rate-limited"],
  [401, "authentication_failed", "auth"],
  [null, "unknown", "unreachable"],
] as const)("F034: claude tells each retry: %p %s", (error_status, error, reason) => {
  const claude = translateClaude(JOB, clock)
  const event = { type: "system", subtype: "api_retry", attempt: 1, max_retries: 10, retry_delay_ms: 600 }
  expect(claude.line(JSON.stringify({ ...event, error_status, error }))).toMatchObject([
    { type: "waiting", reason, until: 1600, retryAt: null },
  ])
})

it("F034: codex tells how long it waits only in its log", () => {
  const codex = translateCodex(JOB, clock)
  const note = "Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)"
  expect(codex.line(JSON.stringify({ type: "error", message: note }))).toMatchObject([
    { type: "waiting", reason: "rate-limited", until: 1000, retryAt: null },
  ])
  const log =
    "2026-11-18T13:16:05Z  WARN codex_core::responses_retry: stream disconnected - retrying sampling request (1/5 in 299.998703422s)... turn_id=x retries=1 max_retries=5 sampling_error=exceeded retry limit, last status: 429 Too Many Requests"
  expect(codex.stderr?.(log)).toMatchObject([
    { type: "waiting", reason: "rate-limited", until: 300_999, retryAt: 300_999 },
  ])
  const offline = "Reconnecting... waiting for network (Connection failed: error sending request)"
  expect(codex.line(JSON.stringify({ type: "error", message: offline }))).toMatchObject([
    { reason: "unreachable", until: null },
  ])
  const busy = "Reconnecting... 2/5 (We’re currently experiencing high demand, which may cause temporary errors.)"
  expect(codex.line(JSON.stringify({ type: "error", message: busy }))).toMatchObject([{ reason: "overloaded" }])
})

it("F034: gemini tells each retry on its error output", () => {
  const gemini = translateGemini(JOB, clock)
  const retry = (text: string) => gemini.stderr?.(text)
  expect(
    retry('Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":{"code":429}}'),
  ).toMatchObject([{ reason: "rate-limited", until: 1000, retryAt: null }])
  expect(
    retry("Attempt 1 failed. Retrying with backoff... Error: exception TypeError: fetch failed sending request"),
  ).toMatchObject([{ reason: "unreachable" }])
  expect(retry("Attempt 1 failed: You exceeded your quota. Retrying after 27000ms...")).toMatchObject([
    { reason: "rate-limited", until: 28_000, retryAt: 28_000 },
  ])
  expect(retry("    at throwErrorIfNotOK (file:///x.js:1:2)")).toEqual([])
})

it("F034: opencode says nothing but a line in its log", () => {
  const opencode = translateOpencode(JOB, clock)
  const log = (small: boolean) =>
    `timestamp=2026-11-18T13:14:03.382Z level=ERROR run=2b message="stream error" providerID=fake modelID=model session.id=ses_1 small=${small} agent=build mode=primary error.error="AI_APICallError: Rate limit reached"`
  expect(opencode.stderr?.(log(false))).toMatchObject([{ type: "waiting", reason: "rate-limited", until: null }])
  expect(opencode.stderr?.(log(true))).toEqual([])
})

it("F031: a background command does not keep Claude from being over, a background agent does", () => {
  const claude = translateClaude(JOB, clock)
  const tell = (event: object) => claude.line(JSON.stringify({ session_id: "s", ...event }))
  const tasks = (...types: string[]) =>
    tell({
      type: "system",
      subtype: "background_tasks_changed",
      tasks: types.map((task_type, n) => ({ task_id: String(n), task_type })),
    })
  const result = { type: "result", subtype: "success", result: "ok" }
  tasks("local_bash")
  tell(result)
  expect([claude.isOver(), claude.hasLeftovers?.()]).toEqual([true, true])
  tasks("local_bash", "local_agent")
  expect(claude.isOver()).toBe(false)
  tasks("local_bash")
  // The turn in which it hears of the agent's answer is still to come.
  expect(claude.isOver()).toBe(false)
  tell({ type: "assistant", message: { id: "m", model: "x", content: [{ type: "text", text: "done" }] } })
  expect(claude.isOver()).toBe(false)
  tell(result)
  expect(claude.isOver()).toBe(true)
})

it("F041: gemini ends a loop by itself and calls it a success", () => {
  const gemini = translateGemini(JOB, clock)
  gemini.line(JSON.stringify({ type: "init", session_id: "s" }))
  gemini.line(JSON.stringify({ type: "error", severity: "warning", message: "Loop detected, stopping execution" }))
  gemini.line(JSON.stringify({ type: "result", status: "success", stats: {} }))
  expect(gemini.end({ exitCode: 0, signal: null }, "")).toMatchObject({ reason: "looping" })
})
