import { describe, expect, it } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { HOOK_EVENTS, HOSTS, type HookAnswer, type HookCall, type HookHost } from "./hook-call.ts"
import { gemini, makeClaudeHost } from "./hosts.ts"

const FIXTURES = join(import.meta.dir, "../../../test/fixtures/hooks")
const DIALECTS: Readonly<Record<string, HookHost>> = {
  "claude-2.1.325": makeClaudeHost("claude"),
  "codex-0.166.0": makeClaudeHost("codex"),
  "gemini-0.61.0": gemini,
}

/** What the program really sent in a session with two tools that ran and one that was denied, sent back to work once. */
function recorded(file: string, host: HookHost): HookCall[] {
  const lines = readFileSync(join(FIXTURES, `${file}.jsonl`), "utf8")
    .trim()
    .split("\n")
  return lines.map((line) => {
    const raw = JSON.parse(line)
    const event = host.eventOf(raw.hook_event_name)
    if (event === undefined) throw new Error(`${raw.hook_event_name} is not known`)
    return host.read(event, raw)
  })
}

describe.each(Object.entries(DIALECTS))("calls of %s", (file, host) => {
  const calls = recorded(file, host)
  const of = (event: HookCall["event"]) => calls.filter((call) => call.event === event)

  it("tell session and folder with every event", () => {
    const [session] = new Set(calls.map((call) => call.session))
    expect(session).toMatch(/^[0-9a-f-]{36}$/)
    for (const call of calls) expect(call).toMatchObject({ session, cwd: "/repo" })
    const told = new Set(calls.map(({ event }) => event))
    for (const event of ["session-start", "prompt", "pre-tool-use", "post-tool-use", "stop", "session-end"] as const)
      expect(told).toContain(event)
  })

  it("tell what was typed and what was said last", () => {
    expect(of("prompt")[0]?.prompt).toBe("go")
    expect(of("stop")[0]?.lastText).toBe("first done __TEAMWORK_CONTINUE__")
    expect(of("stop").at(-1)?.lastText).toEndWith("second done")
  })

  it("tell each use of a tool, and what came of it", () => {
    const [before, after] = [of("pre-tool-use"), of("post-tool-use")]
    expect([before.length, after.length]).toEqual([4, 3])
    expect(before[0]?.tool).toMatchObject({ input: { command: "echo hello-from-tool" } })
    expect(JSON.stringify(after[0]?.tool?.response)).toContain("hello-from-tool")
    const ids = after.map(({ tool }) => tool?.id)
    expect(new Set(ids).size).toBe(3)
    expect(ids).not.toContain("")
  })
})

it("of a stop Claude and Codex say whether it was held back before, Gemini does not", () => {
  const heldBack = Object.entries(DIALECTS).map(([file, host]) =>
    recorded(file, host)
      .filter(({ event }) => event === "stop")
      .map(({ isHeldBack }) => isHeldBack),
  )
  expect(heldBack).toEqual([
    [false, true],
    [false, true],
    [null, null],
  ])
})

describe("answers", () => {
  const claude = makeClaudeHost("claude")
  const goOn: HookAnswer = { kind: "goOn", reason: "more" }
  const deny: HookAnswer = { kind: "deny", reason: "not yours" }
  const context: HookAnswer = { kind: "context", text: "know this" }
  const say = (host: HookHost, event: HookCall["event"], answer: HookAnswer) => {
    const printed = host.write({ event }, answer)
    return printed === "" ? "" : JSON.parse(printed)
  }

  it("are in the words of each host", () => {
    expect(say(claude, "stop", goOn)).toEqual({ decision: "block", reason: "more" })
    expect(say(gemini, "stop", goOn)).toEqual({ decision: "deny", reason: "more" })
    const named = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "not yours" }
    expect(say(claude, "pre-tool-use", deny)).toEqual({ hookSpecificOutput: named })
    expect(say(gemini, "pre-tool-use", deny)).toEqual({ decision: "deny", reason: "not yours" })
    const told = { hookEventName: "UserPromptSubmit", additionalContext: "know this" }
    expect(say(claude, "prompt", context)).toEqual({ hookSpecificOutput: told })
    expect(say(gemini, "prompt", context)).toEqual({ hookSpecificOutput: { ...told, hookEventName: "BeforeAgent" } })
    for (const host of [claude, gemini]) expect(say(host, "stop", { kind: "none" })).toBe("")
  })

  it("leave out what the event has no place for", () => {
    for (const host of [claude, gemini]) {
      expect(say(host, "stop", context)).toBe("")
      expect(say(host, "session-end", context)).toBe("")
      expect(say(host, "session-start", goOn)).toBe("")
      expect(say(host, "prompt", deny)).toBe("")
    }
  })

  const anyText = fc.oneof(fc.string(), fc.string({ unit: "binary" }))
  const anyAnswer: fc.Arbitrary<HookAnswer> = fc.oneof(
    fc.constant<HookAnswer>({ kind: "none" }),
    anyText.map((text): HookAnswer => ({ kind: "context", text })),
    anyText.map((reason): HookAnswer => ({ kind: "goOn", reason })),
    anyText.map((reason): HookAnswer => ({ kind: "deny", reason })),
  )
  const KEYS = [
    "session_id",
    "cwd",
    "tool_name",
    "tool_input",
    "tool_use_id",
    "stop_hook_active",
    "prompt",
    "timestamp",
  ]
  const anyRaw = fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), fc.string()), fc.jsonValue())

  it("are valid whatever was asked and whatever is said", () => {
    const property = fc.property(
      fc.constantFrom(...HOSTS),
      fc.constantFrom(...HOOK_EVENTS),
      anyRaw,
      anyAnswer,
      (name, event, raw, answer) => {
        const host = name === "gemini" ? gemini : makeClaudeHost(name)
        const call = host.read(event, raw)
        expect(typeof call.session).toBe("string")
        expect(call.tool === null || typeof call.tool.input === "object").toBe(true)
        const printed = host.write(call, answer)
        if (printed !== "") expect(Array.isArray(JSON.parse(printed))).toBe(false)
      },
    )
    fc.assert(property, { numRuns: 500 })
  })
})
