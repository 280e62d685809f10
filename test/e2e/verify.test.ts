// Gates from the command line: exit codes, what people see, what commands may know, and what an interruption leaves.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { identityOf, isRunning } from "../../src/lib/process/process-identity.ts"
import { safeDelete } from "../support/sandbox.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS, until } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

interface Shop extends Bench {
  commit(files: Record<string, string>): string
}

/** A repository with one commit; task 1 with these commands, in wave 1. */
/** `review`: for a task that only looks, and so need not have changed anything. */
async function makeShop(
  checks: readonly string[],
  { files = { "a.txt": "a\n" }, role = "worker" }: { files?: Record<string, string>; role?: string } = {},
): Promise<Shop> {
  const bench = makeBench()
  const { cwd } = bench
  git(cwd, "init", "--quiet", "--initial-branch=main")
  git(cwd, "config", "user.name", "Test")
  git(cwd, "config", "user.email", "test@example.com")
  const commit: Shop["commit"] = (changes) => {
    for (const [name, text] of Object.entries(changes)) writeFileSync(join(cwd, name), text)
    git(cwd, "add", "--all")
    git(cwd, "commit", "--quiet", "-m", "; rm -rf $(x)")
    return git(cwd, "rev-parse", "HEAD")
  }
  commit(files)
  await bench.ok("project", "create", "--goal", "Search page")
  await bench.ok("task", "create", "One", "--role", role, ...checks.flatMap((line) => ["--check", line]))
  await bench.ok("wave", "calculate")
  return { ...bench, commit }
}

const verdicts = (bench: Bench) => bench.ok<Data[]>("verdict", "list")
const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

describe("teamwork verify", () => {
  it("ends with 0 when passed and with 1 when failed, for programs and for people", async () => {
    using shop = await makeShop(["echo going; echo gone wrong >&2; test -f b.txt"])
    const commit = shop.commit({ "c.ts": "// a hack\nthrow 'TODO'\n" })
    const failed = await shop.run(["verify", "task", "1", "--base", "HEAD~1"])
    expect(failed).toMatchObject({ exitCode: 1, stderr: "" })
    expect(failed.json<{ status: string; data: Data }>()).toMatchObject({
      status: "success",
      data: { scope: "task", subject: "1", status: "failed", commit, tree: git(shop.cwd, "rev-parse", "HEAD^{tree}") },
    })
    const shown = await shop.run(["verify", "task", "1", "--base", "HEAD~1", "--format", "table"])
    expect(shown.exitCode).toBe(1)
    const text = shown.stdout
      .replaceAll(/gates\/[0-9a-f]{40}/g, "gates/KEY")
      .replaceAll(shop.home, "HOME")
      .replace(/at \d{4}-\S+Z/, "at NOW")
    expect(text.replace(/ \d\.\d s /, " 0.0 s ")).toBe(
      [
        `Verdict on task 1: failed at ${commit.slice(0, 12)}`,
        "CHECK                  STATUS   TIME  WHAT",
        "work_committed         passed",
        `changes_present        passed         1 file changed since ${git(shop.cwd, "rev-parse", "--short=12", "HEAD~1")}`,
        "history_kept           passed",
        "files_owned            passed",
        "no_suspicious_changes  passed",
        "no_blocked_patterns    failed         c.ts:2 says \"TODO\": throw 'TODO'",
        "acceptance_passes      failed  0.0 s  echo going; echo gone wrong >&2; test -f b.txt exited with 1; it ran on this very tree before, at NOW",
        "evidence_complete      passed         1 entry",
        "",
        "echo going; echo gone wrong >&2; test -f b.txt:",
        "  going",
        "  gone wrong",
        "",
        "error: c.ts:2 says \"TODO\": throw 'TODO'",
        'warning: c.ts:1 says "hack": // a hack',
        "error: echo going; echo gone wrong >&2; test -f b.txt exited with 1; all of its output: HOME/gates/KEY/output.txt",
        "",
      ].join("\n"),
    )
    shop.commit({ "b.txt": "b\n", "c.ts": "c\n" })
    expect(await shop.ok("verify", "task", "1", "--base", "HEAD~2")).toMatchObject({ status: "passed" })
    expect(await verdicts(shop)).toMatchObject([{ status: "failed" }, { status: "failed" }, { status: "passed" }])
  })

  it("verifies wave and whole in turn, which completes the project (R136)", async () => {
    using shop = await makeShop(["true"])
    shop.commit({ "b.txt": "b\n" })
    await shop.ok("task", "claim", "1", "--owner", "w1")
    await shop.ok("verify", "task", "1", "--owner", "w1", "--base", "HEAD~1")
    await shop.ok("task", "update", "1", "--owner", "w1", "--status", "resolved", "--add-evidence", "b is there")
    expect(await shop.ok("project", "verify")).toMatchObject({ scope: "wave", subject: "1", status: "passed" })
    expect(await shop.ok("project", "verify", "--base", "HEAD~1")).toMatchObject({ scope: "final", status: "passed" })
    expect(await shop.ok("project", "status")).toMatchObject({ phase: "COMPLETE" })
  })

  it("is refused outside of a repository and for what does not exist, and changes nothing", async () => {
    using shop = await makeShop(["true"])
    const before = shop.dump()
    for (const bad of ["nowhere", "--all", "$(touch y)", "; rm -rf a.txt", "-h\n"]) {
      await shop.refused("gate.no_commit", "verify", "task", "1", `--commit=${bad}`)
      await shop.refused("gate.no_commit", "verify", "final", `--base=${bad}`)
    }
    await shop.refused("input.invalid", "verify", "task", "1", "--commit=")
    await shop.refused("task.not_found", "verify", "task", "9")
    await shop.refused("wave.not_found", "verify", "wave", "9")
    await shop.refused("input.invalid", "verify", "wave", "0")
    await shop.refused("input.invalid", "verify", "wave", "x")
    safeDelete(join(shop.cwd, ".git"))
    const message = await shop.refused("workspace.no_repository", "verify", "task", "1")
    expect(message).toContain("no git repository here")
    expect(shop.dump()).toEqual(before)
    expect(readdirSync(shop.cwd)).toEqual(["a.txt"])
  })

  it("works on branches with odd names", async () => {
    using shop = await makeShop(["true"])
    git(shop.cwd, "checkout", "--quiet", "-b", "fix/$(touch${IFS}y);rm")
    shop.commit({ "b.txt": "b\n" })
    const verdict = await shop.ok(
      "verify",
      "task",
      "1",
      "--team",
      "main",
      "--base",
      "main",
      "--commit",
      "fix/$(touch${IFS}y);rm",
    )
    expect(verdict).toMatchObject({ status: "passed" })
    expect(readdirSync(shop.cwd).sort()).toEqual([".git", "a.txt", "b.txt"])
  })

  it("runs what the repository's settings say, within their time limit", async () => {
    const settings = (gates: Data) => ({ "teamwork.json": `${JSON.stringify({ gates })}\n` })
    using shop = await makeShop([], {
      files: settings({ test: ["echo own; test -f teamwork.json"], timeoutSeconds: 60 }),
      role: "review",
    })
    await shop.ok("evidence", "add", "1", "--add-evidence", "seen")
    expect(await shop.ok("verify", "task", "1")).toMatchObject({ status: "passed" })
    expect(await shop.ok<Data[]>("evidence", "list", "1")).toMatchObject([{}, { trust: "attested", output: "own\n" }])
    shop.commit(settings({ test: ["sleep 60"], timeoutSeconds: 1 }))
    const slow = await shop.run(["verify", "task", "1"])
    expect(slow.exitCode).toBe(1)
    expect(slow.stdout).toContain("was stopped after 1 s, its time limit")
    shop.commit(settings({ enableTest: false }))
    const { checks } = await shop.ok<{ checks: Data[] }>("verify", "task", "1")
    expect(checks).toContainEqual(expect.objectContaining({ name: "acceptance_passes", status: "skipped" }))
  })

  it("refuses settings that make no sense", async () => {
    using shop = await makeShop(["true"])
    for (const [name, value] of [
      ["TEAMWORK_GATES_TIMEOUT_SECONDS", "0"],
      ["TEAMWORK_GATES_ENABLE_LINT", "maybe"],
      ["TEAMWORK_GATES_TEST", '["npm test", ""]'],
      ["TEAMWORK_GATES_IGNORED_FILES", "[1]"],
    ] as const) {
      const result = await shop.run(["verify", "task", "1", "--json"], { env: { [name]: value } })
      expect([name, JSON.parse(result.stderr).code]).toEqual([name, "config.bad_value"])
    }
    expect(await verdicts(shop)).toEqual([])
  })

  it("leaves out files by their setting", async () => {
    using shop = await makeShop(["true"])
    shop.commit({ "a.gen.ts": "throw 'TODO'\n", "doc.md": "TODO\n" })
    const judge = (ignored?: string) =>
      shop.run(["verify", "task", "1", "--base", "HEAD~1"], { env: { TEAMWORK_GATES_IGNORED_FILES: ignored } })
    expect((await judge()).json<{ data: Data }>().data.issues).toEqual([`error: a.gen.ts:1 says "TODO": throw 'TODO'`])
    expect(await judge("**/*.gen.ts,**/*.md")).toMatchObject({ exitCode: 0 })
    expect((await judge("none")).json<{ data: Data }>().data.issues).toHaveLength(2)
  })

  it("gives commands no secrets, but what the user names, and masks what they print", async () => {
    using shop = await makeShop(["env; echo key $1 sk-abcdefghijklmnopqrstuvwxyz"])
    const env = {
      SHOP_API_KEY: "very-secret-value",
      DATABASE_URL: "postgres://localhost/shop",
      OTHER_TOKEN: "also-secret",
    }
    const run = async (more: Record<string, string> = {}) => {
      const result = await shop.run(["verify", "task", "1", "--again"], { env: { ...env, ...more } })
      const { data } = result.json<{ data: { checks: { name: string; output_file?: string }[] } }>()
      const file = data.checks.find((check) => check.name === "acceptance_passes")?.output_file ?? ""
      return readFileSync(file, "utf8")
    }
    const output = await run()
    for (const word of ["SHOP_API_KEY", "DATABASE_URL", "OTHER_TOKEN", "TEAMWORK_HOME", "TEAMWORK_TEST", "sk-abc"])
      expect(output).not.toContain(word)
    expect(output).toMatch(/^CI=true$/m)
    expect(output).toMatch(/^key \*\*\*$/m)
    const more = await run({ TEAMWORK_GATES_VARIABLES: "DATABASE_URL,SHOP_*" })
    expect(more).toMatch(/^DATABASE_URL=postgres:\/\/localhost\/shop$/m)
    expect(more).toMatch(/^SHOP_API_KEY=\*\*\*$/m)
    // Whose repository it is may not ask for them.
    shop.commit({ "teamwork.json": JSON.stringify({ gates: { variables: ["SHOP_API_KEY"] } }) })
    await shop.refused("config.bad_value", "verify", "task", "1")
  })

  it("interrupted, ends its command and records nothing; the next one starts over", async () => {
    using shop = await makeShop([`echo $$ > "${"$"}HOME/pid"; sleep 60`])
    await using live = shop.start(["verify", "task", "1"])
    await until(() => existsSync(join(shop.home, "pid")) && readFileSync(join(shop.home, "pid"), "utf8").endsWith("\n"))
    const command = identityOf(Number(readFileSync(join(shop.home, "pid"), "utf8")))
    expect(await live.stop()).toBe(1)
    expect(live.err.join("\n")).toContain("interrupted while")
    await until(() => !isRunning(command))
    expect(await verdicts(shop)).toEqual([])
    expect(await shop.ok<Data[]>("evidence", "list", "1")).toEqual([])
  })

  it("killed, leaves nothing that the next one does not clean up", async () => {
    using shop = await makeShop([`test -f "${"$"}HOME/go" || { echo $$ > "${"$"}HOME/pid"; sleep 60; }`], {
      role: "review",
    })
    const first = git(shop.cwd, "rev-parse", "HEAD")
    shop.commit({ "b.txt": "b\n" })
    await using live = shop.start(["verify", "task", "1", "--commit", first])
    await until(() => filesIn(shop.home).includes("pid") && readFileSync(join(shop.home, "pid"), "utf8").endsWith("\n"))
    const command = identityOf(Number(readFileSync(join(shop.home, "pid"), "utf8")))
    await live.stop("SIGKILL")
    expect(isRunning(command)).toBe(true)
    expect(filesIn(join(shop.home, "checkouts")).filter((name) => !name.startsWith("."))).toHaveLength(2)
    writeFileSync(join(shop.home, "go"), "")
    await shop.ok("evidence", "add", "1", "--add-evidence", "seen")
    await using next = shop.start(["verify", "task", "1", "--commit", first])
    expect(await next.exited).toBe(0)
    await until(() => !isRunning(command))
    expect(filesIn(join(shop.home, "checkouts"))).toEqual([])
    expect(git(shop.cwd, "worktree", "list").split("\n")).toHaveLength(1)
  })

  it("runs a command once for two who ask at the same time", async () => {
    using shop = await makeShop([`echo run >> "${"$"}HOME/runs"; sleep 0.3`], { role: "review" })
    const both = await Promise.all([shop.ok("verify", "task", "1"), shop.ok("verify", "task", "1")])
    expect(both).toMatchObject([{ status: "passed" }, { status: "passed" }])
    expect(readFileSync(join(shop.home, "runs"), "utf8")).toBe("run\n")
  })

  it("keeps results until gc removes old ones", async () => {
    using shop = await makeShop(["echo kept"], { role: "review" })
    await shop.ok("verify", "task", "1")
    const [key = ""] = filesIn(join(shop.home, "gates"))
    const folder = join(shop.home, "gates", key)
    expect(readFileSync(join(folder, "output.txt"), "utf8")).toBe("kept\n")
    expect(await shop.ok("gc")).toMatchObject({ gate_results: { count: 0 } })
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1, 1)
    expect(await shop.text("gc", "--dry-run")).toContain("Would remove 1 result of a gate, 0.0 MB\n")
    expect(await shop.ok("gc")).toMatchObject({ gate_results: { count: 1, bytes: expect.any(Number) } })
    expect(filesIn(join(shop.home, "gates"))).toEqual([])
  })

  it("judges a folder that is a linked worktree, and from a folder inside of it", async () => {
    using shop = await makeShop(["test -f deep/b.txt"])
    const other = join(shop.home, "linked tree")
    git(shop.cwd, "worktree", "add", "--quiet", "-b", "teamwork/shop/main/w1", other)
    mkdirSync(join(other, "deep"))
    writeFileSync(join(other, "deep", "b.txt"), "b\n")
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "-m", "b")
    const result = await shop.run(["verify", "task", "1", "--project", "shop", "--base", "main"], {
      cwd: join(other, "deep"),
    })
    expect(result.json<{ data: Data }>().data).toMatchObject({
      status: "passed",
      commit: git(other, "rev-parse", "HEAD"),
    })
  })
})
