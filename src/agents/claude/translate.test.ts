import { expect, it } from "bun:test"
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
