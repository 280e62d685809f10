// Setting up agent programs in a repository, and taking that out again: through the command line, on real files.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { GUIDE, INIT_HOSTS } from "../../src/doors/setup/host-files.ts"
import { applyInit, planInit } from "../../src/doors/setup/set-up-hosts.ts"
import { callsIn, codeIn, problemWithCall, strayFlags } from "../support/mentions.ts"
import { makeScratch } from "../support/sandbox.ts"
import { type Bench, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"
import { END, HAS_TMUX, openPane, WHY_NO_TMUX } from "./pane.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

/** A repository with these files. */
function prepare({ cwd }: Pick<Bench, "cwd">, files: Readonly<Record<string, string | Buffer>> = {}): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), content)
  }
}

/** Every file of a folder with its bytes, those of git aside. */
function tree(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true }).map(String).sort()
  const files = paths.filter((path) => !/^\.git(?:\/|$)/.test(path) && statSync(join(folder, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path)).toString("latin1")]))
}

const EXISTING = {
  "AGENTS.md": "# How we work\r\n\r\nNo line break at the end",
  ".codex/config.toml": 'model = "gpt"\n\n[mcp_servers.docs]\ncommand = "docs"\n',
  ".gemini/settings.json": '{"theme":"dark", "mcpServers": {"docs": {"command": "docs"}}, "hooks": {"AfterAgent": []}}',
  "opencode.json": '{\n    "$schema": "https://opencode.ai/config.json"\n}\n',
}

describe("teamwork init", () => {
  it("writes what each program reads, beside what is there, and takes it out to the byte", async () => {
    using bench = makeBench()
    git(bench.cwd, "init", "-q", "-b", "main")
    prepare(bench, EXISTING)
    const before = tree(bench.cwd)
    const deep = join(bench.cwd, "src")
    mkdirSync(deep)
    const done = await bench.run(["init", "--yes", "--format", "table"], { cwd: deep, env: { PATH: "/usr/bin:/bin" } })
    expect(done).toMatchObject({ exitCode: 0, stderr: "" })
    expect(done.stdout).toBe(
      [
        ...["changed .codex/config.toml", "changed AGENTS.md", "changed .gemini/settings.json", "created GEMINI.md"],
        ...["changed opencode.json", "created .teamwork/opencode-plugin.js"],
        "put teamwork on your PATH: these programs start it by its name",
        "codex reads this in a trusted repository, and runs the hooks once you trust them there: /hooks",
        "gemini reads this in a trusted folder\n",
      ].join("\n"),
    )
    const after = tree(bench.cwd)
    for (const [path, content] of Object.entries(EXISTING).slice(0, 2)) expect(after[path]).toStartWith(content)
    const codex = Bun.TOML.parse(after[".codex/config.toml"] ?? "") as Record<string, never>
    expect(codex).toMatchObject({
      model: "gpt",
      mcp_servers: { docs: { command: "docs" }, teamwork: { command: "teamwork", args: ["mcp"] } },
      hooks: { Stop: [{ hooks: [{ type: "command", command: "teamwork hook stop --host codex" }] }] },
    })
    const gemini = JSON.parse(after[".gemini/settings.json"] ?? "")
    expect(gemini.mcpServers.teamwork).toEqual({ command: "teamwork", args: ["mcp"] })
    expect(gemini.hooks.AfterAgent).toEqual([
      { hooks: [{ type: "command", command: "teamwork hook stop --host gemini" }] },
    ])
    expect(JSON.parse(after["opencode.json"] ?? "")).toMatchObject({
      mcp: { teamwork: { type: "local", command: ["teamwork", "mcp"] } },
      plugin: ["./.teamwork/opencode-plugin.js"],
    })
    expect(await bench.text("init", "--yes")).toBe("Everything is set up already\n")
    expect(tree(bench.cwd)).toEqual(after)

    expect(await bench.text("init", "--remove", "--yes")).toContain("removed GEMINI.md\n")
    expect(tree(bench.cwd)).toEqual(before)
    expect(existsSync(join(bench.cwd, ".teamwork"))).toBe(false)
    expect(await bench.text("init", "--remove", "--yes")).toBe("There is nothing to remove\n")
  })

  it("shows the changes and writes nothing with --dry-run, or where nobody can be asked", async () => {
    using bench = makeBench()
    prepare(bench, EXISTING)
    const before = tree(bench.cwd)
    const dry = await bench.run(["init", "--for", "gemini", "--dry-run", "--format", "table"])
    expect(dry).toMatchObject({ exitCode: 0, stderr: "" })
    expect(dry.stdout).toContain("--- a/.gemini/settings.json\n+++ b/.gemini/settings.json\n@@ ")
    expect(dry.stdout).toContain("--- /dev/null\n+++ b/GEMINI.md\n")
    const asked = await bench.run(["init", "--for", "gemini"])
    expect(asked.exitCode).toBe(1)
    expect(asked.stderr).toBe(
      "Warning: nothing was written, since there is no terminal to ask on; look at the changes and run it again with --yes\n",
    )
    const { data } = asked.json<{ data: { files: { path: string; diff: string }[]; is_written: boolean } }>()
    expect(data).toMatchObject({ is_written: false, files: [{ path: ".gemini/settings.json" }, { path: "GEMINI.md" }] })
    expect(dry.stdout).toBe(`${data.files.map(({ diff }) => diff).join("\n")}\n`)
    expect(tree(bench.cwd)).toEqual(before)
  })

  it.skipIf(!HAS_TMUX)(`asks a person at a terminal, and does as told${WHY_NO_TMUX}`, async () => {
    using bench = makeBench()
    prepare(bench, { "AGENTS.md": "a\n" })
    const line = "teamwork init --for codex"
    using no = openPane(bench, 140, line)
    expect(await no.until((screen) => screen.includes("Write this?"))).toContain(
      '+command = "teamwork hook stop --host codex"',
    )
    no.press("n", "Enter")
    expect(await no.until((screen) => screen.includes(END))).toContain("Nothing was written")
    expect(tree(bench.cwd)).toEqual({ "AGENTS.md": "a\n" })
    using yes = openPane(bench, 140, line)
    await yes.until((screen) => screen.includes("Write this? [Y/n]"))
    yes.press("Enter")
    expect(await yes.until((screen) => screen.includes(END))).toContain("created .codex/config.toml\nchanged AGENTS.md")
    expect(Object.keys(tree(bench.cwd))).toEqual([".codex/config.toml", "AGENTS.md"])
  })

  it("takes one program out, and leaves the others what they share with it", async () => {
    using bench = makeBench()
    await bench.ok("init", "--for", "codex,opencode,claude", "--yes")
    const files = async (...args: string[]) => {
      await bench.ok("init", ...args, "--remove", "--yes")
      return Object.keys(tree(bench.cwd))
    }
    expect(Object.keys(tree(bench.cwd))).toHaveLength(7)
    const [opencode, claude] = [
      [".teamwork/opencode-plugin.js", "opencode.json"],
      [".claude/settings.json", ".mcp.json", "CLAUDE.md"],
    ]
    expect(await files("codex")).toEqual([...opencode, ...claude, "AGENTS.md"].sort())
    expect(await files("--for", "opencode")).toEqual([...claude].sort())
    expect(await files()).toEqual([])
  })

  it.each([
    [".gemini/settings.json", '{\n  // mine\n  "theme": "dark"\n}', "it is not plain JSON, or has comments"],
    [".gemini/settings.json", '{"mcpServers": {"teamwork": {"command": "my-own"}}}', "mcpServers.teamwork is there"],
    [".gemini/settings.json", '{"hooks": {"BeforeTool": {}}}', "hooks.BeforeTool is no list"],
    [".codex/config.toml", '[mcp_servers.teamwork]\ncommand = "my-own"\n', "no valid TOML"],
    [".codex/config.toml", "hooks = {}\n", "no valid TOML"],
    [".teamwork/opencode-plugin.js", "export const Mine = 1\n", "another program wrote it"],
    ["AGENTS.md", "<!-- teamwork init: begin -->\n", "must both be there, once"],
  ])("refuses to edit %s with %j, and writes nothing at all", async (path, content, problem) => {
    using bench = makeBench()
    prepare(bench, { [path]: content })
    const message = await bench.refused("init.refused", "init", "--yes")
    expect(message).toContain(`${path} cannot be edited: `)
    expect(message).toContain(problem)
    expect(tree(bench.cwd)).toEqual({ [path]: content })
  })

  it("does not follow links out of the repository, and names a program it does not know", async () => {
    using bench = makeBench()
    mkdirSync(join(bench.home, "settings"))
    symlinkSync(join(bench.home, "settings"), join(bench.cwd, ".codex"))
    expect(await bench.refused("init.refused", "init", "--for", "codex", "--yes")).toBe(
      ".codex/config.toml: it leads out of the repository; nothing was written",
    )
    expect(readdirSync(join(bench.home, "settings"))).toEqual([])
    expect(await bench.refused("input.invalid", "init", "--for", "codx")).toContain("is not one of codex, gemini")
  })

  it("puts back what it wrote when a later file cannot be", async () => {
    using bench = makeBench()
    prepare(bench, { "AGENTS.md": "a\n", ".teamwork": "a file where a folder should be\n" })
    const before = tree(bench.cwd)
    expect(await bench.refused("init.refused", "init", "--for", "codex,opencode", "--yes")).toMatch(
      /^\.teamwork\/opencode-plugin\.js: .*; nothing was written$/,
    )
    expect(tree(bench.cwd)).toEqual(before)
    expect(existsSync(join(bench.cwd, ".codex"))).toBe(false)
  })

  it("refuses when a file was changed after it was looked at", () => {
    using scratch = makeScratch()
    const changes = planInit({ root: scratch.path, hosts: ["codex"], isRemoval: false })
    prepare({ cwd: scratch.path }, { "AGENTS.md": "new\n" })
    expect(() => applyInit(scratch.path, changes)).toThrow("AGENTS.md: it was changed meanwhile; nothing was written")
    expect(tree(scratch.path)).toEqual({ "AGENTS.md": "new\n" })
  })

  it("and back is as it was, whatever files there are", () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array))
    const text = fc.string({ maxLength: 60 }).map((each) => Buffer.from(each))
    const markdown = fc.oneof(
      bytes,
      text,
      fc.constantFrom("", "\n", "a", "a\n", "a\r\n").map((each) => Buffer.from(each)),
    )
    const toml = fc.constantFrom(
      "",
      "a = 1",
      "a = 1\n",
      "# x\r\n[t]\r\nb = 2\r\n",
      '[mcp_servers.x]\ncommand = "x"',
      "[[hooks.Stop]]\n",
    )
    const inner = fc.constantFrom("{}", "{ }", "{\n}", '{"a": 1}', '{\n  "b": [ ]\n}')
    const json = fc
      .tuple(fc.constantFrom("mcpServers", "hooks", "mcp", "theme"), inner, fc.constantFrom("", " ", "\n", "\r\n\t"))
      .map(([key, value, space]) => `{${space}"${key}":${space}${value}${space}}${space}`)
    const settings = fc.oneof(inner, json).map((each) => Buffer.from(each))
    const files = fc.record(
      {
        ...{ "AGENTS.md": markdown, "GEMINI.md": markdown, "CLAUDE.md": markdown },
        ...{ ".codex/config.toml": toml.map((each) => Buffer.from(each)), ".gemini/settings.json": settings },
        ...{ "opencode.json": settings, ".mcp.json": settings, ".claude/settings.json": settings },
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(files, fc.subarray([...INIT_HOSTS], { minLength: 1 }), (existing, hosts) => {
        using scratch = makeScratch()
        const root = scratch.path
        prepare({ cwd: root }, existing)
        const before = tree(root)
        applyInit(root, planInit({ root, hosts, isRemoval: false }))
        expect(planInit({ root, hosts, isRemoval: false })).toEqual([])
        applyInit(root, planInit({ root, hosts, isRemoval: true }))
        expect(tree(root)).toEqual(before)
      }),
      { numRuns: 60 },
    )
  })
})

it("what agents are told by it is what the program takes", async () => {
  const code = codeIn(GUIDE.join("\n"))
  const problems = await Promise.all(callsIn(code).map((args) => problemWithCall(args)))
  expect(problems.filter((problem) => problem !== undefined)).toEqual([])
  expect(callsIn(code).length).toBeGreaterThan(8)
  expect(await strayFlags(code)).toEqual([])
})
