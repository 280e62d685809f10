// Real output of the agent programs, as test/fixtures/agent-streams keeps it, and what we make of it.
import { describe, expect, it, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { claude } from "../../src/agents/claude/program.ts"
import { codex } from "../../src/agents/codex/program.ts"
import { gemini } from "../../src/agents/gemini/program.ts"
import { opencode } from "../../src/agents/opencode/program.ts"
import type { AgentEventBody, AgentJob } from "../../src/agents/port.ts"
import { makeJob } from "../support/agents.ts"

const FOLDER = join(import.meta.dir, "../fixtures/agent-streams")
const PROGRAMS = [claude, codex, gemini, opencode]
const SAMPLES = readdirSync(FOLDER).sort()
const NOW = 1_000_000

function linesOf(sample: string): string[] {
  return readFileSync(join(FOLDER, sample), "utf8").trimEnd().split("\n")
}

function translatorFor(sample: string, change: Partial<AgentJob> = {}) {
  const program = PROGRAMS.find(({ name }) => sample.startsWith(name))
  if (program === undefined) throw new Error(`whose is ${sample}?`)
  return program.translate(makeJob("/repo", change), { now: () => NOW })
}

function translate(sample: string, change: Partial<AgentJob> = {}, exitCode = 0) {
  const translator = translatorFor(sample, change)
  const events = linesOf(sample).flatMap((line) => translator.line(line))
  return {
    events: events.map(brief),
    turns: translator.turns(),
    outcome: translator.end({ exitCode, signal: null }, ""),
  }
}

/** One line for each event, with everything in it that matters. */
function brief(event: AgentEventBody): string {
  switch (event.type) {
    case "started":
      return `started ${event.session?.slice(0, 8)} ${event.model} ${event.agentVersion}`
    case "text":
      return `text ${event.text.split("\n")[0]}`
    case "tool_use":
      return `use ${event.name} ${event.input} [${event.files}]`
    case "tool_result":
      return `${event.ok ? "ok" : "failed"} ${event.output.trim().slice(0, 50)}`
    case "usage":
      return `${event.isTotal ? "total" : "used"} ${event.inputTokens}+${event.outputTokens} ${event.dollars}`
    case "unknown":
      return `unknown ${event.line.slice(0, 20)}`
    default:
      return event.type
  }
}

const BOX = "unknown box: rc=0 wall="
const withoutBox = (events: readonly string[]) => events.filter((event) => !event.startsWith(BOX))

describe("claude", () => {
  it("writes a file", () => {
    const { events, turns, outcome } = translate("claude-hello.jsonl")
    expect(events).toEqual([
      "started 5d9640d5 claude-opus-5-5 2.1.325",
      "text I will create the file.",
      "used 100+1 null",
      "use Write /repo.txt [/repo.txt]",
      "ok File created successfully at: /repo.txt (file stat",
      "text Done. hello.txt created.",
      "used 100+1 null",
      "total 200+40 0.0016",
    ])
    expect(turns).toBe(2)
    expect(outcome).toMatchObject({ reason: "done", answer: "Done. hello.txt created.", error: "" })
    expect(outcome.session).toBe("5d9640d5-c339-4fc6-95f5-fe0d373a1cc0")
  })

  it("stops at its limit of turns", () => {
    const { events, turns, outcome } = translate("claude-max-turns.jsonl", {}, 1)
    expect(events.filter((event) => event === "use Bash echo loop []")).toHaveLength(3)
    expect(events).toContain("total 300000+15000 1.5")
    expect(turns).toBe(3)
    expect(outcome).toMatchObject({ reason: "turn-limit", error: "Reached maximum number of turns (3)" })
  })

  it("uses a tool of a server", () => {
    const { events, outcome } = translate("claude-mcp.jsonl")
    expect(events).toContain('use mcp__tiny__team_note {"note":"n1"} []')
    expect(events).toContain("ok NOTED<n1>")
    expect(outcome).toMatchObject({ reason: "done", answer: "MCP said NOTED<n1>" })
  })

  it("gives a structured answer, and without one it has not done what it was asked", () => {
    const answerSchema = { type: "object" }
    expect(translate("claude-schema.jsonl", { answerSchema }).outcome).toMatchObject({
      reason: "done",
      structured: { name: "bob", age: 3 },
    })
    expect(translate("claude-hello.jsonl", { answerSchema }).outcome.reason).toBe("protocol")
  })

  it("counts on from an earlier run, which is taken off", () => {
    const resume = { id: "s", usage: { inputTokens: 150, outputTokens: 30, cachedTokens: 0, dollars: 0.0006 } }
    expect(translate("claude-hello.jsonl", { resume }).events.at(-1)).toBe("total 50+10 0.001")
  })

  it("is not judged by its exit code: interrupted it ends with 0 and no result", () => {
    const translator = translatorFor("claude-hello.jsonl")
    for (const line of linesOf("claude-hello.jsonl").slice(0, -1)) translator.line(line)
    expect(translator.isOver()).toBe(false)
    expect(translator.end({ exitCode: 0, signal: null }, "")).toMatchObject({ reason: "crashed" })
  })

  it("takes the last of several results, and goes on after the first", () => {
    const translator = translatorFor("claude-hello.jsonl")
    const lines = linesOf("claude-hello.jsonl")
    for (const line of lines) translator.line(line)
    expect(translator.isOver()).toBe(true)
    translator.line(lines[1] ?? "")
    expect(translator.isOver()).toBe(false)
    translator.line((lines.at(-1) ?? "").replace('"result":"Done. hello.txt created."', '"result":"Second"'))
    expect(translator.end({ exitCode: 0, signal: null }, "").answer).toBe("Second")
  })
})

describe("codex", () => {
  it("runs a command", () => {
    const { events, turns, outcome } = translate("codex-hello.jsonl")
    expect(events).toEqual([
      "started 01a1e08a null null",
      "text I will create the file.",
      "use command /bin/bash -lc 'echo hello from fake > hello.txt; pwd' []",
      "ok /repo",
      "text Done: Chunk ID: 3ea4c2",
      "total 200+40 null",
    ])
    expect(turns).toBe(2)
    expect(outcome).toMatchObject({ reason: "done", session: "01a1e08a-1910-7811-a175-efaa8bf6adc7" })
  })

  it("uses a tool of a server, and patches a file", () => {
    expect(translate("codex-mcp.jsonl").events.slice(1, 3)).toEqual([
      'use mcp__tiny__team_note {"note":"n1"} []',
      "ok NOTED<n1>",
    ])
    expect(translate("codex-patch.jsonl").events).toContain("use file_change add /repo.txt [/repo.txt]")
  })

  it("counts on from an earlier run, which is taken off", () => {
    const resume = { id: "s", usage: { inputTokens: 200, outputTokens: 40, cachedTokens: 0, dollars: null } }
    expect(withoutBox(translate("codex-resume.jsonl", { resume }).events).at(-1)).toBe("total 100+20 null")
  })

  it("may fail", () => {
    const translator = translatorFor("codex-hello.jsonl")
    const failed = {
      type: "turn.failed",
      error: { message: "You've hit your usage limit. Try again in 2 hours 5 minutes." },
    }
    for (const line of [...linesOf("codex-hello.jsonl").slice(0, 2), JSON.stringify(failed)]) translator.line(line)
    expect(translator.end({ exitCode: 1, signal: null }, "")).toMatchObject({
      reason: "rate-limited",
      retryAt: NOW + 125 * 60_000,
    })
  })
})

describe("gemini", () => {
  it("writes a file", () => {
    const { events, turns, outcome } = translate("gemini-hello.jsonl")
    expect(events).toEqual([
      "started 205eaf6b gemini-2.5-flash null",
      "text I will create the file.",
      "use write_file /repo.txt [/repo.txt]",
      "ok ",
      "text Done. hello.txt created.",
      "total 200+40 null",
    ])
    expect(turns).toBe(2)
    expect(outcome).toMatchObject({ reason: "done", answer: "Done. hello.txt created." })
  })

  it("is stopped from writing by a hook, and sent on by another", () => {
    const { events, outcome } = translate("gemini-hooks.jsonl")
    expect(events).toContain("failed Tool execution blocked: teamkit: denied path")
    expect(outcome).toMatchObject({ reason: "done", answer: "continued by AfterAgent hook" })
  })

  it("uses a tool of a server, between lines for people", () => {
    const { events } = translate("gemini-mcp.jsonl")
    expect(events.filter((event) => event.startsWith("unknown"))).toHaveLength(5)
    expect(events).toContain('use mcp_tiny_team_note {"note":"n1"} []')
  })

  test.each([
    [41, "auth"],
    [53, "turn-limit"],
    [55, "auth"],
    [145, "auth"],
    [173, "rate-limited"],
    [244, "overloaded"],
    [0, "crashed"],
  ] as const)("without a result ends with %d: %s", (exitCode, reason) => {
    const translator = translatorFor("gemini-hello.jsonl")
    for (const line of linesOf("gemini-hello.jsonl").slice(0, 3)) translator.line(line)
    expect(translator.end({ exitCode, signal: null }, "").reason).toBe(reason)
  })
})

describe("opencode", () => {
  it("writes a file", () => {
    const { events, turns, outcome } = translate("opencode-hello.jsonl")
    expect(events).toEqual([
      "started ses_e1f8 null null",
      "text I will create the file.",
      "use write /repo.txt [/repo.txt]",
      "ok Wrote file successfully.",
      "used 100+20 0.00014",
      "text Done. hello.txt created.",
      "used 100+20 0.00014",
    ])
    expect(turns).toBe(2)
    expect(outcome).toMatchObject({ reason: "done", answer: "Done. hello.txt created." })
  })

  it("uses a tool of a server", () => {
    const { events, outcome } = translate("opencode-mcp.jsonl")
    expect(events.slice(1, 3)).toEqual(['use tiny_team_note {"note":"n1"} []', "ok NOTED<n1>"])
    expect(outcome).toMatchObject({ reason: "done", answer: "MCP said NOTED<n1>" })
  })

  it("is not done when it ends with 0 after a step that wanted to go on", () => {
    const translator = translatorFor("opencode-hello.jsonl")
    for (const line of linesOf("opencode-hello.jsonl").slice(0, 4)) translator.line(line)
    expect(translator.end({ exitCode: 0, signal: null }, "").reason).toBe("crashed")
    const refused = (linesOf("opencode-hello.jsonl")[2] ?? "")
      .replace('"completed"', '"error"')
      .replace('"output":"Wrote file successfully."', '"error":"permission rejected"')
    translator.line(refused)
    expect(translator.end({ exitCode: 0, signal: null }, "").reason).toBe("permission")
  })
})

describe("whatever is printed", () => {
  /** A line of a sample with some of it changed: another character, a piece gone, a value of another type. */
  const mutated = fc
    .tuple(
      fc.constantFrom(...SAMPLES),
      fc.nat(),
      fc.array(fc.tuple(fc.nat(), fc.nat(40), fc.string({ maxLength: 8 })), { maxLength: 4 }),
      fc.boolean(),
      fc.jsonValue(),
    )
    .map(([sample, number, changes, swaps, value]) => {
      const lines = linesOf(sample)
      let line = lines[number % lines.length] ?? ""
      if (swaps) line = swapValue(line, number, value)
      else
        for (const [at, length, text] of changes) {
          const from = at % (line.length + 1)
          line = line.slice(0, from) + text + line.slice(from + length)
        }
      return { sample, line }
    })

  it("nothing throws, and every event has its fields", () => {
    fc.assert(
      fc.property(fc.array(mutated, { maxLength: 8 }), fc.integer({ min: 0, max: 255 }), (lines, exitCode) => {
        for (const { name } of PROGRAMS) {
          const translator = translatorFor(name, { answerSchema: exitCode % 2 === 0 ? null : {} })
          const events = lines.flatMap(({ line }) => translator.line(line))
          for (const event of events) expectShape(event)
          const outcome = translator.end({ exitCode, signal: null }, "")
          expect(typeof outcome.answer).toBe("string")
          expect(typeof outcome.error).toBe("string")
          expect(translator.turns()).toBeGreaterThanOrEqual(0)
        }
      }),
      { numRuns: 500 },
    )
  })
})

/** Puts another value where one was, at any depth. */
function swapValue(line: string, number: number, value: unknown): string {
  if (!line.startsWith("{")) return line
  let left = number % 40
  const walk = (node: unknown): unknown => {
    if (left-- === 0) return value
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== "object" || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item)]))
  }
  return JSON.stringify(walk(JSON.parse(line)))
}

/** Every field of a kind of event has its type, whatever the line had there. */
function expectShape(event: AgentEventBody): void {
  const texts: unknown[] = []
  const counts: unknown[] = []
  if (event.type === "text" || event.type === "reasoning") texts.push(event.text)
  if (event.type === "tool_use") texts.push(event.id, event.name, event.input, ...event.files)
  if (event.type === "tool_result") texts.push(event.id, event.output)
  if (event.type === "unknown") texts.push(event.line)
  if (event.type === "usage") counts.push(event.inputTokens, event.outputTokens, event.cachedTokens, event.dollars ?? 0)
  expect(texts.every((text) => typeof text === "string")).toBe(true)
  expect(counts.every((count) => Number.isFinite(count) && Number(count) >= 0)).toBe(true)
}
