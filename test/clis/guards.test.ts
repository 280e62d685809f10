// A real session joins a team by itself, and its hooks hold it to that: what it may write, and what is noted of it.
import { expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { claude } from "../../src/agents/claude/program.ts"
import { quoteArgument } from "../../src/lib/text/quote-argument.ts"
import { type Data, git, MAIN, makeBench } from "../e2e/bench.ts"
import { prepareRepository } from "../e2e/command-cases.ts"
import { type Cli, commandOf, FAKE_KEY, makeWorld, NO_FILE, readIn } from "./cli-world.ts"
import { startFakeModel } from "./fake-model.ts"
import { OWN_TOOLS } from "./own-tools.ts"
import { findPinned } from "./pinned.ts"

setDefaultTimeout(200_000)

it("Claude Code is kept from what is not its own, and its checks are observed, also those that fail", async () => {
  using team = makeBench()
  const at = ["--project", "shop", "--team", "main"]
  await team.ok("project", "create", "--goal", "x", ...at)
  await team.ok("task", "create", "--id", "1", "--title", "One", "--files", "src/**", "--check", "./verify.sh", ...at)
  const teamwork = (...args: string[]) =>
    `TEAMWORK_HOME=${quoteArgument(team.home)} ${[process.execPath, MAIN, ...args].map(quoteArgument).join(" ")}`
  const cli: Cli = {
    ...{ program: claude, model: "sonnet", ...OWN_TOOLS.claude, structured: () => [], startMs: 6_000 },
    ...{ hasSandbox: false, tellsRetryTime: true, tellsUsageWhileRunning: true, brokenAnswer: "crashed" },
    ...{ keepsBrokenText: false, blockWord: "block" },
    variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: FAKE_KEY, CLAUDE_CODE_MAX_RETRIES: "1" }),
    settings: () => ({
      hooks: Object.fromEntries(
        ["PreToolUse", "PostToolUse", "PostToolUseFailure"].map((event) => [
          event,
          [{ matcher: "*", hooks: [{ type: "command", command: teamwork("hook", event) }] }],
        ]),
      ),
    }),
  }
  const steps = [
    cli.write("free.txt", "a stranger may\n"),
    cli.run(teamwork("join", "--worker-id", "w1", ...at)),
    cli.write("src/early.txt", "no task yet\n"),
    cli.run(teamwork("task", "claim", "1", "--owner", "w1", ...at)),
    cli.write("src/mine.txt", "mine\n"),
    cli.write("other.txt", "not mine\n"),
    cli.run("./verify.sh"),
    cli.run("touch src/right && ./verify.sh"),
    cli.run("ls"),
  ]
  await using world = makeWorld(cli, { work: [...steps.map((tool) => ({ tool })), { text: "over" }] })
  mkdirSync(join(world.worktree, "src"))
  writeFileSync(join(world.worktree, "verify.sh"), "#!/bin/sh\necho verified\ntest -e src/right || exit 3\n", {
    mode: 0o755,
  })
  const { result, events } = await world.run({ prompt: "[[work]]", permission: "full" })
  expect(result).toMatchObject({ reason: "done", answer: "over" })
  const outputs = events.flatMap((event) => (event.type === "tool_result" && !event.ok ? [event.output] : []))
  expect(outputs).toEqual([
    expect.stringContaining("worker w1 holds no task"),
    expect.stringContaining('"other.txt" does not belong to task 1, which owns src/**; ask the lead'),
    expect.stringContaining("Exit code 3"),
  ])
  expect(readIn(world, "free.txt")).toBe("a stranger may\n")
  expect(readIn(world, "src/early.txt")).toBe(NO_FILE)
  expect(readIn(world, "src/mine.txt")).toBe("mine\n")
  expect(readIn(world, "other.txt")).toBe(NO_FILE)
  expect(await team.ok<Data[]>("evidence", "list", "--id", "1", ...at)).toMatchObject([
    { type: "file", trust: "observed", path: "src/mine.txt", action: "created", by: "w1" },
    { type: "command", trust: "observed", command: "./verify.sh", exit_code: 3, by: "w1" },
    { type: "command", trust: "observed", command: "touch src/right && ./verify.sh", exit_code: 0, output: "verified" },
  ])
})

it("the agent of a worker asks for a file by our MCP server, and writes it once the lead has granted it", async () => {
  using bench = makeBench()
  prepareRepository(bench)
  await bench.ok("project", "create", "--goal", "x")
  const how = ["--agent", "claude", "--files", "src/**", "--check", "grep granted other.txt"]
  await bench.ok("task", "create", "--id", "1", "--title", "One", "--description", "[[work]]", ...how)
  const { write, run, mcp } = OWN_TOOLS.claude
  const steps = [
    write("other.txt", "too early\n"),
    mcp("teamwork", "ownership_ask", { task: "1", path: "other.txt", reason: "it is needed" }),
    // For want of a lead; the agent is told to ask, and the shell finds the same team.
    run("teamwork ownership grant 1 1 --by orchestrator"),
    write("other.txt", "granted\n"),
    write("src/mine.txt", "mine\n"),
    run("grep granted other.txt"),
  ]
  await using model = startFakeModel({ work: [...steps.map((tool) => ({ tool })), { text: "over" }] })
  await using worker = bench.start(["worker", "--once"], {
    TEAMWORK_AGENTS_CLAUDE_COMMAND: JSON.stringify([commandOf(findPinned("claude"))]),
    ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: FAKE_KEY, CLAUDE_CODE_MAX_RETRIES: "1" },
  })
  expect([await worker.exited, worker.err.join("\n")]).toEqual([0, expect.any(String)])
  expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "resolved", claimed_by: "w1" })
  const head = "refs/teamwork/shop/main/1/1/head"
  expect(git(bench.cwd, "show", `${head}:other.txt`)).toBe("granted")
  expect(git(bench.cwd, "show", `${head}:src/mine.txt`)).toBe("mine")
  expect(await bench.ok<Data[]>("ownership", "list", "1")).toMatchObject([
    { pattern: "other.txt", status: "granted", asked_by: "w1", reason: "it is needed" },
  ])
  const seen = (await bench.ok<Data[]>("evidence", "list", "--id", "1")).filter(({ trust }) => trust === "observed")
  expect(seen).toMatchObject([{ command: "grep granted other.txt", exit_code: 0, output: "granted", by: "w1" }])
})
