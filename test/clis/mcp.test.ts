// Our MCP server as the official tools see it: the inspector, and the conformance suite as far as it fits a server on
// stdio with tools of its own.
import { expect, it } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { runCli } from "../support/run-cli.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { commandOf } from "./cli-world.ts"
import { findPinned } from "./pinned.ts"

const MAIN = join(import.meta.dir, "../../src/bin/main.ts")

interface Place extends Disposable {
  readonly cwd: string
  readonly env: Record<string, string>
}

async function makeTeam(): Promise<Place> {
  const scratch = makeScratch("mcp")
  const [home, cwd] = [join(scratch.path, "home"), join(scratch.path, "shop")]
  for (const folder of [home, cwd]) mkdirSync(folder)
  await runCli(["project", "create", "--goal", "g"], { home, cwd })
  await runCli(["task", "create", "--title", "Schema"], { home, cwd })
  const env = sandboxEnv({ HOME: home, TEAMWORK_TEST_BASE_DIR: home })
  return { cwd, env, [Symbol.dispose]: () => scratch[Symbol.dispose]() }
}

async function run(command: readonly string[], { cwd, env }: Pick<Place, "cwd" | "env">) {
  const child = Bun.spawn([...command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, exitCode }
}

it("is understood by the inspector, which finds nothing wrong with its schemas", async () => {
  using team = await makeTeam()
  const base = `TEAMWORK_TEST_BASE_DIR=${team.env.TEAMWORK_TEST_BASE_DIR}`
  const inspector = [commandOf(findPinned("mcp-inspector")), "--cli", "-e", base, process.execPath, MAIN, "mcp"]
  const inspect = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await run([...inspector, ...args], team)
    expect({ args, exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ args, exitCode: 0, stderr: "" })
    return JSON.parse(stdout)
  }
  for (const as of [["--as", "w1"], []]) {
    const { tools } = await inspect(...as, "--method", "tools/list", "--strict")
    expect(tools.length).toBeGreaterThan(20)
  }
  const claim = ["--as", "w1", "--method", "tools/call", "--tool-name", "task_claim", "--tool-arg", "next=true"]
  expect(await inspect(...claim)).toMatchObject({ structuredContent: { id: "1", claimed_by: "w1" } })
  const uri = "teamwork://team/tasks/1"
  expect(await inspect("--method", "resources/read", "--uri", uri)).toMatchObject({ contents: [{ uri }] })
  const prompt = ["--method", "prompts/get", "--prompt-name", "plan_goal", "--prompt-args", "goal=More"]
  expect(await inspect(...prompt)).toMatchObject({ messages: [{ role: "user" }] })
})

// The other scenarios call tools, resources and prompts that only the suite's own example server has, or are about HTTP.
it.each(["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"])(
  "passes the conformance scenario %s",
  async (scenario) => {
    using team = await makeTeam()
    await using relay = startRelay(team)
    // It wants a newer Node than we do.
    const conformance = [process.execPath, commandOf(findPinned("conformance")), "server", "--url", relay.url]
    const { stdout, stderr, exitCode } = await run([...conformance, "--scenario", scenario], team)
    expect({ exitCode, said: exitCode === 0 ? "" : stdout + stderr }).toEqual({ exitCode: 0, said: "" })
    expect(stdout + stderr).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/)
  },
)

/** Hands messages that come over HTTP, which is all that the suite speaks, to our server, and back. */
function startRelay({ cwd, env }: Place): AsyncDisposable & { readonly url: string } {
  const child = Bun.spawn([process.execPath, MAIN, "mcp"], { cwd, env, stdio: ["pipe", "pipe", "inherit"] })
  const waiting = new Map<unknown, (line: string) => void>()
  const reading = (async () => {
    const decoder = new TextDecoder()
    let rest = ""
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) waiting.get(JSON.parse(line).id)?.(line)
    }
  })()
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 })
      const message = (await request.json()) as { id?: number }
      const answered =
        message.id === undefined ? undefined : new Promise<string>((resolve) => waiting.set(message.id, resolve))
      child.stdin.write(`${JSON.stringify(message)}\n`)
      child.stdin.flush()
      if (answered === undefined) return new Response(null, { status: 202 })
      return new Response(await answered, { headers: { "content-type": "application/json" } })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    async [Symbol.asyncDispose]() {
      await server.stop(true)
      child.stdin.end()
      await Promise.all([child.exited, reading])
    },
  }
}
