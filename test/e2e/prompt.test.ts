// Roles in files and what an agent gets to read, through the command line.
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Bench, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"
import { prepareShop } from "./command-cases.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

let shop: Bench
beforeAll(async () => {
  shop = makeBench()
  await prepareShop(shop)
})
afterAll(() => shop[Symbol.dispose]())

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

interface Prompt {
  readonly prompt: string
  readonly limit: number
  readonly over_by: number
  readonly sections: readonly { name: string; characters: number; trimmed: number }[]
}

describe("a role in a file", () => {
  it("of the repository overrides one at home, which overrides the built-in one, in prompts too", async () => {
    using bench = makeBench(shop)
    git(bench.cwd, "init", "-q", "-b", "main")
    const deep = join(bench.cwd, "src")
    mkdirSync(deep)
    const ask = async (...args: string[]) =>
      (await bench.run([...args, "--json"], { cwd: deep })).json<{ data: never }>()
    put(join(bench.home, "roles/backend.md"), "---\nextends: backend\nmodel: opus\n---\nAs at home.\n")
    expect((await ask("role", "show", "backend")).data).toMatchObject({ source: "home", model: "opus", writes: true })
    const file = join(bench.cwd, ".teamwork/roles/backend.md")
    put(file, "---\nkind: implementation\neffort: low\ntools: [Read, Edit]\n---\nAs in this repository.\n")
    expect((await ask("role", "show", "backend")).data).toMatchObject({
      source: "repository",
      file: expect.stringMatching(/\/shop\/\.teamwork\/roles\/backend\.md$/),
      model: "dynamic",
      effort: "low",
      tools: ["Read", "Edit"],
      instructions: "As in this repository.",
    })
    expect((await ask("prompt", "2")).data).toMatchObject({
      role: "backend",
      effort: "low",
      prompt: expect.stringContaining("As in this repository."),
    })
    expect(await bench.text("role", "list")).toMatch(/\nbackend +implementation +dynamic +low +yes +repository, /)
  })

  it("may be new, and is then as good as any", async () => {
    using bench = makeBench(shop)
    put(join(bench.cwd, ".teamwork/roles/api-smith.md"), "---\nextends: executor\n---\nAlways page.\n")
    const { prompt, role } = await bench.ok<Prompt & { role: string }>("prompt", "2", "--role", "api-smith", "--json")
    expect(role).toBe("api-smith")
    expect(prompt).toContain("You work as api-smith (implementation).")
    expect(prompt).toContain("Always page.")
  })

  it("that is wrong is named with its line and field", async () => {
    using bench = makeBench(shop)
    put(join(bench.cwd, ".teamwork/roles/api.md"), "---\nkind: review\nmodle: opus\n---\nx\n")
    for (const args of [
      ["role", "list"],
      ["role", "show", "backend"],
      ["prompt", "2"],
    ])
      expect(await bench.refused("role.bad_file", ...args)).toMatch(
        /\/\.teamwork\/roles\/api\.md:3: modle: is not known here; did you mean model\?$/,
      )
  })
})

describe("teamwork prompt", () => {
  it("prints exactly the text that programs get, and the same one each time", async () => {
    const [plain, again] = await Promise.all([shop.run(["prompt", "2"]), shop.run(["prompt", "2"])])
    const { prompt, sections } = await shop.ok<Prompt>("prompt", "2", "--json")
    expect(plain.stdout).toBe(`${prompt}\n`)
    expect(again.stdout).toBe(plain.stdout)
    expect(sections.reduce((sum, each) => sum + each.characters, 0) + 2 * (sections.length - 1)).toBe(prompt.length)
  })

  it("tells a worker commands that work, and in the order in which they do", async () => {
    using bench = makeBench(shop)
    const { prompt } = await bench.ok<Prompt>("prompt", "1", "--worker", "w1", "--json")
    const commands = [...prompt.matchAll(/`teamwork ([^`]+)`/g)].map(([, words = ""]) =>
      [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ""),
    )
    const release = commands.findIndex((words) => words.includes("--release"))
    const escalate = commands.findIndex(([command]) => command === "escalate")
    expect(Math.min(release, escalate)).toBeGreaterThan(0)
    // To give the task up and to ask about it are the other ways to end it.
    for (const words of commands.filter((_, index) => index !== release && index !== escalate)) {
      const { exitCode, stderr } = await bench.run(words)
      expect({ words, exitCode, stderr }).toEqual({ words, exitCode: 0, stderr: "" })
    }
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "resolved", result: "the outcome" })
    await bench.ok("task", "reopen", "1")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    expect(await bench.ok(...(commands[release] ?? []))).toMatchObject({ status: "open" })
    expect(await bench.ok(...(commands[escalate] ?? []))).toMatchObject({
      trigger: "requirement_unclear",
      status: "open",
    })
  })

  it("leaves messages unread and the store as it was", async () => {
    using bench = makeBench(shop)
    const before = bench.dump()
    await bench.ok("prompt", "1", "--worker", "w1", "--json")
    expect(bench.dump()).toEqual(before)
  })

  it("keeps to the limit of the agent and says what it left out", async () => {
    using bench = makeBench(shop)
    await bench.ok("mailbox", "send", "--from", "w2", "--to", "w1", "--message", "m".repeat(70_000))
    const ask = (agent: string) => bench.ok<Prompt>("prompt", "1", "--worker", "w1", "--agent", agent, "--json")
    const [claude, codex, unknown] = [await ask("claude"), await ask("codex"), await ask("my-own")]
    expect([claude, codex, unknown].map((each) => each.limit)).toEqual([80_000, 50_000, 40_000])
    expect(claude.sections.every((section) => section.trimmed === 0)).toBe(true)
    for (const { prompt, limit, sections } of [codex, unknown]) {
      expect(prompt.length).toBeLessThanOrEqual(limit)
      expect(prompt.length).toBeGreaterThan(limit - 100)
      expect(sections.filter((section) => section.trimmed > 0).map((section) => section.name)).toEqual(["messages"])
      expect(prompt).toMatch(/\n\[Trimmed to \d+ characters: messages \d+ -> \d+\.\]$/)
    }
  })

  it("does not cut the task, and warns that it is too long", async () => {
    using bench = makeBench(shop)
    await bench.ok("task", "create", "--id", "9", "--title", "Long", "--description", "d".repeat(60_000))
    const result = await bench.run(["prompt", "9", "--agent", "codex"])
    expect(result.exitCode).toBe(0)
    expect(result.stdout).toContain("d".repeat(60_000))
    expect(result.stdout).toMatch(/What must not be cut takes \d+ characters, so this prompt is longer than that\.\n$/)
    expect(result.stderr).toMatch(/the prompt is \d+ characters longer than codex should get/)
  })

  it("hides secrets of the environment and keys", async () => {
    using bench = makeBench(shop)
    const key = `sk-${"a1".repeat(12)}`
    await bench.ok("task", "create", "--id", "9", "--title", "Call it", "--description", `Use s3cr3t-value and ${key}.`)
    const { stdout } = await bench.run(["prompt", "9"], { env: { SHOP_TOKEN: "s3cr3t-value" } })
    expect(stdout).toContain("Use *** and ***.")
  })

  it("refuses who cannot do such a task", async () => {
    using bench = makeBench(shop)
    expect(await bench.refused("role.mismatch", "prompt", "2", "--role", "code-reviewer")).toContain(
      "needs a role for implementation, and code-reviewer is for review",
    )
    await bench.ok("task", "create", "--id", "8", "--title", "Look", "--role", "review")
    await bench.refused("role.mismatch", "prompt", "8", "--role", "executor")
    expect((await bench.ok<{ role: string }>("prompt", "8", "--role", "style-reviewer", "--json")).role).toBe(
      "style-reviewer",
    )
    // From a time, or a program, that knew more types than we do.
    bench.tamper("update task set agent_type = 'wizzard' where id = '4'")
    await bench.refused("role.not_found", "prompt", "4")
    expect(await bench.refused("role.not_found", "prompt", "2", "--role", "backnd")).toContain("did you mean backend?")
  })

  it("is not needed to learn that nobody of a type could do the task", async () => {
    using bench = makeBench(shop)
    const create = ["task", "create", "--title", "Look"]
    const before = bench.dump()
    expect(await bench.refused("role.not_found", ...create, "--agent-type", "excutor")).toContain(
      "did you mean executor?",
    )
    expect(await bench.refused("role.mismatch", ...create, "--role", "review", "--agent-type", "executor")).toStartWith(
      "a task (role review) needs a role for review, and executor is for implementation;",
    )
    await bench.refused("role.mismatch", ...create, "--role", "backend", "--agent-type", "code-reviewer")
    await bench.refused("role.mismatch", ...create, "--agent-type", "orchestrator")
    expect(bench.dump()).toEqual(before)
    put(join(bench.cwd, ".teamwork/roles/api-smith.md"), "---\nextends: executor\n---\nAlways page.\n")
    const { id } = await bench.ok<{ id: string }>(...create, "--role", "backend", "--agent-type", "api-smith")
    expect(await bench.refused("role.mismatch", "task", "update", id, "--role", "review")).toStartWith(
      `task ${id} (role`,
    )
    expect(await bench.ok("task", "update", id, "--role", "docs")).toMatchObject({ role: "docs" })
  })

  it("refuses what does not exist or is no name", async () => {
    await shop.refused("task.not_found", "prompt", "99")
    await shop.refused("worker.not_found", "prompt", "2", "--worker", "w9")
    await shop.refused("input.invalid", "prompt", "2", "--agent", "../x")
    await shop.refused("role.not_found", "role", "show", "nobody-at-all")
  })
})
