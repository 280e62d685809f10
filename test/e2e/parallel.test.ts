// What can be done at the same time is done at the same time, with nothing said about it. The tasks wait for each other:
// one after the other they would never end.
import { describe, expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeAnswers } from "../support/answers.ts"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 3 * TEST_TIMEOUT_MS
const RUN = ["run", "--no-review"]

/** Says that it is there, and waits until the others are. */
function meet(bench: Bench, name: string, others: readonly string[]): string {
  const at = (each: string) => `'${join(bench.home, `met-${each}`)}'`
  const wait = (each: string) =>
    `for i in $(seq 300); do test -e ${at(each)} && break; sleep 0.1; done; test -e ${at(each)}`
  return [`touch ${at(name)}`, ...others.map(wait)].join("; ")
}

async function claims(bench: Bench): Promise<string[]> {
  const { events } = await bench.ok<{ events: Data[] }>("events", "tail", "--limit", "1000")
  return events.flatMap(({ type, data }) => {
    const { task } = data as { task?: string }
    return type === "task.claimed" || type === "task.merged" ? [`${type} ${task}`] : []
  })
}

describe("a plan that says nothing about workers and waves", () => {
  it.each([
    ["two independent tasks of one role", ["backend", "backend"]],
    ["three tasks of anybody", ["worker", "worker", "worker"]],
    ["tasks of different roles, and two of one of them", ["backend", "docs", "docs"]],
  ])(
    "F015: does %s at the same time",
    async (_, roles) => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const ids = roles.map((_, index) => `t${index}`)
      const tasks = roles.map((role, index) => {
        const id = `t${index}`
        return { id, role, run: [meet(bench, id, ids), `echo ${id} > f${id}`] }
      })
      const { exitCode, stdout } = await bench.run([...RUN, planFor(bench, tasks)])
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      const told = await claims(bench)
      expect(told.slice(0, ids.length).toSorted()).toEqual(ids.map((id) => `task.claimed ${id}`))
      expect(told).toHaveLength(2 * ids.length)
    },
    LONG_MS,
  )

  it(
    "F015: starts no more than team.maxAgents",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const tasks = ["a", "b", "c", "d"].map((id) => ({ id, run: [`echo ${id} > f${id}`] }))
      const ran = await bench.run([...RUN, planFor(bench, tasks)], { env: { TEAMWORK_TEAM_MAX_AGENTS: "2" } })
      expect(ran).toMatchObject({ exitCode: 0 })
      const { workers } = await bench.ok<{ workers: Data[] }>("report", "--json")
      expect(workers).toHaveLength(2)
    },
    LONG_MS,
  )

  it(
    "F016: starts a task as soon as its own needs are merged",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const plan = planFor(bench, [
        // Ends only after `next`, which stands in the second wave.
        { id: "slow", run: [meet(bench, "slow", ["next"]), "echo slow > fslow"] },
        { id: "quick", run: ["echo quick > fquick"] },
        { id: "next", needs: ["quick"], run: ["test -e fquick", meet(bench, "next", []), "echo next > fnext"] },
      ])
      const { exitCode, stdout } = await bench.run([...RUN, plan])
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(await bench.ok("project", "get")).toMatchObject({ schedule: "eager" })
      const told = await claims(bench)
      expect(told.indexOf("task.claimed next")).toBeGreaterThan(told.indexOf("task.merged quick"))
      expect(told.indexOf("task.claimed next")).toBeLessThan(told.indexOf("task.merged slow"))
      const { waves } = await bench.ok<{ waves: Data[] }>("project", "status")
      expect(waves.map(({ status }) => status)).toEqual(["verified", "verified"])
    },
    LONG_MS,
  )

  it(
    "F016: runs wave by wave where the plan, its preset or the command says so",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const tasks = [{ id: "a", run: ["echo a > fa"] }]
      const shown = async (...args: string[]) =>
        (await bench.ok("plan", planFor(bench, tasks), "--dry-run", ...args)).schedule
      expect(await shown()).toBe("eager")
      expect(await shown("--preset", "teamwork")).toBe("waves")
      // A person approves the draft after the first wave.
      const supervised = writePlan(join(bench.home, "supervised.json"), tasks, { mode: "SUPERVISED" })
      expect(await bench.ok("plan", supervised, "--dry-run")).toMatchObject({ schedule: "waves" })
      expect(await bench.run([...RUN, planFor(bench, tasks), "--schedule", "waves"])).toMatchObject({ exitCode: 0 })
      expect(await bench.ok("project", "get")).toMatchObject({ schedule: "waves" })
      // A team keeps what it was made with.
      expect(await shown()).toBe("waves")
    },
    LONG_MS,
  )
})

/** A Claude that writes what `turns` say, one command for each of its runs. */
function makeWriter(bench: Bench, turns: readonly string[]): void {
  const answers = writeAnswers(join(bench.home, "answers"), Array(10).fill("Done as asked."))
  const [count, wrapper] = [join(bench.home, "count"), join(bench.home, "claude.sh")]
  const cases = turns.map((turn, index) => `${index + 1}) ${turn} ;;`).join("\n")
  const script = `case "$*" in *--version*) ;; *)
n=$(($(cat '${count}' 2>/dev/null || echo 0) + 1)); echo $n > '${count}'
mkdir -p src test
case $n in
${cases}
esac ;;
esac
exec "$@"
`
  writeFileSync(wrapper, script)
  const off = Object.fromEntries(["codex", "gemini", "opencode", "acp"].map((name) => [name, { enabled: false }]))
  const claude = { command: ["sh", wrapper, ...answers.command("claude")] }
  writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents: { ...off, claude } }))
  mkdirSync(join(bench.home, ".claude"), { recursive: true })
  writeFileSync(join(bench.home, ".claude", ".credentials.json"), "{}")
}

describe("follow-up tasks", () => {
  const build = (id: string) => ({ id, title: `Build ${id}`, files: [], run: [] })

  it(
    "F017, F021: are shown with their cost before they are made, have short titles, and spare what brought its tests",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      makeWriter(bench, [
        ...["echo a > src/a.js; echo test > test/a.test.js", "echo b > src/b.js", "echo test > test/b.test.js"],
        "echo review > src/review.txt",
      ])
      const plan = planFor(bench, [build("a"), build("b")], { followUps: true })
      const shown = await bench.ok("plan", plan, "--dry-run")
      expect((shown.follow_ups as Data[]).map(({ id, title, of }) => [id, title, of])).toEqual([
        ["test-a", "Test: Build a", "a"],
        ["review-test-a", "Review: Build a", "test-a"],
        ["test-b", "Test: Build b", "b"],
        ["review-test-b", "Review: Build b", "test-b"],
      ])
      expect(shown.estimate).toEqual({
        ...{ runs: 6, follow_ups: 4, based_on: 0, unknown: 6, ms: null, tokens: null, dollars: null },
      })
      const text = await bench.text("plan", plan, "--dry-run")
      expect(text).toContain(
        "Runs      6 agent runs: 2 tasks and up to 4 follow-ups\nEstimate  time and cost are unknown, as there are no earlier runs here\n",
      )
      expect(text).toContain("test-a: Test: Build a (test as test-engineer, after a)")

      const ran = await bench.run([...RUN, plan, "--workers", "1"])
      expect({ exitCode: ran.exitCode, stdout: ran.stdout }).toMatchObject({ exitCode: 0 })
      expect(ran.stdout).toStartWith(
        "6 agent runs: 2 tasks and up to 4 follow-ups; time and cost are unknown, as there are no earlier runs here\n",
      )
      const tasks = await bench.ok<Data[]>("task", "list")
      expect(tasks.map(({ id, title }) => [id, title])).toEqual([
        ["a", "Build a"],
        ["b", "Build b"],
        ["test-b", "Test: Build b"],
        ["review-test-b", "Review: Build b"],
      ])
      const next = planFor(bench, [build("c")], { followUps: true })
      const { estimate } = await bench.ok<{ estimate: Data }>("plan", next, "--dry-run")
      expect(estimate).toMatchObject({ runs: 3, follow_ups: 2, unknown: 0 })
      expect(Number(estimate.based_on)).toBeGreaterThan(0)
      expect(Number(estimate.ms)).toBeGreaterThan(0)
      expect(await bench.text("plan", next, "--dry-run")).toMatch(/Estimate {2}about \d.*; from \d earlier runs here\n/)
    },
    LONG_MS,
  )

  it(
    "F017: are in the answer of a run for programs",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const plan = planFor(bench, [{ id: "a", run: ["echo a > fa"] }])
      const ran = await bench.run([...RUN, plan, "--json"])
      const lines = ran.stdout.trim().split("\n")
      expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
        data: { estimate: { runs: 1, follow_ups: 0, based_on: 0 } },
      })
    },
    LONG_MS,
  )

  it(
    "F048: come only where the plan, its preset or its template says so, as the plan tells before",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      makeWriter(bench, ["echo a > src/a.js", "echo b > src/b.js", "echo test > test/b.test.js", "true"])
      const plan = planFor(bench, [build("a")])
      const count = async (...args: string[]) => {
        const { follow_ups } = await bench.ok<{ follow_ups: Data[] }>("plan", plan, "--dry-run", ...args)
        return follow_ups.length
      }
      expect(await count()).toBe(0)
      expect(await count("--preset", "forge")).toBe(2)
      for (const preset of ["pm-team", "coordinate", "teamwork"]) expect(await count("--preset", preset)).toBe(0)
      const ran = await bench.run([...RUN, plan, "--preset", "coordinate"])
      expect({ exitCode: ran.exitCode, stdout: ran.stdout }).toMatchObject({ exitCode: 0 })
      expect(ran.stdout).toStartWith("1 agent run; ")
      expect(await bench.ok<Data[]>("task", "list")).toHaveLength(1)
      expect(await bench.refused("usage", "run", "--cascade", "--no-cascade")).toBe(
        "use --cascade or --no-cascade, not both",
      )
      const again = await bench.run([...RUN, planFor(bench, [build("b")]), "--new", "--cascade"])
      expect(again.stdout).toStartWith("3 agent runs: 1 task and up to 2 follow-ups")
      expect((await bench.ok<Data[]>("task", "list")).map(({ id }) => id)).toContain("test-b")
    },
    LONG_MS,
  )
})

function planFor(bench: Bench, tasks: readonly PlannedTask[], more: Record<string, unknown> = {}): string {
  return writePlan(join(bench.home, "plan.json"), tasks, more)
}
