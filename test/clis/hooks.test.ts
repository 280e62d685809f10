// Real sessions with our hooks: a loop over tasks that ends by itself, an inbox, and the end of a session.
import { describe, expect, it } from "bun:test"
import type { Step } from "./fake-model.ts"
import { type HookHost, type HookWorld, makeHookWorld } from "./hook-world.ts"
import { OWN_TOOLS } from "./own-tools.ts"

const SESSION = "6f9c7a52-1b1d-4a52-9a55-0d6c8d1f7a10"

/** The model does what the hook tells it: the text of each task, which only the hook knows, selects the script. */
function scriptsFor(host: HookHost, first: readonly Step[]) {
  const { run } = OWN_TOOLS[host]
  const work = (id: string) => [
    { tool: run(`teamwork task claim ${id} --owner w1 && teamwork task update ${id} --owner w1 --status resolved`) },
    { text: `did ${id}` },
  ]
  return { start: first, "do-one": work("1"), "do-two": work("2"), inbox: [{ text: "got the message" }] }
}

const ALL_STEPS = ["do-one/0", "do-one/1", "do-two/0", "do-two/1"]

async function planTwo({ teamwork }: HookWorld): Promise<void> {
  await teamwork("project", "create", "--goal", "Two things")
  await teamwork("task", "create", "One", "--description", "[[do-one]]")
  await teamwork("task", "create", "Two", "--description", "[[do-two]]", "--blocked-by", "1")
}

async function expectAllDone({ teamwork, failures }: HookWorld): Promise<void> {
  expect(await teamwork("task", "list")).toMatchObject([
    { id: "1", status: "resolved", worker_id: "w1" },
    { id: "2", status: "resolved", worker_id: "w1" },
  ])
  // The session is over, and with it its part in the team.
  expect(await teamwork("swarm", "status")).toMatchObject({ workers: [{ id: "w1", status: "stopped" }] })
  expect(await failures()).toBe("")
}

describe.each(["claude", "codex"] as const)("%s", (host) => {
  it("joins, goes from task to task by its hooks, and ends when none is left", async () => {
    const join = [{ tool: OWN_TOOLS[host].run("teamwork join --loop") }, { text: "joined" }]
    await using world = await makeHookWorld(host, scriptsFor(host, join))
    await planTwo(world)
    expect(await world.run("[[start]] work with the team")).toContain("did 2")
    expect(world.steps()).toEqual(["start/0", "start/1", ...ALL_STEPS])
    await expectAllDone(world)
  })
})

describe.each(["claude", "gemini"] as const)("%s", (host) => {
  it("gets what is in its inbox with the prompt, once, and works on where it joined before", async () => {
    await using world = await makeHookWorld(host, scriptsFor(host, []))
    await planTwo(world)
    await world.teamwork("join", "--loop", "--terminal-id", SESSION)
    await world.teamwork("mailbox", "send", "--from", "lead", "--to", "w1", "--message", "[[inbox]] hello")
    expect(await world.run("hello", SESSION)).toContain("did 2")
    expect(world.steps()).toEqual(["inbox/0", ...ALL_STEPS])
    expect(await world.teamwork("mailbox", "read", "--inbox", "w1")).toMatchObject([{ read: true }])
    await expectAllDone(world)
  })
})

describe("opencode", () => {
  /** `opencode run` ends with the first turn; a session that goes on is one of its server, as in its terminal. */
  it("joins, goes from task to task by its plugin, and ends when none is left", async () => {
    const first = [{ tool: OWN_TOOLS.opencode.run("teamwork join --loop") }, { text: "joined" }]
    await using world = await makeHookWorld("opencode", scriptsFor("opencode", first))
    await planTwo(world)
    await using server = await serveOpencode(world)
    const { id } = await server.ask("POST", "/session", {})
    const parts = [{ type: "text", text: "[[start]] work with the team" }]
    await server.ask("POST", `/session/${id}/prompt_async`, { parts })
    const hasEnded = async () => !(await world.teamwork("loop-state", "--get", "--terminal-id", id)).active
    await until(async () => world.steps().includes("do-two/1") && (await hasEnded()))
    expect(world.steps()).toEqual(["start/0", "start/1", ...ALL_STEPS])
    await server.ask("DELETE", `/session/${id}`)
    const isOver = async () => JSON.stringify(await world.teamwork("swarm", "status")).includes('"stopped"')
    await until(isOver)
    await expectAllDone(world)
  })
})

async function serveOpencode(world: HookWorld) {
  const child = world.start(["serve", "--hostname", "127.0.0.1", "--port", "0"])
  const url = await addressOf(child.stdout)
  return {
    async ask(method: string, path: string, body?: object): Promise<{ id: string }> {
      const headers = { "content-type": "application/json" }
      const response = await fetch(`${url}${path}`, { method, headers, body: body && JSON.stringify(body) })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text === "" ? { id: "" } : JSON.parse(text)
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

async function addressOf(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let printed = ""
  for await (const chunk of stdout) {
    printed += new TextDecoder().decode(chunk)
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
    if (url !== undefined) return url
  }
  throw new Error(`the server did not start: ${printed}`)
}

const PATIENCE_MS = 60_000

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error("waited in vain")
    await Bun.sleep(20)
  }
}
