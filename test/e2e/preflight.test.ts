// Repositories as they are found: gates that are red, that cannot run here, or that are not there. Each run is a whole team
// with real processes, and agents that are scripts; every agent run is counted.
import { describe, expect, it } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { planOfTemplate, TEMPLATES } from "../../src/planning/plan-templates.ts"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 3 * TEST_TIMEOUT_MS
const RUN = ["run", "--no-review", "--no-cascade", "--workers", "2", "--yes"]

/** Three tests of node: two are red, and each can be fixed by a file of its own. */
const RED = {
  "package.json": JSON.stringify({ name: "red", scripts: { test: "node --test --test-reporter=tap" } }),
  "a.test.mjs": test("a is right", "a.txt", "right"),
  "b.test.mjs": test("b is right", "b.txt", "right"),
  "c.test.mjs": test("c is right", "c.txt", "right"),
  ...{ "a.txt": "wrong\n", "b.txt": "wrong\n", "c.txt": "right\n", "d.txt": "wrong\n" },
}

function test(name: string, file: string, word: string): string {
  return [
    'import assert from "node:assert"',
    'import { readFileSync } from "node:fs"',
    'import { test } from "node:test"',
    `test(${JSON.stringify(name)}, () => assert.equal(readFileSync("${file}", "utf8").trim(), "${word}"))`,
    "",
  ].join("\n")
}

interface Ran {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Runs of agents. */
  readonly runs: number
}

async function runPlan(bench: Bench, tasks: readonly PlannedTask[], more: Data = {}): Promise<Ran> {
  const plan = writePlan(join(bench.cwd, "../plan.json"), tasks, more)
  const { exitCode, stdout, stderr } = await bench.run([...RUN, plan])
  return { exitCode, stdout, stderr, runs: await countRuns(bench) }
}

async function countRuns(bench: Bench): Promise<number> {
  const report = await bench.ok<{ cost: { total: { runs: number } } }>("report", "--json")
  return report.cost.total.runs
}

const gatesOf = async (bench: Bench) =>
  (await bench.ok<{ gates: Data[] }>("preflight")).gates.map(({ kind, state, program }) => ({ kind, state, program }))

describe("teamwork preflight", () => {
  it("F001 F002: tells green, red, not installed, too slow and absent apart, with what to do", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd, {
      ...RED,
      "pyproject.toml": "[tool.ruff]\nline-length = 100\n",
      "teamwork.json": JSON.stringify({ gates: { build: ["sleep 60"], timeoutSeconds: 6 } }),
    })
    const shown = await bench.run(["preflight", "--format", "table"])
    expect(shown.exitCode).toBe(0)
    const text = shown.stdout
    expect(text).toMatch(/^GATE +STATE +TIME +COMMAND$/m)
    expect(text).toMatch(/^build +too slow .* sleep 60$/m)
    expect(text).toMatch(/^lint +not installed .* ruff check \.$/m)
    expect(text).toMatch(/^test +red .* npm run test$/m)
    expect(text).toContain("ruff check . cannot run: ruff is not installed. It is left out.")
    expect(text).toContain("pip install ruff")
    expect(text).toContain("2 tests fail: ")
    expect(text).toContain("a is right")
    expect(text).toContain("teamwork config set gates.timeoutSeconds SECONDS")
    expect(await gatesOf(bench)).toEqual([
      { kind: "build", state: "too_slow", program: null },
      { kind: "lint", state: "not_installed", program: "ruff" },
      { kind: "test", state: "red", program: null },
    ])
  })

  it("F012: shows the last lines of a red gate that names no test", async () => {
    using bench = makeBench()
    const build = ["echo the compiler is too old; exit 1"]
    makeRepository(bench.cwd, { "teamwork.json": JSON.stringify({ gates: { build } }) })
    const { stdout } = await bench.run(["preflight", "--format", "table"])
    expect(stdout).toMatch(/is red before any work\..*\n {4}the compiler is too old$/m)
    const { gates } = await bench.ok<{ gates: Data[] }>("preflight")
    expect(gates[0]).toMatchObject({ state: "red", last_lines: ["the compiler is too old"] })
  })

  it("a run of a plan that is not there is refused before the base is judged", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd, { ...RED, "teamwork.json": JSON.stringify({ gates: { build: ["touch ../judged"] } }) })
    expect(await bench.refused("plan.not_found", ...RUN, "nope.yml")).toContain("there is no file")
    const { stderr, stdout } = await bench.run([...RUN, "plans/nope"])
    expect(`${stdout}${stderr}`).toBe('Error: there is no file "plans/nope"\n')
  })

  it("F002: names what go.mod and npm scripts need, and what is absent or switched off", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd, { "go.mod": "module example.com/x\n" })
    const path = onlyPrograms(bench, ["git", "sh"])
    const go = await bench.run(["preflight", "--json"], { env: { PATH: path } })
    const { data } = go.json<{ data: { gates: Data[] } }>()
    expect(data.gates.map(({ kind, state, program, advice }) => [kind, state, program, advice])).toEqual([
      ["build", "not_installed", "go", "install Go from https://go.dev/dl"],
      ["lint", "not_installed", "go", "install Go from https://go.dev/dl"],
      ["test", "not_installed", "go", "install Go from https://go.dev/dl"],
    ])
    using other = makeBench()
    makeRepository(other.cwd, {
      "package.json": JSON.stringify({ scripts: { test: "ava" } }),
      "teamwork.json": JSON.stringify({ gates: { enableBuild: false } }),
    })
    expect(await other.ok<{ gates: Data[] }>("preflight")).toMatchObject({
      gates: [
        { kind: "build", state: "off", line: null },
        { kind: "lint", state: "absent", advice: 'name a command: teamwork config set gates.lint "COMMAND"' },
        { kind: "test", state: "not_installed", program: "ava", advice: "install the project's packages: npm install" },
      ],
    })
  })

  it("shows why a gate is red as a whole, and warns where no gate can judge the work, also in the report", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd, { Makefile: "test:\n\t@echo first; echo; echo 'no such module: shop' >&2; exit 1\n" })
    const { gates } = await bench.ok<{ gates: Data[] }>("preflight")
    const red = gates.find(({ kind }) => kind === "test")
    expect(red).toMatchObject({ state: "red", failing: null })
    expect(red?.last_lines).toContain("no such module: shop")
    const { stdout } = await bench.run(["preflight", "--format", "table"])
    expect(stdout).toMatch(/^ {4}no such module: shop$/m)
    const warning =
      /No gate can judge the work here \(build absent, lint absent, test red\).* teamwork config set gates.test/
    expect(stdout).toMatch(warning)
    const ran = await runPlan(bench, [{ id: "1", run: ["echo x > x.txt"] }])
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringMatching(warning)])
    const { notes } = await bench.ok<{ notes: string[] }>("report", "--json")
    expect(notes[0]).toMatch(warning)
    // A gate that is green says something about the work.
    using other = makeBench()
    makeRepository(other.cwd, { Makefile: "test:\n\ttrue\n" })
    expect((await other.run(["preflight", "--format", "table"])).stdout).not.toContain("No gate can judge")
  })

  it("runs nothing a second time, and refuses what is no commit", async () => {
    using bench = makeBench()
    const counter = join(bench.cwd, "../counter")
    makeRepository(bench.cwd, {
      Makefile: `test:\n\techo run >> ${counter}\n\nlint:\n\techo run >> ${counter}; exit 1\n`,
    })
    const count = () => (existsSync(counter) ? readFileSync(counter, "utf8").trim().split("\n").length : 0)
    const first = await bench.ok("preflight")
    // Once what passes; what fails a second time, since it may have failed by chance.
    expect(count()).toBe(3)
    expect(await bench.ok("preflight")).toEqual(first)
    expect(count()).toBe(3)
    await bench.ok("preflight", "--again")
    expect(count()).toBe(6)
    await bench.refused("gate.no_commit", "preflight", "--commit", "nowhere")
    await bench.refused("input.invalid", "preflight", "--commit=")
    const { findings } = await bench.ok<{ findings: Data[] }>("doctor")
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "gates", detail: expect.stringContaining("test green") }),
    )
  })
})

/** A folder with links to these programs only. */
function onlyPrograms(bench: Bench, names: readonly string[]): string {
  const folder = join(bench.cwd, "../bin")
  mkdirSync(folder, { recursive: true })
  for (const name of names) {
    const real = Bun.which(name)
    if (real !== null) writeFileSync(join(folder, name), `#!/bin/sh\nexec ${real} "$@"\n`, { mode: 0o755 })
  }
  return folder
}

describe("a run in a repository", () => {
  it("has the preflight in its JSON answer, and leaves out a gate that is too slow", async () => {
    using bench = makeBench()
    const settings = { gates: { timeoutSeconds: 1 } }
    makeRepository(bench.cwd, { Makefile: "test:\n\tsleep 30\n", "teamwork.json": JSON.stringify(settings) })
    const plan = writePlan(join(bench.cwd, "../plan.json"), [{ id: "1", run: ["echo x > x.txt"] }])
    const ran = await bench.run([...RUN, plan, "--json"])
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.any(String)])
    // Events come first, one on each line.
    const { data } = JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "") as {
      data: { preflight: { gates: Data[] } }
    }
    expect(data.preflight.gates.find(({ kind }) => kind === "test")).toMatchObject({ state: "too_slow" })
    expect(await countRuns(bench)).toBe(1)
    expect(git(bench.cwd, "show", "main:x.txt")).toBe("x")
  })

  it("whose base cannot be set up stops before any agent run, also one that plans, with the last lines", async () => {
    using bench = makeBench()
    const settings = { workspace: { setup: "echo no network here; exit 3" } }
    makeRepository(bench.cwd, { Makefile: "test:\n\ttrue\n", "teamwork.json": JSON.stringify(settings) })
    const calls = join(bench.cwd, "../calls")
    const bin = onlyPrograms(bench, ["git", "sh", "make"])
    writeFileSync(join(bin, "claude"), `#!/bin/sh\necho "$@" >> ${calls}\n`, { mode: 0o755 })
    const plan = writePlan(join(bench.cwd, "../plan.json"), [{ id: "1", run: ["echo x > x.txt"] }])
    for (const what of [plan, "Build a search page"]) {
      const ran = await bench.run([...RUN, what], { env: { PATH: `${bin}:/usr/bin:/bin` } })
      expect([what, ran.exitCode, ran.stderr]).toEqual([what, 1, expect.stringContaining("no network here")])
    }
    const asked = existsSync(calls) ? readFileSync(calls, "utf8") : ""
    expect(asked).not.toMatch(/(^| )(-p|--print)( |$)/m)
    expect(await countRuns(bench)).toBe(0)
  })

  it(
    "F001: whose linter is not installed delivers, and says so before any worker starts and in the report",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "pyproject.toml": "[tool.ruff]\n", Makefile: "test:\n\ttest -e README.md\n" })
      const ran = await runPlan(bench, [
        { id: "1", run: ["echo one > f1"] },
        { id: "2", run: ["echo two > f2"] },
      ])
      expect(ran).toMatchObject({ exitCode: 0, runs: 2 })
      expect(ran.stderr).toContain("ruff is not installed. It is left out.")
      expect(git(bench.cwd, "show", "main:f2")).toBe("two")
      const report = (await bench.text("report")).replaceAll(/\s+/g, " ")
      expect(report).toContain("Before lint not installed (ruff), test green")
      expect(report).toContain("ruff is not installed, or not on the PATH; it is left out; pip install ruff")
      const { events } = await bench.ok<{ events: Data[] }>("events", "tail", "--limit", "1000")
      const types = events.map(({ type }) => type)
      expect(types.indexOf("preflight.done")).toBeLessThan(types.indexOf("worker.started"))
      expect(types).toContain("preflight.done")
    },
    LONG_MS,
  )

  it(
    "F002: whose language is not installed delivers with one run for each task",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "go.mod": "module example.com/x\n", "teamwork.json": goless() })
      const ran = await runPlan(bench, [
        { id: "1", run: ["echo one > f1"] },
        { id: "2", run: ["echo two > f2"], needs: ["1"] },
      ])
      expect(ran).toMatchObject({ exitCode: 0, runs: 2 })
      expect(ran.stderr).toContain("no-such-go is not installed")
      expect(git(bench.cwd, "show", "main:f1")).toBe("one")
    },
    LONG_MS,
  )

  it(
    "F003: whose tests are red lets an explorer and a reviewer pass, and fixers each fix theirs",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, RED)
      const ran = await runPlan(bench, [
        { id: "look", run: ["echo the cause is in a.txt"], files: [], agentType: "explorer" },
        { id: "judge", run: ["echo the cause is in a.txt"], files: [], role: "review" },
        { id: "a", run: ["echo right > a.txt"], files: ["a.txt"] },
        { id: "b", run: ["echo right > b.txt"], files: ["b.txt"] },
      ])
      expect(ran).toMatchObject({ exitCode: 0, runs: 4 })
      expect(git(bench.cwd, "show", "main:a.txt")).toBe("right")
      const report = await bench.ok<{ results: Data[] }>("report", "--json")
      expect(report.results).toContainEqual(
        expect.objectContaining({ what: "tests", status: "passed", before: 2, now: 0 }),
      )
      expect(await bench.text("report")).toMatch(/^Tests +passed: red before: 2, now 0$/m)
    },
    LONG_MS,
  )

  it(
    "F003: whose tests are red still fails a task that breaks another test, and delivers nothing worse",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, RED)
      const ran = await runPlan(bench, [
        {
          id: "c",
          run: ["echo wrong > c.txt"],
          repair: ["echo right > c.txt; echo more > e.txt"],
          files: ["c.txt", "e.txt"],
        },
      ])
      expect(ran).toMatchObject({ exitCode: 0, runs: 2 })
      expect(git(bench.cwd, "show", "main:c.txt")).toBe("right")
      const verdicts = await bench.ok<Data[]>("verdict", "list")
      const [first] = verdicts.filter(({ scope }) => scope === "task")
      expect(first).toMatchObject({ status: "failed" })
      expect(JSON.stringify(first?.issues)).toContain("1 test fails that did not before: ")
      expect(JSON.stringify(first?.issues)).toContain("c is right")
    },
    LONG_MS,
  )

  it(
    "F003: whose tests are red holds a check against the task that names it",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, RED)
      const checks = ["npm run test"]
      const ran = await runPlan(bench, [
        {
          ...{ id: "all", checks, files: ["a.txt", "b.txt"], run: ["echo right > a.txt"] },
          repair: ["echo right > b.txt"],
        },
      ])
      expect(ran).toMatchObject({ exitCode: 0, runs: 2 })
      expect(git(bench.cwd, "show", "main:b.txt")).toBe("right")
    },
    LONG_MS,
  )

  it(
    "F003: passes what is flaky with a warning, and runs nothing a third time on one tree (I13)",
    async () => {
      using bench = makeBench()
      const counter = join(bench.cwd, "../counter")
      // Fails the first time that it sees f1.
      const line = `test ! -f f1 || { echo run >> ${counter}; test "$(wc -l < ${counter})" -gt 1; }`
      makeRepository(bench.cwd, { "teamwork.json": JSON.stringify({ gates: { test: [line] } }) })
      const ran = await runPlan(bench, [{ id: "1", run: ["echo one > f1"] }])
      expect(ran).toMatchObject({ exitCode: 0, runs: 1 })
      expect(readFileSync(counter, "utf8").trim().split("\n")).toHaveLength(2)
      expect(await bench.text("report")).toContain("flaky")
    },
    LONG_MS,
  )

  it(
    "F014: lets a debugger diagnose, or add the failing test that it was asked for, before it is fixed",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, RED)
      const broken = test("d is right", "d.txt", "right").replaceAll("'", "'\\''")
      const ran = await runPlan(bench, [
        { id: "diagnose", run: ["echo the cause is in a.txt"], files: [], agentType: "debugger" },
        {
          ...{
            id: "show",
            agentType: "debugger",
            files: ["d.test.mjs"],
            run: [`printf '%s' '${broken}' > d.test.mjs`],
          },
          acceptance: ["The cause is named, and a test that fails because of it shows it"],
        },
        {
          ...{ id: "fix", needs: ["show"], files: ["d.txt"], run: ["echo right > d.txt"] },
        },
      ])
      expect(ran).toMatchObject({ exitCode: 0, runs: 3 })
      expect(git(bench.cwd, "show", "main:d.txt")).toBe("right")
    },
    LONG_MS,
  )
})

describe("the templates in a repository whose tests are red", () => {
  const broken = test("d is right", "d.txt", "right").replaceAll("'", "'\\''")
  /** What each type of agent does; the others only say something. */
  const WORK: Readonly<Record<string, readonly string[]>> = {
    executor: ["echo right > d.txt"],
    designer: ["echo page > page.html"],
    "test-engineer": ["cp c.test.mjs more.test.mjs"],
    debugger: [`printf '%s' '${broken}' > d.test.mjs`],
  }

  it.each([...TEMPLATES])(
    "F003 F014: %s passes its own gates with one run for each task",
    async (template) => {
      using bench = makeBench()
      makeRepository(bench.cwd, RED)
      const { tasks } = planOfTemplate(template, "Make d right", { available: [], files: [] })
      const planned = tasks.map((task) => ({
        ...task,
        files: "files" in task ? task.files : [],
        run: WORK[task.agentType] ?? ["echo it is in d.txt"],
      }))
      const ran = await runPlan(bench, planned)
      expect(ran).toMatchObject({ exitCode: 0, runs: planned.length })
    },
    LONG_MS,
  )

  it(
    "F003: a build-fixer mends a build that was red",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { ...RED, Makefile: "build:\n\tgrep right d.txt\n" })
      const run = ["echo right > d.txt"]
      const ran = await runPlan(bench, [{ id: "fix", agentType: "build-fixer", files: ["d.txt"], run }])
      expect(ran).toMatchObject({ exitCode: 0, runs: 1 })
      expect(ran.stderr).toContain("make build is red before any work.")
    },
    LONG_MS,
  )
})

function goless(): string {
  const gates = { build: ["no-such-go build ./..."], lint: ["no-such-go vet ./..."], test: ["no-such-go test ./..."] }
  return JSON.stringify({ gates })
}
