// Faults of providers and models, as each program meets them with the retries that it has when it is installed. The four
// run side by side: most of the time they wait. The table of faults in docs/agents.md tells what was measured here.
import { expect, it } from "bun:test"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeAgent } from "../../src/agents/make-agent.ts"
import type { AgentEvent, AgentResult, Limits, Reason } from "../../src/agents/port.ts"
import { AGENT_PORTS, makeJob, record } from "../support/agents.ts"
import { makeScratch } from "../support/sandbox.ts"
import { type Cli, makeWorld } from "./cli-world.ts"
import type { Step } from "./fake-model.ts"
import { AS_INSTALLED, CLAUDE } from "./programs.ts"

type Name = "claude" | "codex" | "gemini" | "opencode"
const ALL: readonly Name[] = ["claude", "codex", "gemini", "opencode"]
const NOWHERE = "http://127.0.0.1:9"

interface Ended {
  readonly result: AgentResult
  readonly events: readonly AgentEvent[]
}

interface How {
  readonly limits?: Partial<Limits>
  readonly programs?: readonly Name[]
  readonly isDown?: boolean
}

async function meet(script: (cli: Cli) => readonly Step[], { limits, programs = ALL, isDown = false }: How = {}) {
  const clis = AS_INSTALLED.filter(({ program }) => programs.includes(program.name as Name))
  const ended = await Promise.all(
    clis.map(async (cli): Promise<[string, Ended]> => {
      const { settings } = cli
      const away: Cli = {
        ...cli,
        variables: () => cli.variables(NOWHERE),
        settings: settings && (() => settings(NOWHERE)),
      }
      await using world = makeWorld(isDown ? away : cli, { fault: script(cli) })
      const run = await world.run({ prompt: "[[fault]] work", permission: "full", ...(limits && { limits }) })
      console.log(`${cli.program.name}: ${run.result.reason} after ${(run.result.durationMs / 1000).toFixed(1)} s`)
      return [cli.program.name, run]
    }),
  )
  return Object.fromEntries(ended) as Record<Name, Ended>
}

function reasonsOf(ended: Record<string, Ended>): Record<string, Reason> {
  return Object.fromEntries(Object.entries(ended).map(([name, { result }]) => [name, result.reason]))
}

const each = (reason: Reason) => Object.fromEntries(ALL.map((name) => [name, reason]))
const refuse = (status: number, type: string, message: string, headers = {}) => [
  { error: { status, type, message, headers } },
]

it("F034: 429 with a long Retry-After is a limit, whether the program waits or not", async () => {
  const before = Date.now()
  const script = () => refuse(429, "rate_limit_error", "Rate limit reached", { "retry-after": "300" })
  const ended = await meet(script, { limits: { waitMs: 15_000 } })
  expect(reasonsOf(ended)).toEqual(each("rate-limited"))
  // It would wait in silence, for as long as it tells in its log.
  expect(ended.codex.result.retryAt).toBeGreaterThan(before + 290_000)
  expect(ended.codex.result.durationMs).toBeLessThan(15_000)
  for (const name of ["codex", "gemini", "opencode"] as const)
    expect(ended[name].events.filter(({ type }) => type === "waiting")).not.toEqual([])
})

it("a server that fails for 30 s is overloaded", async () => {
  const script = () => refuse(500, "server_error", "Internal server error").map((step) => ({ ...step, forMs: 30_000 }))
  expect(reasonsOf(await meet(script))).toEqual(each("overloaded"))
})

it("a server that fails for 8 s is waited for", async () => {
  const script = () => [{ ...refuse(500, "server_error", "Internal server error")[0], text: "well again", forMs: 8000 }]
  const ended = await meet(script)
  expect(reasonsOf(ended)).toEqual(each("done"))
  for (const { result } of Object.values(ended)) expect(result.answer).toBe("well again")
})

it("a server that is not there is unreachable", async () => {
  const ended = await meet(() => [], { isDown: true, limits: { waitMs: 8000 } })
  expect(reasonsOf(ended)).toEqual(each("unreachable"))
})

it("F041: a key that is not valid is told within seconds, although some try again", async () => {
  const ended = await meet(() => refuse(401, "authentication_error", "invalid x-api-key"))
  expect(reasonsOf(ended)).toEqual(each("auth"))
})

const UNKNOWN: Readonly<Record<string, readonly [type: string, message: string]>> = {
  claude: ["not_found_error", "model: nope"],
  gemini: ["NOT_FOUND", "models/nope is not found for API version v1beta, or is not supported for generateContent."],
}

it("a model that the provider does not know", async () => {
  const [type, message] = ["model_not_found", "The model `nope` does not exist or you do not have access to it."]
  const ended = await meet(({ program }) => refuse(404, ...(UNKNOWN[program.name] ?? [type, message])))
  expect(reasonsOf(ended)).toEqual(each("unknown-model"))
})

it("F041: a conversation that is too long", async () => {
  expect(reasonsOf(await meet(({ overflow }) => [{ error: overflow }]))).toEqual(each("context-overflow"))
})

it("F041: a model that repeats one call", async () => {
  const ended = await meet(({ run }) => [{ tool: run("cat greeting.txt") }])
  expect(reasonsOf(ended)).toEqual(each("looping"))
  for (const { events } of Object.values(ended))
    expect(events.filter(({ type }) => type === "tool_use").length).toBeLessThan(9)
})

it("a program that ends with 3", async () => {
  using scratch = makeScratch("exit")
  const file = join(scratch.path, "wrapper")
  writeFileSync(file, "#!/bin/sh\ncat > /dev/null\necho 'the wrapper has no idea' >&2\nexit 3\n")
  chmodSync(file, 0o755)
  for (const { program } of AS_INSTALLED) {
    const agent = makeAgent(program, { command: [file], isRoot: false }, AGENT_PORTS)
    const { result } = await record(agent, makeJob(scratch.path, { prompt: "hello" }))
    expect(result).toMatchObject({
      reason: "crashed",
      exitCode: 3,
      error: expect.stringContaining("the wrapper has no idea"),
    })
  }
})

it("F031: a command that Claude leaves running in the background ends with its result", async () => {
  const command = "touch began.txt; sleep 300"
  const serve = { name: "Bash", input: { command, description: "serve", run_in_background: true } }
  await using world = makeWorld(CLAUDE, { serve: [{ tool: serve }, { text: "it serves" }] })
  const messages = async function* () {
    await new Promise(() => undefined)
    yield { id: "never", text: "" }
  }
  const job = { prompt: "[[serve]]", permission: "full", limits: { timeMs: 60_000 } } as const
  // With messages its input stays open. No process is left: the world looks for them.
  const { result } = await world.run(job, { messages: messages() })
  expect(result).toMatchObject({ reason: "done", answer: "it serves", error: "" })
  expect(result.durationMs).toBeLessThan(15_000)
})

it("F031: an agent that Claude started in the background is waited for", async () => {
  const input = { description: "look", prompt: "[[look]] go", subagent_type: "general-purpose" }
  await using world = makeWorld(CLAUDE, {
    ask: [{ tool: { name: "Task", input } }, { text: "I asked" }, { text: "it answered" }],
    look: [{ tool: CLAUDE.run("sleep 3; touch looked.txt") }, { text: "seen" }],
  })
  const { result } = await world.run({ prompt: "[[ask]]", permission: "full" })
  expect(result).toMatchObject({ reason: "done", answer: "it answered" })
})

it("what the other programs leave running ends with them", async () => {
  const programs = ["codex", "gemini", "opencode"] as const
  const leave = "nohup sleep 300 > /dev/null 2>&1 & echo left"
  const ended = await meet(({ run }) => [{ tool: run(leave) }, { text: "left it" }], { programs })
  expect(reasonsOf(ended)).toEqual({ codex: "done", gemini: "done", opencode: "done" })
})
