// One-shot jobs of agents (R157, R179-R181): each in a process of its own, with all that is known of it in a folder.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { identityOf, isRunning } from "../../src/lib/process/process-identity.ts"
import { processesMarked } from "../../src/lib/process/process-tree.ts"
import { FIXTURE_AGENT } from "../support/agents.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { type Bench, type Data, MAIN, makeBench, TEST_TIMEOUT_MS, until } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const PROGRAMS = ["claude", "codex", "gemini", "opencode"] as const

/** All agent programs are the fixture. */
function makeAgentBench(): Bench {
  const bench = makeBench()
  const agents = Object.fromEntries(
    PROGRAMS.map((name) => [name, { command: [process.execPath, FIXTURE_AGENT, name] }]),
  )
  writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents }))
  return { ...bench, [Symbol.dispose]: () => endJobs(bench) }
}

/** A test that failed half-way may have left a job that nobody else will end. */
function endJobs(bench: Bench): void {
  const root = join(bench.home, "jobs")
  for (const job of existsSync(root) ? readdirSync(root) : []) {
    const file = fileOf(bench, job, "process.json")
    const identity = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined
    const isOurs = identity === undefined || identity.pid === process.pid || !isRunning(identity)
    for (const pid of [...(isOurs ? [] : [identity.pid]), ...leftOf(job)]) tryKill(pid)
  }
  bench[Symbol.dispose]()
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It ended in this very moment, as a job does that has just written its result.
  }
}

/** Says a word, then waits until somebody makes the file `go`. */
const WAITING = "echo working; while [ ! -e go ]; do sleep 0.02; done; echo finished"

async function exec(bench: Bench, agent: string, prompt: string): Promise<string> {
  const { job_id } = await bench.ok<{ job_id: string }>("agent", "exec", "--agent", agent, "--prompt", prompt)
  return job_id
}

const fileOf = (bench: Bench, job: string, name: string) => join(bench.home, "jobs", job, name)
const read = (bench: Bench, job: string, name: string) => readFileSync(fileOf(bench, job, name), "utf8")
const status = (bench: Bench, job: string) => bench.ok<Data>("agent", "status", job)
const pidOf = (bench: Bench, job: string): number => JSON.parse(read(bench, job, "process.json")).pid
const leftOf = (job: string) => processesMarked(`TEAMWORK_JOB_${job.replaceAll("-", "")}=1`, sandboxEnv())

async function untilSaid(bench: Bench, job: string, word: string): Promise<void> {
  await until(() => existsSync(fileOf(bench, job, "output.txt")) && read(bench, job, "output.txt").includes(word))
}

async function untilEnded(bench: Bench, job: string): Promise<void> {
  await until(() => existsSync(fileOf(bench, job, "result.json")))
}

it("an agent commits in a name, also where nobody told git one", async () => {
  using bench = makeBench()
  const commit = "git commit --quiet --allow-empty --message=x && git log -1 --format='%an <%ae>'"
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: bench.cwd, env: sandboxEnv() })
  git("init", "--quiet")
  const author = async (env: Record<string, string | undefined> = {}) => {
    const args = ["agent", "exec", "--agent", "script", "--wait", "--prompt", commit]
    const { stdout } = await bench.run(args, { env: { GIT_CONFIG_GLOBAL: undefined, ...env } })
    return JSON.parse(stdout).data.output
  }
  expect(await author()).toBe("teamwork script <noreply@teamwork.invalid>")
  git("config", "user.name", "Ann")
  git("config", "user.email", "ann@example.com")
  expect(await author()).toBe("Ann <ann@example.com>")
  await bench.ok("config", "set", "git.authorName", "Team Bot")
  expect(await author()).toBe("Team Bot <ann@example.com>")
  expect(await author({ TEAMWORK_GIT_AUTHOR_EMAIL: "bot@example.com" })).toBe("Team Bot <bot@example.com>")
})

describe("agent list (R157)", () => {
  it("tells version, login and abilities, or why an agent is not available", async () => {
    using bench = makeBench()
    const answering = (text: string) => ["sh", "-c", text]
    const agents = {
      claude: { command: answering("echo '2.1.0 (Claude Code)'") },
      codex: { command: ["/no/such/codex"] },
      gemini: { command: answering("echo broken; exit 3") },
    }
    writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents }))
    const env = { ANTHROPIC_API_KEY: "not-a-real-key" }
    const { data } = (await bench.run(["agent", "list"], { env })).json<{ data: Data[] }>()
    expect(data[0]).toMatchObject({ name: "claude", is_available: true, version: "2.1.0", is_logged_in: true })
    expect(data[0]).toMatchObject({ reach: "ANTHROPIC_API_KEY", missing: null })
    expect(data[0]?.capabilities).toMatchObject({ resume: true, mcp: true, structured_answer: true })
    const price = { input: 5, cached: 0.5, output: 30, as_of: "2026-06-04" }
    const model = { model: "gpt-5.5", price }
    expect(data[1]).toEqual({
      ...{ name: "codex", is_available: false, why: "/no/such/codex is not installed", rate_limited_until: null },
      ...{ left_out: null, quota: [] },
      missing: "install it with: npm install -g @openai/codex",
      models: { haiku: model, sonnet: model, opus: model },
    })
    expect(data[2]).toMatchObject({
      name: "gemini",
      is_available: false,
      why: expect.stringMatching(/with 3: broken$/),
    })
    expect(data[5]).toMatchObject({ name: "script", is_available: true, version: "1.0" })
  })
})

describe("the command of an agent", () => {
  it("is not for a repository to choose", async () => {
    using bench = makeBench()
    const set = ["config", "set", "agents.claude.command", "evil"]
    const said = "agents.claude.command names a program that is run, so the file of a repository cannot set it"
    expect(await bench.refused("config.bad_value", ...set, "--repository")).toContain(said)
    expect(existsSync(join(bench.cwd, "teamwork.json"))).toBe(false)
    writeFileSync(join(bench.cwd, "teamwork.json"), '{"agents":\n{"claude":{"command":["evil"]}}}')
    expect(await bench.refused("config.bad_value", "agent", "list")).toStartWith(`teamwork.json:2: ${said}`)
    writeFileSync(join(bench.cwd, "teamwork.json"), '{"agents": {"claude": {"model": {"opus": "big-one"}}}}')
    await bench.ok(...set)
    expect(await bench.ok<Data[]>("agent", "list")).toMatchObject([
      { why: "evil is not installed" },
      {},
      {},
      {},
      {},
      {},
    ])
  })
})

describe("agent exec and status (R179-R181)", () => {
  it("names the job at once, tells what it says while it runs, and how it ended", async () => {
    using bench = makeAgentBench()
    const job = await exec(bench, "script", WAITING)
    await untilSaid(bench, job, "working")
    expect(await status(bench, job)).toMatchObject({ status: "running", output: "working", reason: null })
    writeFileSync(join(bench.cwd, "go"), "")
    await untilEnded(bench, job)
    expect(await status(bench, job)).toMatchObject({
      ...{ job_id: job, agent: "script", status: "completed", reason: "done" },
      ...{ output: "working\nfinished", is_output_cut: false },
    })
  })

  it.each(PROGRAMS)("keeps the raw stream and the events of %s", async (agent) => {
    using bench = makeAgentBench()
    const done = await bench.ok<Data>("agent", "exec", "--agent", agent, "[[hello]]", "--wait")
    expect(done).toMatchObject({ agent, status: "completed", output: "all done" })
    const job = String(done.job_id)
    const lines = (name: string) => read(bench, job, name).trim().split("\n")
    // What the program itself prints for this prompt, apart from ids and times it makes up.
    expect(lines("stream.jsonl").length).toBeGreaterThan(1)
    expect(lines("stream.jsonl").join("\n")).toContain("I will write a file.")
    for (const line of lines("stream.jsonl")) expect(() => JSON.parse(line)).not.toThrow()
    const events = lines("events.jsonl").map((line) => JSON.parse(line).type)
    expect([events[0], events.at(-1)]).toEqual(["started", "finished"])
    expect(read(bench, job, "output.txt")).toContain("I will write a file.")
  })

  it("tells why a job failed", async () => {
    using bench = makeAgentBench()
    const limited = await bench.run(["agent", "exec", "--agent", "codex", "[[rate-limit]]", "--wait"])
    expect(limited.exitCode).toBe(1)
    expect(limited.json<{ data: Data }>().data).toMatchObject({ status: "failed", reason: "rate-limited" })
    const job = await exec(bench, "script", "echo before; exit 7")
    await untilEnded(bench, job)
    expect(await status(bench, job)).toMatchObject({
      ...{ status: "failed", reason: "crashed" },
      output: "before\ncrashed: command 1 ended with 7: echo before; exit 7",
    })
    const slow = await bench.run(["agent", "exec", "--agent", "claude", "[[hang]]", "--timeout", "0.3", "--wait"])
    expect(slow.json<{ data: Data }>().data).toMatchObject({ status: "failed", reason: "timed-out" })
  })

  it("gives the agent its folder and nothing of our environment", async () => {
    using bench = makeAgentBench()
    const folder = join(bench.cwd, "sub")
    mkdirSync(folder)
    const env = { DEPLOY_NAME: "secret-ish", TEAMWORK_AGENTS_SCRIPT_COMMAND: "sh" }
    const run = await bench.run(
      ["agent", "exec", "--agent", "script", "pwd; env", "--working-directory", "sub", "--wait"],
      { env },
    )
    const { output } = run.json<{ data: { output: string } }>().data
    expect(output).toStartWith(`${folder}\n`)
    expect(output).not.toContain("DEPLOY_NAME")
    expect(output).not.toContain("TEAMWORK_AGENTS")
  })

  it("takes a prompt of any length from standard input", async () => {
    using bench = makeAgentBench()
    // More than a pipe holds: it arrives only if somebody waits until it is read.
    const input = `${"x".repeat(300_000)}\n[[hello]]`
    const run = await bench.run(["agent", "exec", "--agent", "claude", "-", "--wait"], { input })
    const { data } = run.json<{ data: Data }>()
    expect(data).toMatchObject({ status: "completed" })
    expect(JSON.parse(read(bench, String(data.job_id), "job.json")).prompt).toBe(input)
    const empty = await bench.run(["agent", "exec", "--agent", "claude", "-"], { input: " " })
    expect(empty).toMatchObject({ exitCode: 2, stderr: "Error: --prompt is empty\n" })
  })

  it("takes the model by name, or by tier as configured", async () => {
    using bench = makeAgentBench()
    const env = {
      TEAMWORK_AGENTS_CODEX_COMMAND: JSON.stringify(["sh", "-c", 'echo "$@" >> args.txt', "sh"]),
      TEAMWORK_AGENTS_CODEX_MODEL_OPUS: "big-one",
      TEAMWORK_TEAM_DEFAULT_MODEL: "opus",
    }
    const exec = ["agent", "exec", "--agent", "codex", "x", "--wait"]
    for (const flags of [[], ["--tier", "opus"], ["--model", "mine"], ["--tier", "haiku"]])
      await bench.run([...exec, ...flags], { env })
    const launches = readFileSync(join(bench.cwd, "args.txt"), "utf8").trim().split("\n")
    expect(launches.map((args) => /(?:-m|--model) (\S+)/.exec(args)?.[1])).toEqual([
      "big-one",
      "big-one",
      "mine",
      expect.not.stringMatching(/^(big-one|mine)$/),
    ])
  })

  it("puts an agent of the Agent Client Protocol into the mode and gives it the model that are configured", async () => {
    using bench = makeBench()
    const command = [process.execPath, join(import.meta.dir, "../fixtures/agents/acp-agent.ts"), "fresh"]
    const set = (key: string, value: string) => bench.ok("config", "set", key, value)
    const told = async (...flags: string[]) => {
      const exec = ["agent", "exec", "--agent", "acp", "tell me", "--wait", ...flags]
      const { output } = await bench.ok<Data>(...exec)
      const all: { method: string; params: Data }[] = JSON.parse(String(output))
      return all.flatMap(({ method, params }) => (/set_/.test(method) ? [params.modeId ?? params.value] : []))
    }
    writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents: { acp: { command } } }))
    expect(await told()).toEqual(["default"])
    await set("agents.acp.mode.edit", "yolo")
    await set("agents.acp.model.opus", "large")
    expect(await told("--tier", "opus")).toEqual(["yolo", "large"])
    expect(await told("--permission", "ask")).toEqual(["default"])
    const refusal = await bench.refused(
      "config.bad_value",
      "config",
      "set",
      "--repository",
      "agents.acp.mode.edit",
      "x",
    )
    expect(refusal).toContain(
      "agents.acp.mode.edit decides what programs may do or know, so the file of a repository cannot set it",
    )
  })

  it("takes the effort as asked for, or else as the agent has it for the tier", async () => {
    using bench = makeAgentBench()
    const effortOf = async (...flags: string[]) => {
      const done = await bench.ok<Data>("agent", "exec", "--agent", "codex", "[[hello]]", "--wait", ...flags)
      return /model_reasoning_effort"? = "(\w+)"/.exec(read(bench, String(done.job_id), "state/codex/config.toml"))?.[1]
    }
    expect(await effortOf("--tier", "opus", "--effort", "low")).toBe("low")
    expect(await effortOf("--tier", "haiku", "--effort", "high")).toBe("high")
    expect(await effortOf("--tier", "haiku")).toBe("low")
    await bench.refused("input.invalid", "agent", "exec", "--agent", "codex", "x", "--effort", "extreme")
  })

  it("does not tell people of the command that does a job", async () => {
    using bench = makeBench()
    const [help, completion] = await Promise.all([bench.run(["agent", "--help"]), bench.run(["completion", "bash"])])
    expect(help.stdout).toContain("agent exec")
    for (const { stdout } of [help, completion]) expect(stdout).not.toContain("perform")
  })

  it("refuses an unknown agent, a missing folder and an unknown job", async () => {
    using bench = makeAgentBench()
    expect(await bench.refused("input.invalid", "agent", "exec", "--agent", "cluade", "x")).toContain(
      "is not one of claude, codex, gemini, opencode, acp, script",
    )
    const nowhere = ["--working-directory", "nowhere"]
    await bench.refused("input.invalid", "agent", "exec", "--agent", "script", "true", ...nowhere)
    expect(existsSync(join(bench.home, "jobs"))).toBe(false)
    await bench.refused("job.not_found", "agent", "status", "nope")
    await bench.refused("job.not_found", "agent", "cancel", "../../etc")
  })

  it("shows the end of a long output, of a running job and of an ended one", async () => {
    using bench = makeAgentBench()
    const job = await exec(bench, "script", `seq 1 20000; ${WAITING}`)
    await untilSaid(bench, job, "working")
    const running = await status(bench, job)
    expect(running).toMatchObject({ status: "running", is_output_cut: true })
    expect(String(running.output)).toEndWith("\n20000\nworking")
    expect(String(running.output)).toHaveLength(32_000)
    writeFileSync(join(bench.cwd, "go"), "")
    await untilEnded(bench, job)
    const file = fileOf(bench, job, "result.json")
    const answer = `${"a".repeat(40_000)} the end`
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), answer }))
    expect(await status(bench, job)).toMatchObject({ output: answer.slice(-32_000), is_output_cut: true })
  })

  it("masks secrets of the caller in every file, but not for the agent", async () => {
    using bench = makeAgentBench()
    const env = { DEPLOY_TOKEN: "hunter-two-and-three" }
    const prompt = `printf %s ${env.DEPLOY_TOKEN} > got.txt; echo it is ${env.DEPLOY_TOKEN}; echo ${env.DEPLOY_TOKEN} >&2`
    const run = await bench.run(["agent", "exec", "--agent", "script", prompt, "--wait"], { env })
    const { job_id, output } = run.json<{ data: { job_id: string; output: string } }>().data
    expect(output).toBe("it is ***\n***")
    expect(readFileSync(join(bench.cwd, "got.txt"), "utf8")).toBe(env.DEPLOY_TOKEN)
    expect(JSON.parse(read(bench, job_id, "job.json")).prompt).toContain("printf %s *** > got.txt")
    for (const name of readdirSync(join(bench.home, "jobs", job_id)))
      expect([name, read(bench, job_id, name).includes("hunter")]).toEqual([name, false])
  })
})

describe("the life of a job", () => {
  it("goes on when its caller is killed with all of its group", async () => {
    using bench = makeAgentBench()
    const caller = Bun.spawn([process.execPath, MAIN, "agent", "exec", "--agent", "script", WAITING, "--wait"], {
      cwd: bench.cwd,
      env: sandboxEnv({ HOME: bench.home, TEAMWORK_TEST_BASE_DIR: bench.home }),
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
    })
    const jobs = () => (existsSync(join(bench.home, "jobs")) ? readdirSync(join(bench.home, "jobs")) : [])
    await until(() => jobs().length === 1)
    const job = jobs()[0] ?? ""
    await untilSaid(bench, job, "working")
    process.kill(-caller.pid, "SIGKILL")
    await caller.exited
    expect(await status(bench, job)).toMatchObject({ status: "running" })
    writeFileSync(join(bench.cwd, "go"), "")
    await untilEnded(bench, job)
    expect(await status(bench, job)).toMatchObject({ status: "completed", output: "working\nfinished" })
  })

  it("ends with all its processes when it is cancelled, however deaf they are", async () => {
    using bench = makeAgentBench()
    const job = await exec(bench, "claude", "[[deaf]]")
    await untilSaid(bench, job, "deaf")
    expect(leftOf(job).length).toBeGreaterThan(1)
    const [first, second] = await Promise.all([1, 2].map(() => bench.ok<Data>("agent", "cancel", "--job-id", job)))
    expect(first).toMatchObject({ job_id: job, status: "failed", reason: "cancelled" })
    expect(second).toEqual(first ?? {})
    expect(leftOf(job)).toEqual([])
    await until(() => !existsSync(`/proc/${pidOf(bench, job)}`) || process.platform !== "linux")
  })

  it("does not begin when it was cancelled before its process was there", async () => {
    using bench = makeAgentBench()
    const request = { agent: "script", prompt: "touch begun", workspace: bench.cwd, tier: "haiku", timeMs: null }
    makeJob(bench, "early", { job: { jobId: "early", ...request } })
    const cancelled = bench.ok<Data>("agent", "cancel", "early")
    await until(() => existsSync(fileOf(bench, "early", "cancel")))
    await bench.run(["agent", "perform", "early"], { input: read(bench, "early", "job.json") })
    expect(await cancelled).toMatchObject({ status: "failed", reason: "cancelled" })
    expect(existsSync(join(bench.cwd, "begun"))).toBe(false)
  })

  it("stays as it is when it is cancelled after its end", async () => {
    using bench = makeAgentBench()
    const done = await bench.ok<Data>("agent", "exec", "--agent", "script", "echo hi", "--wait")
    expect(await bench.ok<Data>("agent", "cancel", String(done.job_id))).toEqual(done)
  })

  it.each([
    ["status", (job: string) => ["agent", "status", job]],
    ["jobs", () => ["agent", "jobs"]],
    ["doctor --fix", () => ["doctor", "--fix"]],
    ["gc", () => ["gc"]],
  ] as const)("is failed, and its agent ended, once its process was killed: %s sees it", async (_name, call) => {
    using bench = makeAgentBench()
    const job = await exec(bench, "claude", "[[deaf]]")
    await untilSaid(bench, job, "deaf")
    process.kill(pidOf(bench, job), "SIGKILL")
    await until(() => leftOf(job).length > 0)
    expect((await bench.run(call(job))).exitCode).toBe(0)
    expect(leftOf(job)).toEqual([])
    expect(JSON.parse(read(bench, job, "result.json"))).toMatchObject({ reason: "crashed" })
    expect(await status(bench, job)).toMatchObject({
      ...{ status: "failed", reason: "crashed" },
      output: "deaf\ncrashed: the job's process ended without a result",
    })
  })

  it("is only reported by doctor that may not fix", async () => {
    using bench = makeAgentBench()
    const job = await exec(bench, "claude", "[[hang]]")
    await untilSaid(bench, job, "working")
    process.kill(pidOf(bench, job), "SIGKILL")
    const dead = { check: "jobs", status: "warning", detail: `died without a result: ${job}`, fixed: false }
    await until(async () => {
      const { findings } = await bench.ok<{ findings: Data[] }>("doctor")
      return Bun.deepEquals(
        findings.filter((finding) => finding.check === "jobs"),
        [dead],
      )
    })
    expect(leftOf(job)).toHaveLength(1)
    await status(bench, job)
    expect(leftOf(job)).toEqual([])
  })

  it("is not taken for a later process with the same number", async () => {
    using bench = makeAgentBench()
    const { job_id } = await bench.ok<{ job_id: string }>("agent", "exec", "--agent", "script", "echo hi", "--wait")
    const other = makeJob(bench, "reused", { process: { pid: process.pid, start: "long ago" } })
    expect(await status(bench, other)).toMatchObject({ status: "failed", reason: "crashed" })
    expect(await status(bench, job_id)).toMatchObject({ status: "completed" })
  })

  it("tells what its process complained about at last", async () => {
    using bench = makeAgentBench()
    makeJob(bench, "broken", {})
    // The caller was killed while it handed the request over.
    const cut = await bench.run(["agent", "perform", "broken"], { input: '{"jobId": "bro' })
    expect(cut).toMatchObject({ exitCode: 1, stdout: "" })
    writeFileSync(fileOf(bench, "broken", "log.txt"), cut.stderr)
    expect((await status(bench, "broken")).output).toMatch(/^crashed: .* without a result: Error: unexpected: .*JSON/)
  })

  it("is failed when it was never started, but not while it may still be starting", async () => {
    using bench = makeAgentBench()
    makeJob(bench, "fresh", { job: { createdAt: new Date().toISOString() } })
    makeJob(bench, "stuck", { job: { createdAt: "2026-01-01T00:00:00.000Z" } })
    expect(await status(bench, "fresh")).toMatchObject({ status: "running" })
    expect(await status(bench, "stuck")).toMatchObject({ output: "crashed: the job was never started" })
  })

  it("does not hide the others when somebody damaged its files", async () => {
    using bench = makeAgentBench()
    makeJob(bench, "good", {})
    mkdirSync(join(bench.home, "jobs", "bad"))
    writeFileSync(join(bench.home, "jobs", "bad", "job.json"), "{")
    expect(await bench.ok<Data[]>("agent", "jobs")).toMatchObject([{ job_id: "good" }])
  })
})

describe("recordings", () => {
  it("make lines of what an agent says in pieces, also while it runs", async () => {
    using bench = makeAgentBench()
    const piece = (content: string) => ({ type: "message", role: "assistant", content, delta: true })
    const said = [piece("Hel"), piece("lo wor"), piece("ld.\nAnd mo"), piece("re")].map((each) => JSON.stringify(each))
    const done = JSON.stringify({ type: "result", status: "success" })
    const script = `${said.map((line) => `echo '${line}'`).join("; ")}
      while [ ! -e go ]; do sleep 0.02; done; echo '${done}'`
    const agents = { gemini: { command: ["bash", "-c", script, "gemini"] } }
    writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents }))
    const job = await exec(bench, "gemini", "talk")
    await untilSaid(bench, job, "more")
    expect(await status(bench, job)).toMatchObject({ status: "running", output: "Hello world.\nAnd more" })
    writeFileSync(join(bench.cwd, "go"), "")
    await untilEnded(bench, job)
    const events = read(bench, job, "events.jsonl").trim().split("\n")
    const texts = events.map((line) => JSON.parse(line)).filter(({ type }) => type === "text")
    expect(texts).toMatchObject([{ text: "Hello world." }, { text: "And more" }])
  })

  it("keep the end of what an agent printed, and say that something is missing", async () => {
    using bench = makeAgentBench()
    const env = { TEAMWORK_RECORDINGS_MAX_MEGABYTES: "1" }
    const prompt = "seq 1 250000"
    const run = await bench.run(["agent", "exec", "--agent", "script", prompt, "--wait"], { env })
    const { job_id } = run.json<{ data: { job_id: string } }>().data
    const stream = read(bench, job_id, "stream.jsonl")
    expect(stream.length).toBeLessThanOrEqual(1_000_000)
    const [mark = "", first, ...rest] = stream.trimEnd().split("\n")
    expect(JSON.parse(mark)).toEqual({ type: "teamwork.left_out", bytes: expect.any(Number) })
    // Whole lines, without a gap, up to the last one.
    expect([...rest.slice(-3, -1), Number(first) + rest.length - 1]).toEqual(["249999", "250000", 250_000])
    expect(read(bench, job_id, "events.jsonl").length).toBeLessThanOrEqual(1_000_000)
  })

  it("go with their jobs when they are old, which gc can also only announce", async () => {
    using bench = makeAgentBench()
    const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString()
    makeJob(bench, "old", { result: { finishedAt: days(15) } })
    makeJob(bench, "young", { result: { finishedAt: days(13) } })
    makeJob(bench, "running", {
      job: { createdAt: days(30) },
      process: identityOf(process.pid),
    })
    writeFileSync(fileOf(bench, "old", "stream.jsonl"), "x".repeat(1000))
    const names = () => readdirSync(join(bench.home, "jobs")).sort()
    const announced = await bench.ok<Data>("gc", "--dry-run")
    expect(announced).toMatchObject({ dry_run: true, removed: [{ job_id: "old", agent: "script" }] })
    expect(Number(announced.bytes)).toBeGreaterThan(1000)
    expect(names()).toEqual(["old", "running", "young"])
    expect(await bench.ok<Data>("gc")).toEqual({ ...announced, dry_run: false })
    expect(names()).toEqual(["running", "young"])
    const kept = await bench.run(["gc"], { env: { TEAMWORK_RECORDINGS_MAX_AGE_DAYS: "0" } })
    expect(kept.json<{ data: Data }>().data).toMatchObject({ removed: [] })
    const shorter = await bench.run(["gc"], { env: { TEAMWORK_RECORDINGS_MAX_AGE_DAYS: "12" } })
    expect(shorter.json<{ data: Data }>().data).toMatchObject({ removed: [{ job_id: "young" }] })
  })
})

/** A job as it lies on disk, without anybody who runs it. */
function makeJob(bench: Bench, jobId: string, parts: { job?: Data; process?: object; result?: Data }): string {
  const folder = join(bench.home, "jobs", jobId)
  mkdirSync(folder, { recursive: true })
  const write = (name: string, value: object) => writeFileSync(join(folder, name), JSON.stringify(value))
  const work = { agent: "script", prompt: "true", workspace: bench.home, permission: "full", timeMs: null }
  const model = { model: null, tier: "sonnet", effort: null }
  write("job.json", { jobId, ...work, ...model, createdAt: new Date().toISOString(), ...parts.job })
  if (parts.process !== undefined) write("process.json", parts.process)
  if (parts.result !== undefined) write("result.json", { reason: "done", answer: "hi", error: "", ...parts.result })
  return jobId
}
