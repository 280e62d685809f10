// What real agents said over the Agent Client Protocol, as test/fixtures/acp-streams keeps it, and what we make of it.
// The recordings name the question that is answered instead of its id, so they are brought back into the form they had.
import { describe, expect, it, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { acp } from "../../src/agents/acp/program.ts"
import type { AgentEventBody, AgentJob } from "../../src/agents/port.ts"
import type { Translator } from "../../src/agents/program.ts"
import { makeJob, owning } from "../support/agents.ts"

const FOLDER = join(import.meta.dir, "../fixtures/acp-streams")

interface Entry {
  readonly dir: string
  readonly [field: string]: unknown
}

interface Sent {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: unknown
  readonly error?: unknown
}

const entriesOf = (sample: string): Entry[] =>
  readFileSync(join(FOLDER, sample), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

/** A message of the agent on the wire; `last` is our open question. */
function wireOf({ dir, result, update, method, params, response }: Entry, last: Sent): object | undefined {
  if (dir.startsWith("->")) return { jsonrpc: "2.0", id: last.id, result }
  if (dir === "update") return { jsonrpc: "2.0", method: "session/update", params: { update } }
  if (dir === "<-req") return { jsonrpc: "2.0", id: 77, method, params: params ?? {} }
  return dir === "stop" ? { jsonrpc: "2.0", id: last.id, result: response } : undefined
}

function play(sample: string, change: Partial<AgentJob> = {}, messages: readonly string[] = []) {
  const translator = acp.translate(makeJob("/repo", change), { now: () => 1_000_000 })
  const sent: Sent[] = []
  const events: AgentEventBody[] = []
  let last: Sent = { id: 0, method: "initialize" }
  const hear = (message: object) => {
    events.push(...translator.line(JSON.stringify(message)))
    for (const line of takeReplies(translator)) {
      sent.push(line)
      if (line.method !== undefined) last = line
    }
  }
  for (const text of messages) translator.dialogue?.message({ id: text, text })
  for (const entry of entriesOf(sample)) {
    // That recording client set no mode.
    while (last.method?.startsWith("session/set_") === true) hear({ jsonrpc: "2.0", id: last.id, result: {} })
    const message = wireOf(entry, last)
    if (message !== undefined) hear(message)
  }
  const outcome = translator.end({ exitCode: 0, signal: null }, "")
  return { events: events.map(brief), sent, outcome, turns: translator.turns() }
}

function takeReplies({ dialogue }: Translator): Sent[] {
  const lines = dialogue?.takeReplies().split("\n") ?? []
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line))
}

/** One line for each event, with everything in it that matters. */
function brief(event: AgentEventBody): string {
  switch (event.type) {
    case "started":
      return `started ${event.session?.slice(0, 8)} ${event.model} ${event.agentVersion}`
    case "text":
      return `text ${event.text}`
    case "tool_use":
      return `use ${event.name} ${event.input.slice(0, 40)} [${event.files}]`
    case "tool_result":
      return `${event.ok ? "ok" : "failed"} ${event.output.slice(0, 40)}`
    case "usage":
      return `${event.isTotal ? "total" : "used"} ${event.inputTokens}+${event.outputTokens} ${event.dollars}`
    case "unknown":
      return `unknown ${event.line.slice(0, 60)}`
    case "message_delivered":
      return `delivered ${event.messageId}`
    default:
      return event.type
  }
}

const answers = (sent: readonly Sent[]) => sent.flatMap(({ result }) => (result === undefined ? [] : [result]))
const optionOf = (sent: readonly Sent[]) =>
  answers(sent).map((answer) => (answer as { outcome: { optionId?: string } }).outcome.optionId)
const methodsOf = (sent: readonly Sent[]) => sent.flatMap(({ method }) => method ?? [])
// The paths of these recordings lie beside their workspace.
const EVERYWHERE = { permission: "full", deniedTools: ["none"] } as const

describe("the agent of", () => {
  it("claude: a file, then a tool of a server for a message", () => {
    const { events, sent, outcome, turns } = play("claude-049.jsonl", EVERYWHERE, ["more"])
    expect(events).toEqual([
      "started 7ecddd51 default 0.49.0",
      "total 101+0 null",
      "text I will create the file.",
      "use Write /repo.txt [/repo.txt]",
      "total 120+0 null",
      "ok File created successfully at: /repo.txt ",
      "text Done.",
      "total 120+0 0.002",
      "total 200+40 0.002",
      "total 301+40 0.002",
      "delivered more",
      'use mcp__tiny__team_note {"note":"acp"} []',
      "total 320+40 0.002",
      "ok NOTED<acp>",
      "text MCP said NOTED<acp>",
      "total 320+40 0.004",
      "total 400+80 0.004",
    ])
    expect(optionOf(sent)).toEqual(["allow", "allow"])
    expect(methodsOf(sent)).toEqual(["session/new", "session/prompt", "session/prompt"])
    const prompts = sent.filter(({ method }) => method === "session/prompt")
    expect(prompts[1]?.params?.prompt).toEqual([{ type: "text", text: "more" }])
    expect(outcome).toMatchObject({ reason: "done", answer: "MCP said NOTED<acp>", error: "" })
    expect(turns).toBe(4)
  })

  it("claude: what the job does not permit", () => {
    const { events, sent } = play("claude-049.jsonl", { permission: "edit" }, ["more"])
    expect(optionOf(sent)).toEqual(["reject", "reject"])
    expect(events.filter((event) => event.startsWith("failed"))).toEqual([
      'failed not permitted: "/repo.txt" is not inside',
      "failed not permitted: mcp__tiny__team_note is n",
    ])
    const mcpServers = { tiny: { command: "true", args: [], env: {} } }
    expect(optionOf(play("claude-049.jsonl", { mcpServers }, ["more"]).sent)).toEqual(["reject", "allow"])
    const allowedTools = ["mcp__tiny__*"]
    expect(optionOf(play("claude-049.jsonl", { allowedTools }, ["more"]).sent)).toEqual(["reject", "allow"])
  })

  it("codex: a command, and no count of tokens but that of its context", () => {
    const { events, sent, outcome, turns } = play("codex-zed.jsonl")
    expect(events).toEqual([
      "started 01a1e083 gpt-5.5 0.16.0",
      "text I will create the file.",
      "use execute echo hello > hello.txt []",
      "ok ",
      "total 120+0 null",
      "text Done.",
      "total 120+0 null",
    ])
    // Left alone it would do what it likes.
    expect(sent[1]).toMatchObject({ method: "session/set_mode", params: { modeId: "read-only" } })
    expect(outcome).toMatchObject({ reason: "done", answer: "Done." })
    expect(turns).toBe(2)
  })

  it("gemini: a file that it first tells of when it asks", () => {
    const { events, sent, outcome } = play("gemini-nofs.jsonl", EVERYWHERE)
    expect(events).toEqual([
      "started e6cf845a gemini-2.5-flash 0.61.0",
      "text I will create the file.",
      "use write_file Writing to hello.txt [/repo.txt]",
      "ok ",
      "text Done.",
      "total 200+40 null",
    ])
    expect(optionOf(sent)).toEqual(["proceed_once"])
    expect(outcome).toMatchObject({ reason: "done", answer: "Done." })
    expect(optionOf(play("gemini-nofs.jsonl", { deniedTools: ["write_file"], permission: "full" }).sent)).toEqual([
      "cancel",
    ])
    expect(methodsOf(play("gemini-nofs.jsonl", { model: "gemini-2.5-pro" }).sent)).toContain("session/set_model")
  })

  it("opencode: a file, which it may not write through us, and a tool of a server", () => {
    const { events, sent, outcome } = play("opencode.jsonl", EVERYWHERE, ["more"])
    expect(events).toEqual([
      "started ses_e1f7 fake/fake-model 1.18.33",
      "text I will create the file.",
      "use write /repo.txt [/repo.txt]",
      "ok Wrote file successfully.",
      "text Done.",
      "total 100+0 0.00028",
      "total 100+20 0.00028",
      "delivered more",
      'use tiny_team_note {"note":"acp"} []',
      "ok NOTED<acp>",
      "text MCP said NOTED<acp>",
      "total 200+20 0.00056",
      "total 200+40 0.00056",
    ])
    expect(optionOf(sent)).toEqual(["once"])
    expect(sent.find(({ error }) => error !== undefined)).toMatchObject({ id: 77, error: { code: -32601 } })
    expect(outcome).toMatchObject({ reason: "done", answer: "MCP said NOTED<acp>" })
  })
})

test("whatever the lines are, and whatever is in them, they make a result", () => {
  const entries = readdirSync(FOLDER).flatMap(entriesOf)
  const entry = fc.constantFrom(...entries)
  /** A line of a recording with one value in it exchanged for any other. */
  const mutated = fc
    .tuple(entry, fc.integer({ min: 0, max: 4 }), fc.nat(), fc.jsonValue())
    .map(([told, id, at, any]) => {
      const message = wireOf(told, { id }) ?? null
      let left = at % (JSON.stringify(message).split(":").length + 1)
      return JSON.stringify(message, (_key, value) => (left-- === 0 ? any : value)) ?? "null"
    })
  fc.assert(
    fc.property(fc.array(mutated, { maxLength: 12 }), fc.boolean(), (lines, isFree) => {
      const job = makeJob("/repo", isFree ? { permission: "full" } : { ownership: owning("src/**"), model: "m" })
      const translator = acp.translate(job, { now: () => 0 })
      for (const line of ['{"id":0,"result":{"protocolVersion":1}}', ...lines]) {
        for (const event of translator.line(line)) expect(event.type).toBeString()
        takeReplies(translator)
      }
      expect(translator.end({ exitCode: 1, signal: null }, "").reason).toBeString()
    }),
    { numRuns: 2000 },
  )
})
