// Evidence and verdicts: what counts, what does not, and what teamwork sees itself (R131-R135).
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS, until } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

async function makeProject(): Promise<Bench> {
  const bench = makeBench()
  await bench.ok("project", "create", "--goal", "Search page")
  await bench.ok("task", "create", "One")
  await bench.ok("task", "claim", "1", "--owner", "w1")
  return bench
}

const listed = (bench: Bench) => bench.ok<Data[]>("evidence", "list", "1")

describe("reported evidence", () => {
  it("has four types, or is a plain text", async () => {
    using bench = await makeProject()
    const add = (...flags: string[]) => bench.ok<Data[]>("evidence", "add", "1", "--owner", "w1", ...flags)
    await add("--evidence-type", "command", "--command", "npm test", "--exit-code", "0", "--output", "ok")
    await add("--evidence-type", "file", "--path", "src/a.ts", "--action", "modified")
    await add("--evidence-type", "test", "--passed", "12", "--failed", "1")
    await add("--evidence-type", "note", "--add-evidence", "looked at it")
    await add("--add-evidence", "plain")
    const entries = await listed(bench)
    expect(entries).toMatchObject([
      { number: 1, type: "command", command: "npm test", exit_code: 0, output: "ok", trust: "reported", by: "w1" },
      { number: 2, type: "file", path: "src/a.ts", action: "modified" },
      { number: 3, type: "test", passed: 12, failed: 1 },
      { number: 4, type: "note", text: "looked at it" },
      { number: 5, type: "note", text: "plain" },
    ])
    for (const entry of entries) expect(entry.timestamp).toMatch(/^\d{4}-.*Z$/)
    expect(await bench.ok("task", "get", "1")).toMatchObject({ evidence: entries })
  })

  it("is kept whole when the flag is repeated, in every command that takes it", async () => {
    using bench = await makeProject()
    const three = ["one", "two", "three"].flatMap((text) => ["--add-evidence", text])
    await bench.ok("evidence", "add", "1", ...three)
    await bench.ok("task", "update", "1", "--owner", "w1", ...three)
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved", ...three)
    const texts = (await listed(bench)).map((entry) => entry.text)
    expect(texts).toEqual(["one", "two", "three", "one", "two", "three", "one", "two", "three"])
  })

  it("cannot claim to be attested", async () => {
    using bench = await makeProject()
    await bench.refused("usage", "evidence", "add", "1", "--add-evidence", "x", "--trust", "attested")
    await bench.ok("evidence", "add", "1", "--command", "npm test", "--exit-code", "0")
    expect(await listed(bench)).toMatchObject([{ trust: "reported" }])
  })
})

it("what teamwork ran is kept without secrets, in the command too, however it was printed", async () => {
  using bench = await makeProject()
  const script = "printf 'it is hunt'; printf 'er-two\\n'; head -c 9000 /dev/zero | tr '\\0' x; printf hunter-two"
  const args = ["evidence", "run", "--id", "1", "--owner", "w1", "--", "sh", "-c", script, "hunter-two"]
  const { exitCode } = await bench.run(args, { env: { DEPLOY_TOKEN: "hunter-two" } })
  expect(exitCode).toBe(0)
  expect(JSON.stringify(bench.dump())).not.toContain("hunter-two")
  const [entry] = await listed(bench)
  expect(entry).toMatchObject({ trust: "attested", output: expect.stringMatching(/^x+\*\*\*$/) })
})

describe("words that are no proof", () => {
  it("refuse the call that would resolve with them, whole words in any case", async () => {
    using bench = await makeProject()
    const before = bench.dump()
    const resolve = (text: string) => [
      ...["task", "update", "1", "--owner", "w1", "--status", "resolved"],
      ...["--add-evidence", "fine", "--add-evidence", text],
    ]
    for (const text of [
      "it Should  Work now",
      "todo: more",
      "a PLACEHOLDER",
      "not implemented",
      "Basic implementation.",
    ])
      expect(await bench.refused("evidence.blocked", ...resolve(text))).toContain("is not proof")
    expect(bench.dump()).toEqual(before)
    await bench.ok(...resolve("autodocs and todos were placeholders_once"))
  })

  it("given before stand in the way until they are withdrawn", async () => {
    using bench = await makeProject()
    const warned = await bench.run(["evidence", "add", "1", "--add-evidence", "fine", "--add-evidence", "TODO later"])
    expect(warned).toMatchObject({
      exitCode: 0,
      stderr: 'Warning: evidence says "TODO"; the task cannot be resolved with it\n',
    })
    const resolve = ["task", "update", "1", "--owner", "w1", "--status", "resolved"]
    expect(await bench.refused("evidence.blocked", ...resolve)).toContain("teamwork evidence withdraw 1 2")
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "in_progress" })
    await bench.ok("evidence", "withdraw", "--id", "1", "--number", "2", "--reason", "done now")
    expect(await bench.ok(...resolve)).toMatchObject({ status: "resolved" })
    expect(await listed(bench)).toMatchObject([
      { number: 1, withdrawn_at: null },
      { number: 2, text: "TODO later", blocked_pattern: "TODO", withdrawn_at: expect.any(String) },
    ])
    expect(await bench.ok("events", "tail", "--type", "evidence.withdrawn")).toMatchObject({
      events: [{ data: { task: "1", number: 2, reason: "done now" } }],
    })
  })

  it("may only give a warning, and are settings", async () => {
    using bench = await makeProject()
    const add = ["evidence", "add", "1", "--add-evidence", "a quick hack"]
    expect((await bench.run(add)).stderr).toBe('Warning: evidence says "hack"; say what is still missing\n')
    const env = { TEAMWORK_EVIDENCE_BLOCKED_PATTERNS: "quick", TEAMWORK_EVIDENCE_WARN_PATTERNS: "nothing" }
    expect((await bench.run(add, { env })).stderr).toBe(
      'Warning: evidence says "quick"; the task cannot be resolved with it\n',
    )
    await bench.refused("evidence.blocked", "task", "update", "1", "--status", "resolved")
  })
})

describe("evidence run", () => {
  const run = (...command: string[]) => ["evidence", "run", "1", "--owner", "w1", "--", ...command]

  it("records what the command did on which commit, and shows its output", async () => {
    using bench = await makeProject()
    git(bench.cwd, "init", "-q", "-b", "main")
    git(bench.cwd, "commit", "-q", "--allow-empty", "-m", "first")
    const result = await bench.run(run("sh", "-c", "echo out; echo err >&2; exit 3"))
    expect(result.exitCode).toBe(1)
    expect(result.stderr.split("\n").sort()).toEqual(["", "err", "out"])
    const { data } = result.json<{ data: Data }>()
    expect(data).toMatchObject({
      type: "command",
      trust: "attested",
      command: "sh -c 'echo out; echo err >&2; exit 3'",
      exit_code: 3,
      commit: git(bench.cwd, "rev-parse", "HEAD"),
      is_dirty: false,
      by: "w1",
    })
    const hasher = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex")
    expect([hasher("out\nerr\n"), hasher("err\nout\n")]).toContain(String(data.output_hash))
    expect(await listed(bench)).toEqual([data])
    writeFileSync(join(bench.cwd, "new.txt"), "x")
    expect((await bench.run(run("true"))).json()).toMatchObject({ data: { exit_code: 0, is_dirty: true } })
  })

  it("runs in the current folder with the user's environment, and does without a repository", async () => {
    using bench = await makeProject()
    const result = await bench.run(run("sh", "-c", 'pwd; echo "$GREETING"'), { env: { GREETING: "hello" } })
    const { data } = result.json<{ data: Data }>()
    expect(data).toMatchObject({ output: `${bench.cwd}\nhello\n`, exit_code: 0 })
    expect(data.commit).toBeUndefined()
  })

  it("keeps arguments as they are", async () => {
    using bench = await makeProject()
    const words = ["a b", "it's", "$HOME", "--json", "--format", "", "ünï"]
    const { data } = (await bench.run(run("printf", "%s\n", ...words))).json<{ data: Data }>()
    expect(data.output).toBe(`${words.join("\n")}\n`)
    expect(data.command).toBe(`printf '%s\n' 'a b' 'it'\\''s' '$HOME' --json --format '' 'ünï'`)
  })

  it("stops the command with all its children when its time is over", async () => {
    using bench = await makeProject()
    const pidFile = join(bench.cwd, "pid")
    const script = `(sleep 600 & echo $! >'${pidFile}'; wait) & echo started; wait`
    // Long enough for it to begin on a machine that stands still for a while.
    const result = await bench.run(["evidence", "run", "1", "--timeout", "3", "--", "sh", "-c", script])
    expect(result.exitCode).toBe(1)
    const { data } = result.json<{ data: Data }>()
    expect(data).toMatchObject({ exit_code: 124, trust: "attested" })
    expect(data.output).toBe("started\n\n[timed-out after 3 s]")
    await until(() => !isAlive(Number(readFileSync(pidFile, "utf8"))))
  })

  it("does not wait for what the command left running", async () => {
    using bench = await makeProject()
    const result = await bench.run(run("sh", "-c", "sleep 600 & echo done"))
    expect(result.json()).toMatchObject({ data: { exit_code: 0, output: "done\n" } })
  })

  it("stops the command on Ctrl+C and records that", async () => {
    using bench = await makeProject()
    await using live = bench.start(run("sh", "-c", "echo started; sleep 600"))
    await live.untilLine("err", (line) => line === "started")
    expect(await live.stop("SIGINT")).toBe(1)
    expect(JSON.parse(live.out[0] ?? "")).toMatchObject({ data: { exit_code: 124, trust: "attested" } })
  })

  it("records nothing when there is no such command", async () => {
    using bench = await makeProject()
    const before = bench.dump()
    const result = await bench.run(run("no-such-program"))
    expect(result).toMatchObject({ exitCode: 1, stdout: "" })
    expect(result.stderr).toMatch(
      /^Error: no-such-program cannot be started in \S+; is it installed and on the PATH\?\n$/,
    )
    expect(bench.dump()).toEqual(before)
  })

  it("runs in another folder when one is named, and not at all where there is none", async () => {
    using bench = await makeProject()
    const folder = join(bench.cwd, "worktree")
    git(bench.cwd, "init", "-q", "worktree")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    const inside = (where: string, ...command: string[]) => [
      ...["evidence", "run", "1", "--owner", "w1", "--working-directory", where, "--json", "--", ...command],
    ]
    expect((await bench.run(inside("worktree", "pwd"))).json()).toMatchObject({
      data: { output: `${folder}\n`, commit: git(folder, "rev-parse", "HEAD") },
    })
    const before = bench.dump()
    const { stderr } = await bench.run(inside("nowhere", "touch", "proof"))
    expect(JSON.parse(stderr)).toMatchObject({ code: "input.invalid" })
    expect(bench.dump()).toEqual(before)
  })

  it("does not even start for a task of somebody else", async () => {
    using bench = await makeProject()
    const proof = join(bench.cwd, "proof")
    const result = await bench.run(["evidence", "run", "1", "--owner", "w2", "--json", "--", "touch", proof])
    expect(JSON.parse(result.stderr)).toMatchObject({ code: "claim.lost" })
    expect(existsSync(proof)).toBe(false)
  })
})

describe("evidence run that takes longer than the lease", () => {
  async function makeClaimed(leaseSeconds: string): Promise<Bench> {
    const bench = makeBench()
    await bench.ok("project", "create", "--goal", "Search page")
    await bench.ok("task", "create", "One")
    await bench.ok("task", "claim", "1", "--owner", "w1", "--lease-seconds", leaseSeconds)
    return bench
  }
  const leaseEnd = (bench: Bench) => Number((bench.dump().task as Data[])[0]?.lease_until)
  /** A command that goes on until the test says `go`. */
  const go = (bench: Bench) => writeFileSync(join(bench.cwd, "go"), "")
  const waiting = ["--", "sh", "-c", "echo started; until [ -e go ]; do sleep 0.05; done"]
  const hasStarted = (line: string) => line === "started"

  it("keeps the task, renewed while the command runs", async () => {
    using bench = await makeClaimed("4")
    const first = leaseEnd(bench)
    await using live = bench.start(["evidence", "run", "1", "--owner", "w1", ...waiting])
    // By then the first lease has run out for sure.
    await until(() => leaseEnd(bench) > first + 4000)
    await bench.refused("task.already_claimed", "task", "claim", "1", "--owner", "w2")
    go(bench)
    expect(await live.exited).toBe(0)
    expect(await listed(bench)).toMatchObject([{ trust: "attested", by: "w1" }])
  })

  it("renews a claim that had run out before it began", async () => {
    using bench = await makeClaimed("600")
    bench.tamper("update task set lease_until = 1")
    await using live = bench.start(["evidence", "run", "1", "--owner", "w1", ...waiting])
    await until(() => leaseEnd(bench) > 1)
    go(bench)
    expect(await live.exited).toBe(0)
  })

  it("renews nothing for a person", async () => {
    using bench = await makeClaimed("0.1")
    await using live = bench.start(["evidence", "run", "1", ...waiting])
    await live.untilLine("err", hasStarted)
    const first = leaseEnd(bench)
    await until(() => Date.now() > first + 300)
    expect(leaseEnd(bench)).toBe(first)
    expect(await bench.ok("task", "claim", "1", "--owner", "w2")).toMatchObject({ claimed_by: "w2" })
    go(bench)
    expect(await live.exited).toBe(0)
    expect(await listed(bench)).toMatchObject([{ trust: "attested", by: "person" }])
  })

  it.each(["w1", "w2"])("attests nothing when the claim was lost, and %s has the task now", async (owner) => {
    using bench = await makeClaimed("0.6")
    await using live = bench.start(["evidence", "run", "1", "--owner", "w1", "--json", ...waiting])
    await live.untilLine("err", hasStarted)
    await bench.ok("task", "release", "1")
    await bench.ok("task", "claim", "1", "--owner", owner, "--lease-seconds", "600")
    const end = leaseEnd(bench)
    go(bench)
    expect(await live.exited).toBe(1)
    expect(JSON.parse(live.err.at(-1) ?? "")).toMatchObject({
      code: "claim.lost",
      details: { claimed_by: owner, claim_token: 2 },
    })
    expect(await listed(bench)).toEqual([])
    expect(leaseEnd(bench)).toBe(end)
  })
})

describe("a verdict (R135)", () => {
  it("has a status, checks with evidence, and issues", async () => {
    using bench = await makeProject()
    await bench.ok("wave", "calculate")
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved")
    const checks = ["all_tasks_resolved=passed", "build_succeeds=passed:exit 0: ok", "no_file_conflicts=skipped"]
    const verdict = await bench.ok(
      ...["verdict", "record", "--scope", "wave", "--subject", "1", "--status", "passed", "--by", "verifier"],
      ...checks.flatMap((check) => ["--check", check]),
      ...["--issue", "slow", "--issue", "loud"],
    )
    expect(verdict).toMatchObject({
      scope: "wave",
      subject: "1",
      status: "passed",
      checks: [
        { name: "all_tasks_resolved", status: "passed" },
        { name: "build_succeeds", status: "passed", evidence: "exit 0: ok" },
        { name: "no_file_conflicts", status: "skipped" },
      ],
      issues: ["slow", "loud"],
      by: "verifier",
    })
    expect(await bench.ok<Data[]>("verdict", "list")).toEqual([verdict])
    expect(await bench.ok("wave", "status")).toMatchObject({
      waves: [{ status: "verified", verified_at: expect.any(String) }],
    })
  })

  it("that fails sends a wave back, and new work opens it again", async () => {
    using bench = await makeProject()
    await bench.ok("wave", "calculate")
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved")
    await bench.ok(
      "verdict",
      "record",
      "--scope",
      "wave",
      "--subject",
      "1",
      "--status",
      "failed",
      "--issue",
      "no build",
    )
    expect(await bench.ok("wave", "status")).toMatchObject({ waves: [{ status: "failed" }] })
    expect(await bench.ok("task", "create", "Fix the build")).toMatchObject({ wave: 1 })
    expect(await bench.ok("wave", "status")).toMatchObject({ waves: [{ status: "in_progress", tasks: ["1", "2"] }] })
  })
})

function isAlive(pid: number): boolean {
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
    .stdout.toString()
    .trim()
  return state !== "" && !state.startsWith("Z")
}
