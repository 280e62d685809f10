// Failures are cheap, explained, and hold nothing else up: real processes, real git, and the script agent.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(3 * TEST_TIMEOUT_MS)
const RUN = ["run", "--no-review", "--no-cascade", "--workers", "2"]

function planFor(bench: Bench, tasks: readonly PlannedTask[], more: Record<string, unknown> = {}): string {
  return writePlan(join(bench.cwd, "../plan.json"), tasks, more)
}

/** How many runs of agents each task cost, by the events of the team. */
async function runsOf(bench: Bench): Promise<Record<string, number>> {
  const events = await bench.ok<{ events: Data[] }>("events", "tail", "--type", "run.started", "--limit", "1000")
  const counts: Record<string, number> = {}
  for (const { data } of listed(events) as { data: { task: string } }[])
    counts[data.task] = (counts[data.task] ?? 0) + 1
  return counts
}

function listed(answer: { events: Data[] } | Data[]): Data[] {
  return Array.isArray(answer) ? answer : answer.events
}

const ASSERTION = "AssertionError: expected 3, got 4"
/** A check as test runners are: much output, the reason near its end, in colours. */
const CHECK = `seq -f 'ok %g' 100; printf '\\033[31m${ASSERTION}\\033[0m\\n    at sum.test.js:5\\n'; exit 1\n`

describe("F012: a hopeless task", () => {
  it("costs two runs where its agent answers the same, and the reason stands wherever it is told", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd, { "check.sh": CHECK })
    const plan = planFor(bench, [{ id: "1", run: ["echo four > f1"], checks: ["sh check.sh"] }])
    const { exitCode, stdout } = await bench.run([...RUN, plan])
    expect(exitCode).toBe(1)
    expect(await runsOf(bench)).toEqual({ "1": 2 })
    // The lines of the run: with the assertion, without colours.
    expect(stdout).toContain(`    ${ASSERTION}\n        at sum.test.js:5\n`)
    expect(stdout).not.toContain("[31m")
    const report = await bench.ok<{ failures: Data[] }>("report", "--json")
    const reason = expect.stringContaining("does not pass its gate")
    expect(report.failures).toMatchObject([{ task: "1", reason, output: expect.arrayContaining([ASSERTION]) }])
    for (const shown of [
      await bench.text("report"),
      await bench.text("escalations"),
      await bench.text("task", "get", "1"),
      JSON.stringify(await bench.ok("mailbox", "read", "--inbox", "orchestrator")),
    ])
      expect(shown).toContain(ASSERTION)
    expect(await bench.ok("task", "get", "1")).toMatchObject({
      failure: { lines: expect.arrayContaining([ASSERTION]) },
    })
  })

  it("costs three runs where each one leaves other files, whoever does them", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const count = join(bench.cwd, "../count")
    const run = [`echo run >> "${count}"; cat "${count}" > f1`]
    const plan = planFor(bench, [{ id: "1", run, checks: ["false"] }])
    const env = { TEAMWORK_ENGINE_REPAIR_TURNS: "0" }
    expect((await bench.run([...RUN, plan], { env })).exitCode).toBe(1)
    expect(await runsOf(bench)).toEqual({ "1": 3 })
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "failed", attempt: 1 })
  })

  it("costs as many as team.maxRunsPerTask says", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const plan = planFor(bench, [{ id: "1", run: ["date +%N > f1; echo $TEAMWORK_TURN >> f1"], checks: ["false"] }])
    const env = { TEAMWORK_TEAM_MAX_RUNS_PER_TASK: "1" }
    expect((await bench.run([...RUN, plan], { env })).exitCode).toBe(1)
    expect(await runsOf(bench)).toEqual({ "1": 1 })
  })

  it("that is a script which fails the same way twice is not run a third time, and shows what it printed", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const plan = planFor(bench, [{ id: "1", run: ["echo 'no such table: items' >&2; exit 3"] }])
    const { stdout } = await bench.run([...RUN, plan])
    expect(await runsOf(bench)).toEqual({ "1": 2 })
    expect(stdout).toContain("    no such table: items\n")
    expect(await bench.text("report")).toContain("      no such table: items\n")
  })
})

describe("F013: nothing to do", () => {
  it("with a reason is an outcome; the checks judge the files as they are", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd, { f1: "it is there\n" })
    const plan = planFor(bench, [
      {
        id: "1",
        run: ["echo 'NOTHING TO DO: f1 is there already'; echo 'LEARNED: look first'"],
        checks: ["test -f f1"],
      },
      { id: "2", run: ["cat f1 > f2"], needs: ["1"] },
    ])
    const { exitCode, stdout } = await bench.run([...RUN, plan])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    expect(await runsOf(bench)).toEqual({ "1": 1, "2": 1 })
    expect(git(bench.cwd, "show", "main:f2")).toBe("it is there")
    expect(await bench.text("report")).toContain("[nothing to do: f1 is there already]")
    expect(await bench.ok("task", "get", "1")).toMatchObject({
      ...{ status: "resolved", result: expect.stringContaining("Nothing to do: f1 is there already") },
      evidence: expect.arrayContaining([
        expect.objectContaining({ type: "note", text: expect.stringContaining("NOTHING TO DO: f1 is there already") }),
      ]),
    })
  })

  it.each([
    ["without a reason", "NOTHING TO DO", "true", "without a reason"],
    ["where the acceptance fails", "NOTHING TO DO: all is well", "test -f f1", "test -f f1 exited with 1"],
    ["that nobody said", "done", "true", "nothing was committed"],
  ])("%s is a failure like others, and costs two runs", async (_, words, check, why) => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const plan = planFor(bench, [{ id: "1", run: [`echo "${words}"`], checks: [check] }])
    expect((await bench.run([...RUN, plan])).exitCode).toBe(1)
    expect(await runsOf(bench)).toEqual({ "1": 2 })
    expect(await bench.text("report")).toContain(why)
  })
})

describe("F030: an agent that says FAILED", () => {
  const half = "echo half > f1; echo 'I wrote half of it.'"
  const says = (reason: string) =>
    `${half}; echo 'FAILED task #1: ${reason}'; echo 'LEARNED: the port is 5432'; echo Thanks`

  it("has its reason told everywhere, costs two runs, and nothing of it is merged or delivered", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const reason = "the other half needs the database"
    const plan = planFor(bench, [
      { id: "1", run: [says(reason)] },
      { id: "2", run: ["echo two > f2"] },
      { id: "3", run: ["echo three > f3"], needs: ["1"] },
    ])
    const { exitCode, stdout } = await bench.run([...RUN, plan])
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /task 1 set back by w\d \(agent-failed\): its agent says that it failed: the other half needs the database/,
    )
    expect(await runsOf(bench)).toEqual({ "1": 2, "2": 1 })
    expect(git(bench.cwd, "ls-tree", "--name-only", "main")).toBe("README.md")
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "failed", attempt: 1 })
    expect(await bench.ok("verdict", "list", "--json")).not.toContainEqual(expect.objectContaining({ subject: "1" }))
    const report = await bench.ok<{ failures: Data[] }>("report", "--json")
    expect(report.failures).toMatchObject([{ task: "1", reason: expect.stringContaining(reason) }])
    for (const shown of [
      await bench.text("report"),
      await bench.text("escalations"),
      await bench.text("task", "get", "1"),
      await bench.text("prompt", "--id", "1"),
      JSON.stringify(await bench.ok("mailbox", "read", "--inbox", "orchestrator")),
    ])
      expect(shown).toContain(reason)
    // What it wrote is kept, and so is what it learned.
    expect(git(bench.cwd, "for-each-ref", "--format=%(refname)", "refs/teamwork")).toContain("1")
    expect(JSON.stringify(await bench.ok("wisdom", "list"))).toContain("the port is 5432")
  })

  it("is tried again where the reason is another one, and may succeed", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const count = join(bench.cwd, "../count")
    const run = [
      `echo x >> "${count}"; n=$(wc -l < "${count}"); test $n -gt 2 && echo whole > f1 || { ${half}; echo "FAILED: try $n"; }`,
    ]
    const { exitCode } = await bench.run([...RUN, planFor(bench, [{ id: "1", run }])])
    expect(exitCode).toBe(0)
    expect(await runsOf(bench)).toEqual({ "1": 3 })
    expect(git(bench.cwd, "show", "main:f1")).toBe("whole")
  })
})

const SIX: readonly PlannedTask[] = [
  ...["1", "2", "3", "4"].map((id) => ({ id, run: [`echo ${id} > f${id}`] })),
  { id: "5", run: ["true"] },
  { id: "6", run: ["echo broken >&2; exit 1"] },
]

describe("F023: partial delivery", () => {
  it.each(["eager", "waves"])("of six tasks delivers the four good ones by policy (%s)", async (schedule) => {
    using bench = makeBench()
    makeRepository(bench.cwd, { Makefile: "test:\n\ttest -e README.md\n" })
    const { exitCode, stdout } = await bench.run([...RUN, planFor(bench, SIX), "--schedule", schedule, "--partial"])
    expect(stdout).toContain("what is finished was delivered without the rest")
    expect(exitCode).toBe(1)
    expect(git(bench.cwd, "ls-tree", "--name-only", "main").split("\n")).toEqual([
      ...["Makefile", "README.md", "f1", "f2", "f3", "f4"],
    ])
    expect(git(bench.cwd, "status", "--porcelain")).toBe("")
    expect(await runsOf(bench)).toEqual({ "1": 1, "2": 1, "3": 1, "4": 1, "5": 2, "6": 2 })
    const report = await bench.ok<{ delivered_without: string[] }>("report", "--json")
    expect(report.delivered_without).toEqual([
      expect.stringMatching(/^5: failed: .*nothing was committed/),
      expect.stringMatching(/^6: failed: script: command 1 ended with 1/),
    ])
    expect(await bench.text("report")).toContain("Delivered")
    expect(await bench.ok("project", "status")).toMatchObject({ phase: "EXECUTION" })
  })

  it("is offered where a run cannot go on, brings the rest later, and can be undone", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd, { Makefile: "test:\n\ttest -e README.md\n" })
    const switchFile = join(bench.cwd, "../mended")
    const plan = planFor(bench, [
      { id: "1", run: ["echo one > f1"] },
      { id: "2", run: [`test -e "${switchFile}" || exit 1; echo two > f2`] },
      { id: "3", needs: ["2"], run: ["cat f2 > f3"] },
    ])
    const start = git(bench.cwd, "rev-parse", "main")
    const { stdout } = await bench.run([...RUN, plan, "--schedule", "eager"])
    expect(stdout).toContain("1 of 3 tasks is finished and not delivered")
    expect(stdout).toContain("teamwork deliver --partial")
    expect(git(bench.cwd, "rev-parse", "main")).toBe(start)
    const left = (await bench.ok<{ left: { command: string }[] }>("report", "--json")).left.map(
      ({ command }) => command,
    )
    expect(left).toContain("teamwork deliver --partial")
    await bench.refused("deliver.refused", "deliver")
    const done = await bench.ok<Data>("deliver", "--partial")
    expect(done).toMatchObject({
      is_moved: true,
      left_out: [
        { task: "2", why: expect.stringContaining("failed: script: command 1 ended with 1") },
        { task: "3", why: "open, needs 2" },
      ],
    })
    expect(git(bench.cwd, "show", "main:f1")).toBe("one")
    expect(existsSync(join(bench.cwd, "f2"))).toBe(false)
    // The same again has nothing to do.
    expect(await bench.ok("deliver", "--partial")).toMatchObject({ is_moved: false })
    await bench.ok("undo")
    expect(git(bench.cwd, "rev-parse", "main")).toBe(start)
    await bench.ok("deliver", "--partial")
    writeFileSync(switchFile, "")
    for (const command of left.filter((each) => each.startsWith("teamwork decide")))
      await bench.ok(
        ...command
          .replace(/ retry\|.*$/, " retry")
          .split(" ")
          .slice(1),
      )
    const second = await bench.run(["run", "--resume"])
    expect(second).toMatchObject({ exitCode: 0 })
    expect(git(bench.cwd, "show", "main:f3")).toBe("two")
    const report = await bench.ok<{ delivered_without: string[] }>("report", "--json")
    expect(report.delivered_without).toEqual([])
  })

  it("does not deliver what fails the final gate without the rest", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd, { Makefile: "test:\n\ttest ! -e f1 || test -e f2\n" })
    const plan = planFor(bench, [
      { id: "1", run: ["echo one > f1"], checks: ["test -e f1"] },
      { id: "2", run: ["exit 1"] },
    ])
    const start = git(bench.cwd, "rev-parse", "main")
    expect((await bench.run([...RUN, plan, "--schedule", "waves", "--partial"])).exitCode).toBe(1)
    expect(git(bench.cwd, "rev-parse", "main")).toBe(start)
    await bench.refused("deliver.refused", "deliver", "--partial").catch(() => undefined)
    expect(git(bench.cwd, "rev-parse", "main")).toBe(start)
  })

  it("asks in SUPERVISED mode, and the question says what is missing", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    await bench.ok(
      "plan",
      planFor(bench, [
        { id: "1", run: ["echo one > f1"] },
        { id: "2", run: ["exit 1"] },
      ]),
      "--yes",
    )
    expect((await bench.run(RUN)).exitCode).toBe(1)
    await bench.ok("project", "update", "--mode", "SUPERVISED")
    await bench.refused("approval.needed", "deliver", "--partial")
    const asked = await bench.ok<{ number: number; question: string }>("checkpoint", "final")
    expect(asked.question).toContain("Only a part is done")
    expect(asked.question).toContain("Left out: 2 (failed)")
    await bench.ok("approve", String(asked.number))
    expect(await bench.ok("deliver", "--partial")).toMatchObject({ is_moved: true, left_out: [{ task: "2" }] })
    expect(readFileSync(join(bench.cwd, "f1"), "utf8")).toBe("one\n")
  })
})

describe("F020: revise", () => {
  const tasks = (b: Partial<PlannedTask>): PlannedTask[] => [
    { id: "a", run: ["echo a $TEAMWORK_ATTEMPT > fa"], checks: ["test -s fa"] },
    { id: "b", needs: ["a"], run: ["cat fa > fb"], checks: ["test -s fb"], ...b },
    { id: "c", needs: ["b"], run: ["cat fb > fc"], checks: ["test -s fc"] },
  ]

  it.each(["eager", "waves"])("keeps dependants that still hold, without a run of an agent (%s)", async (schedule) => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const first = await bench.run([...RUN, planFor(bench, tasks({})), "--schedule", schedule])
    expect(first).toMatchObject({ exitCode: 0 })
    expect(await bench.text("revise", "a", "Say it differently")).toContain("kept where they still hold: b, c")
    const { exitCode, stdout } = await bench.run(["run", "--resume"])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    expect(await runsOf(bench)).toEqual({ a: 2, b: 1, c: 1 })
    expect(stdout).toContain("task b still holds")
    expect(git(bench.cwd, "show", "main:fa")).toBe("a 2")
    expect(await bench.text("report")).toContain("[still holds after #a was revised]")
    expect(await bench.ok("task", "get", "b")).toMatchObject({ status: "resolved", attempt: 1 })
  })

  it("reopens a dependant that no longer holds, with the reason, and its agent may find nothing to do", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const b = {
      run: ['test "$TEAMWORK_ATTEMPT" = 1 && cat fa > fb || cat fa > fb'],
      checks: ["cmp fa fb"],
    }
    expect(await bench.run([...RUN, planFor(bench, tasks(b))])).toMatchObject({ exitCode: 0 })
    await bench.ok("revise", "a", "Say it differently")
    const { exitCode, stdout } = await bench.run(["run", "--resume"])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    expect(stdout).toContain("task b no longer holds: task a, which it builds on, was revised: cmp fa fb exited with 1")
    expect(await runsOf(bench)).toEqual({ a: 2, b: 2, c: 1 })
    expect(git(bench.cwd, "show", "main:fb")).toBe("a 2")
    expect(await bench.ok("task", "get", "c")).toMatchObject({ status: "resolved", attempt: 1 })
  })

  it("lets the agent of a dependant that cannot be checked say that nothing needs changing", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const run = ['test "$TEAMWORK_ATTEMPT" = 1 && echo b > fb || echo "NOTHING TO DO: b does not use what changed"']
    const plan = planFor(bench, tasks({ run, checks: [] }).slice(0, 2))
    expect(await bench.run([...RUN, plan])).toMatchObject({ exitCode: 0 })
    await bench.ok("revise", "a")
    const { exitCode, stdout } = await bench.run(["run", "--resume"])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    expect(await runsOf(bench)).toEqual({ a: 2, b: 2 })
    expect(await bench.text("report")).toContain("[nothing to do: b does not use what changed]")
  })
})

describe("an agent of a worker", () => {
  it("cannot resolve its task, decide or deliver: each call is refused, and its work goes through the gate", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const calls = [
      "task update 1 --status resolved --owner w1 --add-evidence done",
      "decide 1 go-on",
      "verdict record --scope final --status passed",
      "qa record 1 --owner tester --score correctness=100",
      "config set gates.enableTest false",
      "deliver",
    ]
    const run = [
      ...calls.map((call) => `teamwork ${call} 2>&1 | grep -c 'only a person or the worker itself can' >> f1`),
      "true",
    ]
    const plan = planFor(bench, [{ id: "1", run }])
    const { exitCode, stdout } = await bench.run([...RUN, "--trust", plan])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    expect(git(bench.cwd, "show", "main:f1").split("\n").filter(Boolean)).toEqual(calls.map(() => "1"))
  })
})
