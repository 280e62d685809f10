// Who owns which files, as people and agents meet it on the command line.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

async function makeShop(): Promise<Bench> {
  const bench = makeBench()
  git(bench.cwd, "init", "--quiet", "--initial-branch=main")
  git(bench.cwd, "config", "user.name", "Test")
  git(bench.cwd, "config", "user.email", "test@example.com")
  git(bench.cwd, "commit", "--quiet", "--allow-empty", "-m", "Start")
  await bench.ok("project", "create", "--goal", "Search")
  return bench
}

function write(bench: Bench, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(bench.cwd, path, ".."), { recursive: true })
    writeFileSync(join(bench.cwd, path), content)
  }
}

describe("ownership", () => {
  it("goes from the plan over an exception to what is delivered", async () => {
    using bench = await makeShop()
    const at = ["--team", "main"]
    await bench.ok("task", "create", "--title", "API", "--files", "src/api/**")
    await bench.ok("task", "create", "--title", "Docs", "--files", "docs/")
    const overlap = await bench.refused("ownership.overlap", "task", "create", "--title", "All", "--files", "src/**")
    expect(overlap).toContain("src/** of task 3 and src/api/** of task 1 both match src/api/a")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    git(bench.cwd, "checkout", "--quiet", "-b", "teamwork/shop/main/w1")
    write(bench, { "src/api/a.ts": "a\n", "docs/api.md": "api\n", "package.json": "{}\n", "a b$(x)\n.txt": "odd\n" })

    const refused = await bench.run([
      "ownership",
      "check",
      ...at,
      "--task",
      "1",
      "docs/api.md",
      join(bench.cwd, "src/api/a.ts"),
    ])
    expect(refused.exitCode).toBe(1)
    expect(refused.json<{ data: { paths: Data[] } }>().data.paths.map(({ path, allowed }) => [path, allowed])).toEqual([
      ["docs/api.md", false],
      ["src/api/a.ts", true],
    ])
    expect(await bench.text("ownership", "list", ...at)).toBe("No exceptions.\n")
    await bench.ok(
      "ownership",
      "ask",
      ...at,
      "1",
      "--owner",
      "w1",
      "--path",
      "docs/api.md",
      "--reason",
      "the endpoint is new",
    )
    expect(await bench.refused("ownership.not_allowed", "ownership", "grant", ...at, "1", "1", "--by", "w1")).toContain(
      "lead",
    )
    await bench.ok("ownership", "grant", ...at, "1", "1", "--by", "orchestrator")

    const done = await bench.ok<{ kept: Data[]; aside: { ref: string; changes: Data[] } }>(
      ...["ownership", "enforce", ...at, "--task", "1", "--owner", "w1", "--base", "main"],
    )
    expect(done.kept.map(({ path }) => path)).toEqual(["docs/api.md", "src/api/a.ts"])
    expect(done.aside.changes.map(({ path, reason }) => [path, reason])).toEqual([
      ["a b$(x)\n.txt", "not_owned"],
      ["package.json", "shared"],
    ])
    expect(git(bench.cwd, "log", "--format=%s", "main..HEAD")).toBe("API")
    expect(git(bench.cwd, "diff", "--name-only", "main", "HEAD")).toBe("docs/api.md\nsrc/api/a.ts")
    expect(git(bench.cwd, "show", `${done.aside.ref}:package.json`)).toBe("{}")
    expect(git(bench.cwd, "status", "--porcelain")).toBe("")
    const messages = await bench.ok<{ payload: { message: string } }[]>("mailbox", "read", ...at, "orchestrator")
    expect(messages.at(-1)?.payload.message).toContain(`does not own it: a b$(x)`)
    const again = await bench.text("ownership", "enforce", ...at, "--task", "1", "--owner", "w1", "--base", "main")
    expect(again).toEndWith("\nNothing was set aside\n")
    expect(await bench.ok<Data[]>("mailbox", "read", ...at, "orchestrator")).toHaveLength(messages.length)
  })

  it("gives the same files to one of several who plan at the same time", async () => {
    using bench = await makeShop()
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        bench.run(["task", "create", "--title", `T${index}`, "--files", index % 2 === 0 ? "src/**" : "src/a.ts"]),
      ),
    )
    expect(results.filter((result) => result.exitCode === 0)).toHaveLength(1)
    expect(await bench.ok<Data[]>("task", "list")).toHaveLength(1)
    const waiting = await Promise.all(
      Array.from({ length: 4 }, () =>
        bench.ok<Data>("task", "create", "--title", "Again", "--files", "src/a.ts", "--on-overlap", "serialise"),
      ),
    )
    expect(waiting.map((task) => (task.blocked_by as string[]).length).sort()).toEqual([1, 2, 3, 4])
    expect((await bench.ok<{ overlaps: Data[] }>("ownership", "check")).overlaps).toEqual([])
  })

  it("says what is wrong in a line and changes nothing", async () => {
    using bench = await makeShop()
    await bench.ok("task", "create", "--title", "One", "--files", "src/**")
    const before = bench.dump()
    const create = (...args: string[]) => ["task", "create", "--title", "Two", ...args] as const
    const wrong: [string, RegExp, readonly string[]][] = [
      ["input.invalid", /--files "\.\.\/x" is not valid: a path with \.\./, create("--files", "../x")],
      ["input.invalid", /--on-overlap "maybe" is not one of refuse, serialise/, create("--on-overlap", "maybe")],
      ["ownership.shared", /package\.json is a shared file.*--grant-shared/, create("--files", "package.json")],
      ["input.invalid", /--number "0" is less than 1/, ["ownership", "grant", "1", "0"]],
      ["ownership.not_found", /task 1 has no exception 7; it has 0/, ["ownership", "deny", "1", "7"]],
      ["task.not_found", /task 9/, ["ownership", "check", "--task", "9", "x"]],
      ["claim.lost", /not held by w1/, ["ownership", "ask", "1", "--owner", "w1", "--path", "x", "--reason", "y"]],
      ["input.invalid", /main is checked out here/, ["ownership", "enforce", "1", "--base", "main"]],
      [
        "input.invalid",
        /no base is pinned for task 1; name the commit or branch that its work started from with --base/,
        ["ownership", "enforce", "1"],
      ],
      ["usage", /unexpected argument "more"/, ["ownership", "grant", "1", "1", "more"]],
    ]
    for (const [code, message, args] of wrong) expect(await bench.refused(code, ...args)).toMatch(message)
    expect(bench.dump()).toEqual(before)
  })

  it("follows the configuration", async () => {
    using bench = await makeShop()
    await bench.ok("config", "set", "ownership.onOverlap", "serialise")
    await bench.ok("config", "set", "ownership.shared", "schema/*.sql")
    await bench.ok("task", "create", "--title", "One", "--files", "package.json")
    expect(await bench.ok("task", "create", "--title", "Two", "--files", "package.json")).toMatchObject({
      blocked_by: ["1"],
    })
    await bench.refused("ownership.shared", "task", "create", "--title", "Three", "--files", "schema/a.sql")
    await bench.ok("config", "set", "ownership.shared", "/etc/x")
    const message = await bench.refused("config.bad_value", "task", "create", "--title", "Three", "--files", "a")
    expect(message).toContain('ownership.shared: "/etc/x" is not valid')
    await bench.ok("task", "create", "--title", "Three")
  })
})
