// The MCP server as the official client sees it: a real process, real stores, and everything that may go wrong.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { createServer, connect as dial, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { type GetPromptResult, ProtocolError } from "@modelcontextprotocol/client"
import Ajv from "ajv/dist/2020.js"
import { connectMcp, type Facts, type Mcp } from "../support/mcp.ts"
import { freshSchema } from "../support/postgres.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { type Bench, git, MAIN, makeBench, TEST_TIMEOUT_MS, until } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

async function makeTeam(...titles: string[]): Promise<Bench> {
  const bench = makeBench()
  await bench.ok("project", "create", "--goal", "Search page")
  for (const title of titles) await bench.ok("task", "create", "--title", title)
  return bench
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const wordsOf = ({ messages: [first] }: GetPromptResult) => (first?.content.type === "text" ? first.content.text : "")

const asWorker = (bench: Bench, worker = "w1") => connectMcp(bench, ["--as", worker])

describe("the tools", () => {
  it("are those that docs/mcp.md lists, for the lead all of them", async () => {
    using bench = await makeTeam()
    await using mcp = await connectMcp(bench)
    await using worker = await asWorker(bench)
    const rows = [...readFileSync("docs/mcp.md", "utf8").matchAll(/^\| `(\w+)` \| ([\w ]+) \|/gm)]
    const listed = rows.map(([, name, audience]) => ({ name, isForAll: audience === "all" }))
    const namesOf = async ({ client }: typeof mcp) => (await client.listTools()).tools.map(({ name }) => name)
    expect(listed.length).toBeGreaterThan(30)
    expect(await namesOf(mcp)).toEqual(listed.map(({ name = "" }) => name))
    expect(await namesOf(worker)).toEqual(listed.filter(({ isForAll }) => isForAll).map(({ name = "" }) => name))
  })

  it("have schemas that hold, and say what they do to the world", async () => {
    using bench = await makeTeam()
    await using mcp = await connectMcp(bench)
    const { tools } = await mcp.client.listTools()
    const ajv = new Ajv({ strict: true, strictRequired: false })
    for (const { name, description, inputSchema, annotations } of tools) {
      expect({ name, isValid: ajv.validateSchema(inputSchema) }).toEqual({ name, isValid: true })
      expect({ name, extra: inputSchema.additionalProperties }).toEqual({ name, extra: false })
      expect(description).not.toMatch(/(^| )--[a-z]/)
      for (const [field, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect(field).toMatch(name.startsWith("codex") || name.startsWith("gemini") ? /^[a-zI_]+$/ : /^[a-z_]+$/)
        expect((schema as Facts).description).toBeTruthy()
      }
      expect(annotations).toBeDefined()
    }
    const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations
    expect(hints("task_list")).toMatchObject({ readOnlyHint: true })
    expect(hints("task_claim")).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: true })
    expect(hints("evidence_run")).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: true })
    const create = tools.find((tool) => tool.name === "task_create")?.inputSchema
    expect(create).toMatchObject({
      required: ["title"],
      properties: {
        blocked_by: { type: "array", items: { type: "string" } },
        complexity: { enum: ["simple", "standard", "complex"], default: "standard" },
        priority: { type: "integer", minimum: expect.any(Number), maximum: expect.any(Number) },
      },
    })
    expect(Object.keys(create?.properties ?? {})).not.toContain("project")
  })

  it("take a task from create to done", async () => {
    using bench = await makeTeam()
    git(bench.cwd, "init", "-q")
    await using lead = await connectMcp(bench, ["--team", "main", "--project", "shop"])
    const { id } = await lead.call<{ id: string }>("task_create", { title: "Schema", acceptance: ["it is there"] })
    await using worker = await connectMcp(bench, ["--as", "w1", "--team", "main", "--project", "shop"])
    expect(await worker.call("task_list", { available: true })).toMatchObject({ tasks: [{ id, title: "Schema" }] })
    expect(await worker.call("task_claim", { next: true })).toMatchObject({ id, claimed_by: "w1", claim_token: 1 })
    expect(await worker.call("task_heartbeat", { id })).toMatchObject({ id, status: "in_progress" })
    expect(await worker.call("evidence_run", { id, command: ["sh", "-c", "echo 12 tests pass"] })).toMatchObject({
      trust: "attested",
      exit_code: 0,
      output: "12 tests pass\n",
    })
    git(bench.cwd, "init", "-q", "elsewhere")
    const there = { id, working_directory: "elsewhere", command: ["pwd"] }
    expect(await worker.call("evidence_run", there)).toMatchObject({ output: `${join(bench.cwd, "elsewhere")}\n` })
    expect(await worker.call("evidence_add", { id, add_evidence: ["looked at it"] })).toMatchObject({
      evidence: [{ trust: "reported", text: "looked at it" }],
    })
    expect(await worker.call("task_update", { id, status: "resolved", result: "done" })).toMatchObject({
      status: "resolved",
      result: "done",
    })
    expect(await lead.call("message_read")).toMatchObject({
      messages: [{ type: "idle_notification", from: "w1", payload: { completed_task_id: id } }],
    })
    expect(await lead.call("team_status")).toMatchObject({ stats: { resolved: 1, progress: 100 } })
    expect(await lead.call("task_get", { id })).toMatchObject({ evidence: [{ by: "w1" }, { by: "w1" }, { by: "w1" }] })
  })

  it("carry messages, wisdom, questions and what was found out", async () => {
    using bench = await makeTeam("Schema", "Endpoint")
    git(bench.cwd, "init", "-q")
    git(bench.cwd, "commit", "-q", "--allow-empty", "-m", "begin")
    const team = ["--team", "main", "--project", "shop"]
    await using lead = await connectMcp(bench, team)
    await using worker = await connectMcp(bench, [...team, "--as", "w1"])
    await worker.call("task_claim", { id: "1" })
    await worker.call("message_send", { to: "lead", message: "Which currency?" })
    expect(await lead.call("message_read", { mark_read: true })).toMatchObject({
      messages: [{ from: "w1", to: "orchestrator", payload: { message: "Which currency?" } }],
    })
    const answered = worker.call("message_wait", { timeout: 20 })
    await lead.call("message_send", { to: "w1", message: "Euro" })
    expect(await answered).toMatchObject({ messages: [{ from: "orchestrator", payload: { message: "Euro" } }] })
    expect(await worker.call("wisdom_add", { text: "Prices are in euro" })).toMatchObject({ by: "w1" })
    expect(await lead.call("wisdom_list")).toMatchObject({ wisdom: [{ text: "Prices are in euro" }] })
    await worker.call("explore_put", { angle: "errors", summary: "one file", files: ["."] })
    expect(await lead.call("explore_get", { angle: "errors" })).toMatchObject({ by: "w1", summary: "one file" })
    expect(await lead.call("explore_list")).toMatchObject({ explorations: [{ angle: "errors" }] })
    expect(await worker.call("ownership_check", { task: "1", paths: ["package.json"] })).toMatchObject({
      paths: [{ allowed: false }],
    })
    expect(await worker.call("ownership_ask", { task: "1", path: "package.json", reason: "a library" })).toMatchObject({
      asked_by: "w1",
      status: "asked",
    })
    expect(await worker.call("escalate", { trigger: "requirement_unclear", summary: "Tax?", task: "1" })).toMatchObject(
      { raised_by: "w1", status: "open" },
    )
    expect(await lead.call("team_status")).toMatchObject({ questions: [{ number: 1 }] })
  })

  it("ask for the approval of a plan", async () => {
    using bench = await makeTeam("Schema")
    await bench.ok("project", "update", "--protocol", "planned")
    await bench.ok("task", "create", "--title", "Endpoint")
    await using worker = await asWorker(bench)
    await worker.call("task_claim", { id: "2" })
    for (const to of ["requirement", "skill_research", "plan_design"])
      await worker.call("task_phase", { id: "2", to, report: "read it" })
    expect(await worker.call("approval_ask", { id: "2", report: "a table" })).toMatchObject({
      phase: "awaiting_approval",
    })
    expect(await worker.call("approval_list")).toMatchObject({ approvals: [{ question: "a table", asked_by: "w1" }] })
  })
})

describe("team_msg", () => {
  it("is a bus over the one message log", async () => {
    using bench = await makeTeam()
    await using lead = await connectMcp(bench)
    await using w1 = await asWorker(bench, "w1")
    await using w2 = await asWorker(bench, "w2")
    expect(
      await w1.refused("message.no_recipient", "team_msg", { operation: "send", to: "worker-3", message: "hi" }),
    ).toContain("there is no recipient worker-3")
    for (const id of ["w1", "w2"]) await bench.ok("worker", "setup", "--worker-id", id)
    await w1.call("team_msg", {
      operation: "send",
      session_id: "main",
      to: "w2",
      message: "UNBLOCKED: go",
      data: { a: 1 },
    })
    await w2.call("team_msg", { operation: "send", to: "coordinator", message: "STATUS: fine" })
    expect(await w2.call("message_read")).toMatchObject({ messages: [{ payload: { message: "UNBLOCKED: go", a: 1 } }] })
    const all = {
      messages: [
        { from: "w1", to: "w2" },
        { from: "w2", to: "orchestrator" },
      ],
    }
    expect(await lead.call("team_msg", { operation: "list" })).toMatchObject(all)
    expect((await lead.call<{ messages: Facts[] }>("team_msg", { operation: "list", last: 1 })).messages).toHaveLength(
      1,
    )
    expect((await w1.call<{ messages: Facts[] }>("team_msg", { operation: "list" })).messages).toMatchObject([
      { from: "w1" },
    ])
    expect(await lead.call("team_msg", { operation: "status" })).toMatchObject({
      session_id: "main",
      goal: "Search page",
      members: [{ id: "w1" }, { id: "w2" }],
    })
    await w1.refused("usage", "team_msg", { operation: "send", to: "w2" })
    await w1.refused("team.not_found", "team_msg", { operation: "list", session_id: "other" })
    expect(
      await w1.refused("message.not_allowed", "team_msg", { operation: "send", to: "all", message: "hi" }),
    ).toContain("only the lead")
  })
})

describe("a call that is wrong", () => {
  it("is told so, and nothing is done", async () => {
    using bench = await makeTeam("Schema")
    await using mcp = await connectMcp(bench)
    const before = bench.dump()
    const unknown = await mcp.client.callTool({ name: "task_clam", arguments: {} }).catch((error: unknown) => error)
    expect(unknown).toBeInstanceOf(ProtocolError)
    expect((unknown as ProtocolError).message).toContain('unknown tool "task_clam"; did you mean task_claim?')
    expect(await mcp.refused("input.invalid", "task_claim", { idd: "1", owner: "w1" })).toBe(
      'unknown argument "idd"; did you mean id?',
    )
    expect(await mcp.refused("usage", "task_claim", { id: "1" })).toBe("owner is missing")
    expect(await mcp.refused("input.invalid", "task_claim", { id: 1, owner: "w1" })).toBe('id "1" is not a text')
    expect(await mcp.refused("input.invalid", "task_create", { title: "x", role: "fronted" })).toBe(
      'role "fronted" is not one of frontend, backend, devops, test, docs, security, review, worker; did you mean frontend?',
    )
    expect(await mcp.refused("input.invalid", "task_create", { title: "x", blocked_by: "1" })).toBe(
      'blocked_by "1" is not a list',
    )
    expect(await mcp.refused("usage", "task_claim", { owner: "w1" })).toBe(
      "name the task with id, or take the best ready one with next",
    )
    expect(await mcp.refused("task.not_found", "task_get", { id: "9" })).toBe(
      "task 9 does not exist; see: call task_list",
    )
    await mcp.refused("usage", "evidence_run", { id: "1" })
    await mcp.refused("input.invalid", "agent_exec", { agent: "script", prompt: "-" })
    expect(bench.dump()).toEqual(before)
    expect(await mcp.call("task_list")).toMatchObject({ tasks: [{ id: "1" }] })
  })

  it("names the way out in the words of whoever calls", async () => {
    using bench = await makeTeam("Schema")
    await bench.run(["task", "claim", "1", "--owner", "w2"])
    await using lead = await connectMcp(bench)
    await using worker = await asWorker(bench)
    const refused = "task.already_claimed"
    const typed = await bench.run(["task", "claim", "1", "--owner", "w1", "--json"])
    const told = JSON.parse(typed.stderr) as { message: string; remedy: unknown }
    expect(told.message).toEndWith("; free it with: teamwork task release 1 --owner w2")
    expect(await lead.refused(refused, "task_claim", { id: "1", owner: "w1" })).toEndWith(
      '; free it with: call task_release {"id":"1","owner":"w2"}',
    )
    // Its own tool gives back only what is its own.
    expect(await worker.refused(refused, "task_claim", { id: "1" })).toEndWith(
      "; the lead can free it with: teamwork task release 1 --owner w2",
    )
    const { structuredContent } = await worker.client.callTool({ name: "task_claim", arguments: { id: "1" } })
    const remedy = [{ operation: "task release", fields: { id: "1", owner: "w2" }, to: "free it with" }]
    expect([told.remedy, structuredContent]).toMatchObject([remedy, { code: refused, remedy }])
  })

  it("leaves the server as it was, whatever comes in", async () => {
    using bench = await makeTeam("Schema")
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
    const lines = [
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello }),
      "this is not JSON",
      "[]",
      '{"jsonrpc":"2.0","id":2}',
      '{"jsonrpc":"2.0","id":3,"method":"no/such/method"}',
      '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":7}}',
      JSON.stringify({ jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "x".repeat(100_000) } }),
      '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"task_list","arguments":{}}}',
    ]
    const child = Bun.spawn([process.execPath, MAIN, "mcp"], {
      cwd: bench.cwd,
      env: sandboxEnv({ HOME: bench.home, TEAMWORK_TEST_BASE_DIR: bench.home }),
      stdio: ["pipe", "pipe", "pipe"],
    })
    child.stdin.write(`${lines.join("\n")}\n`)
    child.stdin.flush()
    const answers = new Map<unknown, Facts>()
    const decoder = new TextDecoder()
    let rest = ""
    for await (const chunk of child.stdout) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n")
      rest = parts.pop() ?? ""
      for (const part of parts) {
        const answer = JSON.parse(part) as Facts
        answers.set(answer.id, answer)
      }
      if (answers.has(6) && answers.has(5) && answers.has(4)) break
    }
    child.stdin.end()
    expect(await child.exited).toBe(0)
    expect(answers.get(3)).toMatchObject({ error: { code: -32601 } })
    expect(answers.get(4)).toMatchObject({ error: { code: -32602 } })
    expect(answers.get(5)).toMatchObject({ error: { code: -32602 } })
    expect(answers.get(6)).toMatchObject({ result: { structuredContent: { tasks: [{ id: "1" }] } } })
  })
})

describe("a worker's connection", () => {
  const FORBIDDEN: [string, Facts][] = [
    ["task_create", { title: "More" }],
    ["checkpoint_ask", { name: "final" }],
    ["agent_exec", { agent: "script", prompt: "touch gone" }],
    ["codex_exec", { prompt: "x" }],
    ["agent_status", { job_id: "x" }],
    ["agent_cancel", { job_id: "x" }],
    ["join", { lead: true }],
    ["leave", {}],
  ]

  it("does not offer what is the lead's, nor who it is", async () => {
    using bench = await makeTeam()
    await using mcp = await asWorker(bench)
    const { tools } = await mcp.client.listTools()
    const names = tools.map((tool) => tool.name)
    for (const [name] of FORBIDDEN) expect(names).not.toContain(name)
    for (const { name, inputSchema } of tools) {
      const fields = Object.keys(inputSchema.properties ?? {})
      const told = ["owner", "worker_id", "from", "inbox", "by", "project", "team", "terminal_id"]
      expect({ name, told: fields.filter((field) => told.includes(field)) }).toEqual({ name, told: [] })
    }
    const update = tools.find((tool) => tool.name === "task_update")?.inputSchema.properties ?? {}
    for (const field of ["files", "assignee", "priority", "title", "add_blocked_by", "grant_shared"])
      expect(update).not.toHaveProperty(field)
  })

  it("refuses what is the lead's, and nothing is done", async () => {
    using bench = await makeTeam("Schema")
    await using mcp = await asWorker(bench)
    const before = bench.dump()
    for (const [name, given] of FORBIDDEN)
      expect(await mcp.refused("call.not_allowed", name, given)).toContain("worker w1")
    expect(bench.dump()).toEqual(before)
  })

  const AS_ANOTHER: [string, Facts][] = [
    ["task_claim", { id: "2", owner: "w2" }],
    ["task_claim", { id: "2", worker_id: "w2" }],
    ["task_update", { id: "1", owner: "w2", status: "resolved" }],
    ["task_release", { id: "1", owner: "w2" }],
    ["task_heartbeat", { id: "1", owner: "w2" }],
    ["evidence_add", { id: "1", owner: "w2", add_evidence: ["x"] }],
    ["evidence_run", { id: "1", owner: "w2", command: ["true"] }],
    ["message_send", { from: "orchestrator", to: "w2", message: "You are free" }],
    ["message_read", { inbox: "w2", mark_read: true }],
    ["message_wait", { inbox: "w2" }],
    ["team_msg", { operation: "send", from: "orchestrator", to: "w2", message: "You are free" }],
    ["escalate", { trigger: "requirement_unclear", summary: "?", owner: "w2" }],
    ["ownership_ask", { task: "1", path: "a", reason: "b", owner: "w2" }],
    ["wisdom_add", { text: "x", by: "w2" }],
    ["explore_put", { angle: "x", summary: "y", files: ["."], by: "w2" }],
  ]

  it("cannot act as somebody else", async () => {
    using bench = await makeTeam("Schema", "Endpoint")
    await bench.ok("task", "claim", "--id", "1", "--owner", "w2")
    await using mcp = await asWorker(bench)
    const before = bench.dump()
    for (const [name, given] of AS_ANOTHER)
      expect(await mcp.refused("input.invalid", name, given)).toContain("this connection acts as worker w1")
    expect(bench.dump()).toEqual(before)
  })

  const FOR_ANOTHER: [string, Facts, string][] = [
    ["task_update", { id: "1", status: "resolved" }, "claim.lost"],
    ["task_update", { id: "1", files: ["**"] }, "input.invalid"],
    ["task_update", { id: "1", assignee: "w1" }, "input.invalid"],
    ["task_release", { id: "1" }, "claim.lost"],
    ["task_heartbeat", { id: "1" }, "claim.lost"],
    ["task_claim", { id: "1" }, "task.already_claimed"],
    ["evidence_add", { id: "1", add_evidence: ["x"] }, "claim.lost"],
    ["evidence_run", { id: "1", command: ["touch", "proof"] }, "claim.lost"],
    ["escalate", { trigger: "requirement_unclear", summary: "?", task: "1" }, "claim.lost"],
    ["ownership_ask", { task: "1", path: "a", reason: "b" }, "claim.lost"],
    ["approval_ask", { id: "1", report: "b" }, "claim.lost"],
    ["message_send", { to: "all", message: "hello" }, "message.not_allowed"],
    ["message_send", { to: "w2", type: "shutdown_request", payload: { request_id: "r" } }, "message.not_allowed"],
  ]

  it("cannot touch the task of another", async () => {
    using bench = await makeTeam("Schema")
    await bench.ok("task", "claim", "--id", "1", "--owner", "w2")
    await using mcp = await asWorker(bench)
    const before = bench.dump()
    for (const [name, given, code] of FOR_ANOTHER) await mcp.refused(code, name, given)
    expect(bench.dump()).toEqual(before)
    expect(existsSync(join(bench.cwd, "proof"))).toBe(false)
  })

  it("shares its claims with a second one, and is told when it lost one", async () => {
    using bench = await makeTeam("Schema", "Endpoint")
    await using one = await asWorker(bench)
    await using two = await asWorker(bench)
    expect(await one.call("task_claim", { id: "1" })).toMatchObject({ claim_token: 1, renewed: false })
    expect(await two.call("task_claim", { id: "1" })).toMatchObject({ claim_token: 1, renewed: true })
    expect(await two.call("task_heartbeat", { id: "1" })).toMatchObject({ id: "1" })
    // Given back and taken again, it is another claim: what the first one still does for the old one does not count.
    await two.call("task_release", { id: "1" })
    expect(await two.call("task_claim", { id: "1" })).toMatchObject({ claim_token: 2 })
    expect(await one.refused("claim.lost", "task_update", { id: "1", status: "resolved" })).toContain("token 2")
    expect(await two.call("task_update", { id: "1", status: "resolved" })).toMatchObject({ status: "resolved" })
    const both = await Promise.all(
      [one, two].map((mcp) => mcp.client.callTool({ name: "task_claim", arguments: { next: true } })),
    )
    const outcomes = both.map(({ structuredContent }) => structuredContent as Facts)
    expect(outcomes.map(({ id, code }) => id ?? code).sort()).toEqual(["2", "task.none_available"])
    expect(await one.call("task_get", { id: "2" })).toMatchObject({ claimed_by: "w1", claim_token: 1 })
  })
})

describe("a connection without commands", () => {
  it("runs no programs", async () => {
    using bench = await makeTeam("Schema")
    await bench.ok("task", "claim", "--id", "1", "--owner", "w1")
    await using worker = await connectMcp(bench, ["--as", "w1", "--no-commands"])
    await using lead = await connectMcp(bench, ["--no-commands"])
    for (const mcp of [worker, lead]) {
      const names = (await mcp.client.listTools()).tools.map((tool) => tool.name)
      expect(names.filter((name) => /_(?:run|exec)$/.test(name))).toEqual([])
      await mcp.refused("call.not_allowed", "evidence_run", { id: "1", command: ["touch", "proof"] })
    }
    await lead.refused("call.not_allowed", "agent_exec", { agent: "script", prompt: "touch proof" })
    expect(existsSync(join(bench.cwd, "proof"))).toBe(false)
    expect(await worker.call("task_update", { id: "1", status: "resolved" })).toMatchObject({ status: "resolved" })
  })
})

describe("a connection without claims, as the agent of a worker has it", () => {
  it("leaves the task to the worker: it takes none, and neither moves nor ends it", async () => {
    using bench = await makeTeam("Schema")
    await bench.ok("task", "claim", "--id", "1", "--owner", "w1")
    await using agent = await connectMcp(bench, ["--as", "w1", "--no-claims"])
    const names = (await agent.client.listTools()).tools.map((tool) => tool.name)
    expect(names.filter((name) => /^(?:task_|approval_ask)/.test(name))).toEqual(["task_list", "task_get"])
    for (const [tool, input] of [
      ["task_claim", { next: true }],
      ["task_update", { id: "1", status: "resolved" }],
      ["task_release", { id: "1" }],
    ] as const)
      await agent.refused("call.not_allowed", tool, input)
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "in_progress", claimed_by: "w1" })
    expect(agent.client.getInstructions()).toContain("You work for worker w1")
    expect(agent.client.getInstructions()).not.toContain("task_claim")
    expect(await agent.call("ownership_ask", { task: "1", path: "package.json", reason: "new" })).toMatchObject({
      asked_by: "w1",
    })
  })
})

describe("a session that joined", () => {
  const inSession = (bench: Bench, session: string, prepare?: Parameters<typeof connectMcp>[2]) =>
    connectMcp(bench, [], { ...prepare, env: { CLAUDE_CODE_SESSION_ID: session } })

  it("acts as what it joined as, and its tools change with that", async () => {
    using bench = await makeTeam("Schema")
    let changes = 0
    await using mcp = await inSession(bench, "s1", {
      prepare: (client) => client.setNotificationHandler("notifications/tools/list_changed", () => void changes++),
    })
    const offers = async (name: string) => (await mcp.client.listTools()).tools.some((tool) => tool.name === name)
    expect(await offers("task_create")).toBe(true)
    expect(await mcp.call("join", { role: "backend" })).toMatchObject({ worker: "w1", terminal_id: "s1" })
    await until(() => changes === 1)
    expect(await offers("task_create")).toBe(false)
    expect(await mcp.call("task_claim", { next: true })).toMatchObject({ claimed_by: "w1" })
    await mcp.refused("call.not_allowed", "join", { lead: true, take_over: true })
    expect(await mcp.call("leave")).toMatchObject({ released: ["1"] })
    expect(await offers("task_create")).toBe(true)
  })

  it("is found from a terminal inside of it, too", async () => {
    using bench = await makeTeam("Schema")
    await using mcp = await inSession(bench, "s1")
    await bench.run(["join", "--worker-id", "w7"], { env: { CLAUDE_CODE_SESSION_ID: "s1" } })
    expect(await mcp.call("task_claim", { next: true })).toMatchObject({ claimed_by: "w7" })
  })

  it("as a lead that leaves all work to workers runs no programs", async () => {
    using bench = await makeTeam("Schema")
    await using mcp = await inSession(bench, "s1")
    await mcp.call("join", { lead: true, delegation: "strict" })
    await mcp.refused("call.not_allowed", "evidence_run", { id: "1", command: ["touch", "proof"] })
    await mcp.refused("call.not_allowed", "codex_exec", { prompt: "x" })
    for (const name of ["leave", "join"])
      expect(await mcp.refused("call.not_allowed", name)).toContain("neither leaves nor joins otherwise")
    const names = (await mcp.client.listTools()).tools.map((tool) => tool.name)
    expect(names).not.toContain("leave")
    expect(existsSync(join(bench.cwd, "proof"))).toBe(false)
    expect(await mcp.call("task_create", { title: "More" })).toMatchObject({ id: "2" })
    await bench.ok("cancel", "--reason", "enough")
    expect(await mcp.call("leave")).toMatchObject({ part: "lead" })
  })

  it("can do nothing more once another took its place", async () => {
    using bench = await makeTeam("Schema")
    await using mcp = await inSession(bench, "s1")
    await mcp.call("join", { worker_id: "w1" })
    await bench.run(["join", "--worker-id", "w1", "--take-over"], { env: { CLAUDE_CODE_SESSION_ID: "s2" } })
    expect(await mcp.refused("call.not_allowed", "task_create", { title: "x" })).toContain("took the place")
    // Its program asks the hook first, which has nothing to say, and must not make a lead of it.
    const call = { session_id: "s1", cwd: bench.cwd, tool_name: "mcp__teamwork__task_create", tool_input: {} }
    const asked = await bench.run(["hook", "pre-tool-use"], { input: JSON.stringify(call) })
    expect(asked).toMatchObject({ exitCode: 0, stdout: "" })
    await mcp.refused("call.not_allowed", "task_create", { title: "x" })
    await mcp.refused("call.not_allowed", "task_claim", { next: true })
    await expect(mcp.client.readResource({ uri: "teamwork://team/messages" })).rejects.toThrow("took the place")
    expect(await mcp.call("join", { worker_id: "w2" })).toMatchObject({ worker: "w2" })
  })

  it("has had nothing to do with a later team of the same name", async () => {
    using bench = await makeTeam("Schema")
    await using mcp = await inSession(bench, "s1")
    await mcp.call("join", { lead: true })
    await bench.ok("project", "clean", "--purge", "--force")
    await bench.ok("project", "create", "--goal", "g")
    const call = { session_id: "s1", cwd: bench.cwd, prompt: "go on" }
    await bench.run(["hook", "prompt"], { input: JSON.stringify(call) })
    expect(await mcp.call("task_create", { title: "x" })).toMatchObject({ id: "1" })
  })
})

describe("a long call", () => {
  const SLEEPER = ["sh", "-c", 'echo $$ > "$0"; echo half way; sleep 600 & wait', "pid"]

  it("says that it goes on", async () => {
    using bench = await makeTeam("Schema")
    await using mcp = await asWorker(bench)
    await mcp.call("task_claim", { id: "1" })
    const said: { progress: number; message?: string }[] = []
    const controller = new AbortController()
    const running = mcp.client.callTool(
      { name: "evidence_run", arguments: { id: "1", command: SLEEPER } },
      { signal: controller.signal, onprogress: (progress) => void said.push(progress) },
    )
    running.catch(() => {})
    const halfWay = () => said.filter(({ message }) => message === "half way").map(({ progress }) => progress)
    await until(() => halfWay().length >= 2)
    expect(halfWay()[1]).toBeGreaterThan(halfWay()[0] ?? 0)
    controller.abort()
    await expect(running).rejects.toThrow()
    const waiting: number[] = []
    const stop = new AbortController()
    const wait = mcp.client.callTool(
      { name: "message_wait", arguments: { timeout: 600 } },
      { signal: stop.signal, onprogress: ({ progress }) => void waiting.push(progress) },
    )
    wait.catch(() => {})
    await until(() => waiting.length >= 1)
    stop.abort()
  })

  it("that is cancelled ends what it runs and records nothing", async () => {
    using bench = await makeTeam("Schema")
    await using mcp = await asWorker(bench)
    await mcp.call("task_claim", { id: "1" })
    const controller = new AbortController()
    const running = mcp.client.callTool(
      { name: "evidence_run", arguments: { id: "1", command: SLEEPER } },
      { signal: controller.signal },
    )
    running.catch(() => {})
    const pid = await pidIn(bench)
    controller.abort()
    await expect(running).rejects.toThrow()
    await until(() => !isAlive(pid))
    // The server goes on, and the claim is as it was.
    expect(await mcp.call("task_get", { id: "1" })).toMatchObject({ claimed_by: "w1", evidence: [] })
    expect(await mcp.call("task_heartbeat", { id: "1" })).toMatchObject({ status: "in_progress" })
  })

  it.each(["its client", "a signal"])("ends with %s, and the claim stays", async (end) => {
    using bench = await makeTeam("Schema")
    const mcp = await asWorker(bench)
    await mcp.call("task_claim", { id: "1" })
    mcp.client.callTool({ name: "evidence_run", arguments: { id: "1", command: SLEEPER } }).catch(() => {})
    mcp.client.callTool({ name: "message_wait", arguments: { timeout: 600 } }).catch(() => {})
    const pid = await pidIn(bench)
    if (end === "a signal") process.kill(mcp.pid, "SIGTERM")
    else await mcp.client.close()
    await until(() => !isAlive(pid) && !isAlive(mcp.pid))
    expect(await bench.ok("task", "get", "1")).toMatchObject({ claimed_by: "w1", status: "in_progress", evidence: [] })
  })

  async function pidIn(bench: Bench): Promise<number> {
    const file = join(bench.cwd, "pid")
    await until(() => existsSync(file) && readFileSync(file, "utf8").includes("\n"))
    return Number(readFileSync(file, "utf8"))
  }
})

describe("jobs of agents", () => {
  it("are started, asked about and cancelled under their own names", async () => {
    using bench = await makeTeam()
    await using mcp = await connectMcp(bench)
    const { job_id } = await mcp.call<{ job_id: string }>("agent_exec", { agent: "script", prompt: "echo hello" })
    await until(async () => (await mcp.call("agent_status", { job_id })).status === "completed")
    expect(await mcp.call("agent_status", { job_id })).toMatchObject({ agent: "script", output: "hello" })
    expect(await mcp.call("agent_exec", { agent: "script", prompt: "echo again", wait: true })).toMatchObject({
      status: "completed",
      output: "again",
    })
    // Whatever agent does it, the other names tell just this.
    expect(await mcp.call("codex_status", { jobId: job_id })).toEqual({ status: "completed", output: "hello" })
    const long = await mcp.call<{ job_id: string }>("agent_exec", { agent: "script", prompt: "sleep 600" })
    expect(await mcp.call("gemini_status", { jobId: long.job_id })).toMatchObject({ status: "running" })
    expect(await mcp.call("gemini_cancel", { jobId: long.job_id })).toMatchObject({ status: "failed" })
    await mcp.refused("job.not_found", "codex_status", { jobId: "no-such-job" })
    expect(await mcp.refused("input.invalid", "codex_exec", { prompt: "x", agent: "claude" })).toContain("agent")
  })

  it("of codex and gemini answer with the id of the job", async () => {
    using bench = await makeTeam()
    await using mcp = await connectMcp(bench)
    for (const agent of ["codex", "gemini"]) {
      const started = await mcp.call(`${agent}_exec`, { prompt: "Add a test", working_directory: bench.cwd })
      expect(started).toEqual({ jobId: expect.any(String) })
      expect(await mcp.call(`${agent}_status`, started)).toEqual({
        status: expect.any(String),
        output: expect.any(String),
      })
      await mcp.call(`${agent}_cancel`, started)
    }
  })
})

describe("resources", () => {
  const read = async (mcp: Mcp, uri: string) => {
    const { contents } = await mcp.client.readResource({ uri })
    return contents[0] as { mimeType: string; text: string }
  }

  it("show the team as it is", async () => {
    using bench = await makeTeam("Schema")
    await using mcp = await asWorker(bench)
    const { resources } = await mcp.client.listResources()
    for (const { uri, mimeType } of resources) expect((await read(mcp, uri)).mimeType).toBe(mimeType ?? "")
    expect(JSON.parse((await read(mcp, "teamwork://team/status")).text)).toMatchObject({ goal: "Search page" })
    expect(JSON.parse((await read(mcp, "teamwork://team/tasks")).text)).toMatchObject([{ title: "Schema" }])
    expect(JSON.parse((await read(mcp, "teamwork://team/tasks/1")).text)).toMatchObject({
      title: "Schema",
      evidence: [],
    })
    expect((await read(mcp, "teamwork://team/whiteboard")).text).toStartWith("# shop/main")
    for (const id of ["w1", "w2"]) await bench.ok("worker", "setup", "--worker-id", id)
    await bench.ok("mailbox", "send", "--from", "orchestrator", "--to", "w1", "--message", "Hello")
    await bench.ok("mailbox", "send", "--from", "orchestrator", "--to", "w2", "--message", "Not yours")
    expect(JSON.parse((await read(mcp, "teamwork://team/messages")).text)).toMatchObject([{ to: "w1" }])
    const { resourceTemplates } = await mcp.client.listResourceTemplates()
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "teamwork://team/tasks/{id}" }])
    for (const uri of ["teamwork://team/nothing", "teamwork://team/tasks/a%zz", "file:///etc/passwd"])
      await expect(mcp.client.readResource({ uri })).rejects.toThrow("there is no resource")
    await expect(mcp.client.readResource({ uri: "teamwork://team/tasks/9" })).rejects.toThrow("task.not_found")
  })

  it.each([false, true])("tell of changes to whoever subscribed (protocol of 2026: %p)", async (isModern) => {
    using bench = await makeTeam("Schema", "Endpoint")
    await bench.ok("worker", "setup", "--worker-id", "w1")
    const changed: string[] = []
    await using mcp = await connectMcp(bench, ["--as", "w1"], {
      isModern,
      prepare: (client) =>
        client.setNotificationHandler("notifications/resources/updated", ({ params }) => void changed.push(params.uri)),
    })
    const uris = ["teamwork://team/tasks/2", "teamwork://team/messages"]
    if (isModern) await mcp.client.listen({ resourceSubscriptions: uris })
    else for (const uri of uris) await mcp.client.subscribeResource({ uri })
    await bench.ok("evidence", "add", "--id", "2", "--add-evidence", "seen")
    await until(() => changed.includes("teamwork://team/tasks/2"))
    expect(new Set(changed)).toEqual(new Set(["teamwork://team/tasks/2"]))
    await bench.ok("mailbox", "send", "--from", "orchestrator", "--to", "w1", "--message", "Hello")
    await until(() => changed.includes("teamwork://team/messages"))
    if (isModern) return
    await mcp.client.unsubscribeResource({ uri: "teamwork://team/messages" })
    changed.length = 0
    await bench.ok("mailbox", "send", "--from", "orchestrator", "--to", "w1", "--message", "Again")
    await bench.ok("task", "claim", "--id", "2", "--owner", "w2")
    await until(() => changed.includes("teamwork://team/tasks/2"))
    expect(changed).not.toContain("teamwork://team/messages")
  })

  it.each([false, true])("tell of what happens right after the answer (protocol of 2026: %p)", async (isModern) => {
    using bench = await makeTeam("Schema")
    await bench.ok("worker", "setup", "--worker-id", "w1")
    await using other = await asWorker(bench, "w2")
    await other.call("team_status")
    for (let round = 1; round <= 5; round++) {
      let told = 0
      const options: Parameters<typeof connectMcp>[2] = {
        isModern,
        prepare: (client) => client.setNotificationHandler("notifications/resources/updated", () => void told++),
      }
      await using mcp = await connectMcp(bench, ["--as", "w1"], options)
      const uri = "teamwork://team/messages"
      if (isModern) await mcp.client.listen({ resourceSubscriptions: [uri] })
      else await mcp.client.subscribeResource({ uri })
      await other.call("message_send", { to: "w1", message: "Hello" })
      await until(() => told > 0)
    }
  })

  it.each([false, true])(
    "tell of a team that comes to be, also in another store (protocol of 2026: %p)",
    async (isModern) => {
      using bench = makeBench()
      const changed = new Set<string>()
      const options: Parameters<typeof connectMcp>[2] = {
        isModern,
        prepare: (client) =>
          client.setNotificationHandler(
            "notifications/resources/updated",
            ({ params }) => void changed.add(params.uri),
          ),
      }
      await using mcp = await connectMcp(bench, [], options)
      const uri = "teamwork://team/status"
      if (isModern) await mcp.client.listen({ resourceSubscriptions: [uri] })
      else await mcp.client.subscribeResource({ uri })
      await bench.ok("project", "create", "--goal", "Search page")
      await until(() => changed.has(uri))
      for (const end of ["", "-wal", "-shm"]) rmSync(`${bench.home}/teamwork.db${end}`)
      changed.clear()
      await bench.ok("project", "create", "--goal", "Another page")
      await until(() => changed.has(uri))
    },
  )
})

describe("prompts", () => {
  it("say what to do with a task, a goal and work that is done", async () => {
    using bench = await makeTeam("Schema")
    await using lead = await connectMcp(bench)
    await using worker = await asWorker(bench)
    const names = async (mcp: Mcp) => (await mcp.client.listPrompts()).prompts.map((prompt) => prompt.name)
    expect(await names(lead)).toEqual(["work_on_task", "plan_goal", "review"])
    expect(await names(worker)).toEqual(["work_on_task", "review"])
    const text = async (mcp: Mcp, name: string, given: Record<string, string>) => {
      return wordsOf(await mcp.client.getPrompt({ name, arguments: given }))
    }
    await worker.call("task_claim", { id: "1" })
    const work = await text(worker, "work_on_task", { id: "1" })
    expect(work).toContain("You are worker w1 of the team shop/main")
    expect(work).toContain("Schema")
    expect(await text(lead, "plan_goal", { goal: "Sell more" })).toContain("# Goal\n\nSell more")
    await expect(text(worker, "plan_goal", { goal: "Sell more" })).rejects.toThrow("there is no prompt plan_goal")
    await expect(text(worker, "work_on_task", {})).rejects.toThrow("id is missing")
    await expect(text(worker, "work_on_task", { id: "9" })).rejects.toThrow("task.not_found")
  })

  it("show a reviewer what a task changed", async () => {
    using bench = await makeTeam()
    git(bench.cwd, "init", "-q", "-b", "main")
    git(bench.cwd, "commit", "-q", "--allow-empty", "-m", "begin")
    await bench.ok("task", "create", "--title", "Schema", "--acceptance", "it is there")
    await bench.ok("worktree", "create", "w1")
    await bench.ok("task", "claim", "--id", "1", "--owner", "w1")
    const [{ path }] = (await bench.ok<{ path: string }[]>("worktree", "list")) as [{ path: string }]
    await Bun.write(join(path, "schema.sql"), "create table item")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "schema")
    await using mcp = await connectMcp(bench)
    const text = wordsOf(await mcp.client.getPrompt({ name: "review", arguments: { id: "1" } }))
    expect(text).toContain("- it is there")
    expect(text).toContain("+create table item")
  })
})

describe("a store that is not there", () => {
  it("is told in every call, and found again when it is back", async () => {
    await using schema = await freshSchema()
    const url = new URL(schema.url)
    await using proxy = await startProxy({ host: url.hostname, port: Number(url.port) })
    url.hostname = "127.0.0.1"
    url.port = String(proxy.port)
    using bench = makeBench()
    const store = ["--store", url.href]
    await bench.ok("project", "create", "--goal", "g", ...store)
    await bench.ok("task", "create", "--title", "Schema", ...store)
    await using mcp = await connectMcp(bench, ["--as", "w1", ...store])
    expect(await mcp.call("task_list")).toMatchObject({ tasks: [{ id: "1" }] })
    await proxy.stop()
    await mcp.refused("store.unavailable", "task_claim", { id: "1" })
    await mcp.refused("store.unavailable", "task_list")
    await proxy.start()
    expect(await mcp.call("task_claim", { id: "1" })).toMatchObject({ claimed_by: "w1" })
  })

  it("at the start is no reason not to start", async () => {
    using bench = makeBench()
    const file = join(bench.home, "teamwork.db")
    await Bun.write(file, "this is not a database, and long enough to be looked at as one".repeat(100))
    await using mcp = await asWorker(bench)
    await mcp.refused("store.not_a_database", "task_list")
    rmSync(file)
    await bench.ok("project", "create", "--goal", "g")
    expect(await mcp.call("task_list")).toEqual({ tasks: [] })
    // A file that is deleted would go on taking writes that nobody sees.
    for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true })
    await mcp.refused("team.not_found", "task_list")
    // So would one in whose place another was put.
    for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true })
    await bench.ok("project", "create", "--goal", "g")
    await bench.ok("task", "create", "--title", "Schema")
    expect(await mcp.call("task_claim", { id: "1" })).toMatchObject({ claimed_by: "w1" })
    expect(await bench.ok("task", "get", "1")).toMatchObject({ claimed_by: "w1" })
  })
})

interface Proxy extends AsyncDisposable {
  readonly port: number
  stop(): Promise<void>
  start(): Promise<void>
}

/** A way to the database that can be cut. */
async function startProxy(to: { host: string; port: number }): Promise<Proxy> {
  const open = new Set<Socket>()
  let server: Server
  let port = 0
  const start = () =>
    new Promise<void>((resolve) => {
      server = createServer((client) => {
        const far = dial(to)
        for (const end of [client, far]) {
          open.add(end)
          end.on("error", () => {})
          end.on("close", () => open.delete(end))
        }
        client.pipe(far).pipe(client)
      })
      server.listen(port, "127.0.0.1", () => {
        port = (server.address() as { port: number }).port
        resolve()
      })
    })
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const end of open) end.destroy()
      server.close(() => resolve())
    })
  await start()
  return {
    get port() {
      return port
    },
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
