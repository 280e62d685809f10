// What a repository may have us start or use before a person agreed to it: nothing.
import { describe, expect, it } from "bun:test"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { makeRepository, snapshotFolder } from "../support/repository.ts"
import { runCli } from "../support/run-cli.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { makeBench } from "./bench.ts"
import { prepareRepository } from "./command-cases.ts"
import { END, HAS_TMUX, openPane, WHY_NO_TMUX } from "./pane.ts"

const PLAN = `goal: Write
tasks:
  - id: a
    title: Write a
    acceptance: [it is there]
    files: [b.txt]
    run: echo b > b.txt
`
const MANIFEST = JSON.stringify({ scripts: { test: "touch ran; true" } })

function makePlace(files: Record<string, string>) {
  const repository = makeRepository({ files })
  const home = makeScratch("home")
  const cwd = repository.path
  return {
    repository,
    home: home.path,
    run: (args: readonly string[], env: Record<string, string | undefined> = {}) =>
      runCli(args, { home: home.path, cwd, env: { TEAMWORK_TRUST: undefined, ...env } }),
    [Symbol.dispose]() {
      repository[Symbol.dispose]()
      home[Symbol.dispose]()
    },
  }
}

const NO_REVIEW = ["--no-review", "--no-cascade"]

describe("F125: settings of a repository's own file", () => {
  it("connect to no server and make no file that only the repository names", async () => {
    let calls = 0
    const server = createServer((socket) => {
      calls++
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as { port: number }
    try {
      for (const store of [`postgres://127.0.0.1:${port}/x`, "sqlite:./made/by.db"]) {
        using place = makePlace({ "teamwork.json": JSON.stringify({ store }) })
        const before = snapshotFolder(place.repository.path)
        const status = await place.run(["project", "status"], { PGPASSWORD: "secret" })
        expect(status.stderr).toContain("sets store; not used until you agree to it. See: teamwork trust")
        expect([calls, snapshotFolder(place.repository.path)]).toEqual([0, before])
        const listed = await place.run(["config", "list", "--json"])
        expect(listed.stdout).not.toContain("made/by.db")
      }
    } finally {
      server.close()
    }
  })

  it("hold once a person agreed, until they change, and harmless ones at once", async () => {
    using place = makePlace({ "teamwork.json": JSON.stringify({ store: "sqlite:./own.db", team: { maxAgents: 3 } }) })
    expect((await place.run(["config", "get", "team.maxAgents"])).stdout).toContain("3")
    const trusted = await place.run(["trust", "--yes", "--format", "table"])
    expect(trusted).toMatchObject({ exitCode: 0 })
    expect(trusted.stdout).toContain("setting store: sqlite:./own.db (teamwork.json)")
    expect(await place.run(["project", "create", "--goal", "x"])).toMatchObject({ exitCode: 0, stderr: "" })
    expect(existsSync(join(place.repository.path, "own.db"))).toBe(true)
    place.repository.write({ "teamwork.json": JSON.stringify({ store: "sqlite:./other.db" }) })
    expect((await place.run(["project", "list"])).stderr).toContain("sets store; not used")
    expect(existsSync(join(place.repository.path, "other.db"))).toBe(false)
  })
})

describe("F125: the programs that a repository would start", () => {
  it("are not started by run in a pipe, and nothing is changed; the answer names the line to type", async () => {
    using place = makePlace({ "package.json": MANIFEST, "plan.yml": PLAN })
    const before = snapshotFolder(place.repository.path)
    const refused = await place.run(["run", "plan.yml", ...NO_REVIEW, "--json"])
    expect(refused.exitCode).toBe(2)
    const error = JSON.parse(refused.stderr)
    expect(error).toMatchObject({ code: "trust.needed", details: { programs: ["test: npm run test (package.json)"] } })
    expect(error.message).toContain("teamwork trust --yes")
    expect(snapshotFolder(place.repository.path)).toEqual(before)
    expect(existsSync(join(place.home, "trust.json"))).toBe(false)
    for (const command of [
      ["verify", "project"],
      ["worker", "--once", "--worker-id", "w1"],
      ["swarm", "spawn"],
    ])
      expect([command, (await place.run(command)).exitCode]).toEqual([command, 2])
  })

  it("include the steps of the set-up", async () => {
    const lock = JSON.stringify({
      name: "shop",
      lockfileVersion: 3,
      packages: { "": { dependencies: { small: "1.0.0" } }, "node_modules/small": { version: "1.0.0" } },
    })
    const manifest = JSON.stringify({ ...JSON.parse(MANIFEST), dependencies: { small: "1.0.0" } })
    using place = makePlace({ "package.json": manifest, "package-lock.json": lock, "plan.yml": PLAN })
    const refused = await place.run(["run", "plan.yml", ...NO_REVIEW, "--json"])
    const { details } = JSON.parse(refused.stderr) as { details: { programs: string[] } }
    expect(details.programs).toContainEqual(expect.stringContaining("set-up: npm ci"))
  })

  it("are started with --trust, remembered, and asked about again when the script behind them changes", async () => {
    using place = makePlace({ "package.json": MANIFEST, "plan.yml": PLAN })
    const done = await place.run(["run", "plan.yml", ...NO_REVIEW, "--trust"])
    expect(done.exitCode).toBe(0)
    expect(place.repository.read("b.txt")).toBe("b\n")
    expect(statSync(join(place.home, "trust.json")).mode & 0o077).toBe(0)
    expect(await place.run(["trust", "--list"])).toMatchObject({ exitCode: 0 })
    expect(readFileSync(join(place.home, "trust.json"), "utf8")).toContain("npm run test")
    expect((await place.run(["trust"])).exitCode).toBe(0)
    place.repository.commit("Change", { "package.json": JSON.stringify({ scripts: { test: "curl evil.example" } }) })
    expect((await place.run(["trust"])).exitCode).toBe(1)
    expect(await place.run(["run"])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("teamwork trust") })
  })

  it("are taken back", async () => {
    using place = makePlace({ "package.json": MANIFEST })
    expect((await place.run(["trust", "--yes"])).exitCode).toBe(0)
    expect((await place.run(["trust", "--remove"])).json<{ data: unknown }>().data).toMatchObject({ removed: true })
    expect((await place.run(["trust", "--remove"])).json<{ data: unknown }>().data).toMatchObject({ removed: false })
    expect((await place.run(["trust", "--list"])).json<{ data: unknown }>().data).toEqual([])
    expect((await place.run(["trust", "--list", "--yes"])).exitCode).toBe(2)
  })

  it("are shown without being agreed to in a pipe, and no agent can agree", async () => {
    using place = makePlace({
      "package.json": MANIFEST,
      ".mcp.json": '{"mcpServers":{"a":{"command":"npx","args":["evil"]}}}',
    })
    const shown = await place.run(["trust"])
    expect(shown.exitCode).toBe(1)
    expect(shown.json<{ data: { programs: unknown } }>().data.programs).toEqual([
      { what: "test", line: "npm run test", from: "package.json", script: "touch ran; true" },
      { what: "MCP server a of agents", line: "npx evil", from: ".mcp.json" },
    ])
    expect((await place.run(["trust", "--yes"], { TEAMWORK_WORKER_MARK_0: "1" })).exitCode).toBe(1)
    expect(existsSync(join(place.home, "trust.json"))).toBe(false)
  })

  it("need no word where the repository has none, or the person set the commands", async () => {
    using plain = makePlace({ "plan.yml": PLAN })
    expect((await plain.run(["run", "plan.yml", ...NO_REVIEW])).exitCode).toBe(0)
    using own = makePlace({ "package.json": MANIFEST })
    expect((await own.run(["trust"], { TEAMWORK_GATES_TEST: "true" })).exitCode).toBe(0)
  })
})

describe.skipIf(!HAS_TMUX)(`F125: at a terminal${WHY_NO_TMUX}`, () => {
  it("a person is shown the programs and asked once; no means that nothing is started", async () => {
    using bench = makeBench()
    prepareRepository(bench)
    writeFileSync(join(bench.cwd, "package.json"), MANIFEST)
    Bun.spawnSync(["git", "add", "--all"], { cwd: bench.cwd, env: sandboxEnv() })
    const commit = ["-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "--quiet", "-m", "Tests"]
    Bun.spawnSync(["git", ...commit], { cwd: bench.cwd, env: sandboxEnv() })
    const trust = async (answer: string) => {
      using pane = openPane(bench, 120, "teamwork trust; echo ended with $?", { TEAMWORK_TRUST: "" })
      if (answer !== "") {
        const screen = await pane.until((each) => each.includes("[y/N]"))
        expect(screen).toContain("test: npm run test (package.json)\n      touch ran; true")
        pane.press(answer, "Enter")
      }
      return await pane.until((each) => each.includes(END))
    }
    expect(await trust("n")).toContain("ended with 1")
    expect(await trust("y")).toContain("ended with 0")
    expect(await trust("")).toContain("ended with 0")
  })
})

it("F018: a script task and a gate name the program that was not found", async () => {
  using place = makePlace({
    "plan.yml":
      "goal: Try\ntasks:\n  - id: a\n    title: Try\n    acceptance: [it is there]\n    run: frobnicate --all\n",
  })
  const done = await place.run(["run", "plan.yml", ...NO_REVIEW])
  expect(done.exitCode).toBe(1)
  const events = await place.run(["events", "tail", "--type", "task.setback"])
  expect(events.stdout).toContain("frobnicate was not found")
  expect((await place.run(["report"])).stdout).toContain("frobnicate was not found")
})

it("F018: unittest is found and run", async () => {
  const test = "import unittest\nclass A(unittest.TestCase):\n  def test_a(self): pass\n"
  using place = makePlace({ "test_shop.py": test, "plan.yml": PLAN })
  expect((await place.run(["run", "plan.yml", ...NO_REVIEW, "--yes"])).exitCode).toBe(0)
  expect((await place.run(["verdict", "list"])).stdout).toContain("python3 -m unittest exited with 0")
})

it("suggests what CI runs, with the line to type, and does not run it", async () => {
  const workflow = "jobs:\n  a:\n    steps:\n      - run: ./scripts/test all\n"
  using place = makePlace({ ".github/workflows/ci.yml": workflow })
  const { stdout } = await place.run(["doctor", "--format", "table"])
  expect(stdout).toContain(
    "no test command was found; .github/workflows/ci.yml:4 has one: teamwork config set gates.test './scripts/test all'",
  )
  expect((await place.run(["trust"])).json<{ data: { programs: unknown } }>().data.programs).toEqual([])
})
