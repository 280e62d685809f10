// QA by hand: every state with every command, what follows from it, and for each refusal the way on that it names.
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from "bun:test"
import { QA_TRANSITIONS } from "../../src/tasks/qa-state.ts"
import { type Bench, type Data, git, makeBench, readError, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(4 * TEST_TIMEOUT_MS)

const DIMENSIONS = ["correctness", "completeness", "clarity", "maintainability"]
const scored = (score: number) => DIMENSIONS.flatMap((name) => ["--score", `${name}=${score}: as seen in the manual`])

const SUBMIT = ["qa", "submit", "1", "--owner", "w1"]
const PLAN = ["qa", "plan", "1", "--owner", "tester"]
const PASS = ["qa", "record", "1", "--owner", "tester", ...scored(90)]
const FAIL = ["qa", "record", "1", "--owner", "tester", ...scored(40), "--guidance", "Say how to begin"]
const ACCEPT = ["qa", "accept", "1"]
const RETURN = ["qa", "return", "1", "--reason", "Too long"]
const mode = (name: string) => ["project", "update", "--mode", name]

/** From `needed`. The mode stays SUPERVISED where somebody is to decide. */
const RECIPES = {
  needed: [],
  pending: [SUBMIT],
  planning: [SUBMIT, mode("SUPERVISED"), PLAN],
  validating: [SUBMIT, PLAN],
  reported: [SUBMIT, PLAN, mode("SUPERVISED"), PASS],
  passed: [SUBMIT, PLAN, PASS],
  failed: [SUBMIT, PLAN, FAIL],
} as const satisfies Record<string, readonly (readonly string[])[]>
type State = keyof typeof RECIPES

type Outcome = string | { readonly code: string; readonly way: RegExp }
const no = (way: RegExp, code = "qa.transition") => ({ code, way })
const TO_SUBMIT = no(/teamwork qa submit 1/)
const TO_PLAN = no(/teamwork qa plan 1/)
const TO_APPROVE = no(/teamwork approvals/)
const TO_RECORD = no(/teamwork qa record 1/)
const TO_DECIDE = no(/teamwork qa accept 1, or teamwork qa return 1 --reason/)
const TO_RESOLVE = no(/teamwork task update 1 --status resolved/)

/** What each command does in each state: the next state, or the refusal. */
const TABLE: Readonly<Record<State, readonly (readonly [readonly string[], Outcome])[]>> = {
  needed: [[SUBMIT, "pending"], ...[PLAN, PASS, FAIL, ACCEPT, RETURN].map((command) => [command, TO_SUBMIT] as const)],
  pending: [
    [SUBMIT, TO_PLAN],
    [PLAN, "validating"],
    ...[PASS, FAIL, ACCEPT, RETURN].map((command) => [command, TO_PLAN] as const),
  ],
  planning: [
    [SUBMIT, "pending"],
    [PLAN, no(/teamwork approve 1, or teamwork reject 1 --reason/, "approval.needed")],
    ...[PASS, FAIL, ACCEPT, RETURN].map((command) => [command, TO_APPROVE] as const),
  ],
  validating: [
    [SUBMIT, "pending"],
    [PLAN, TO_RECORD],
    [PASS, "passed"],
    [FAIL, "failed"],
    [ACCEPT, TO_RECORD],
    [RETURN, TO_RECORD],
  ],
  reported: [
    [SUBMIT, "pending"],
    [PLAN, TO_RECORD],
    [PASS, TO_DECIDE],
    [FAIL, TO_DECIDE],
    [ACCEPT, "passed"],
    [RETURN, "failed"],
  ],
  passed: [SUBMIT, PLAN, PASS, FAIL, ACCEPT, RETURN].map((command) => [command, TO_RESOLVE] as const),
  failed: [[SUBMIT, "pending"], ...[PLAN, PASS, FAIL, ACCEPT, RETURN].map((command) => [command, TO_SUBMIT] as const)],
}

let start: Bench
beforeAll(async () => {
  start = makeBench()
  await start.ok("project", "create", "--goal", "A manual", "--qa")
  await start.ok("task", "create", "--id", "1", "--title", "Manual", "--role", "docs")
  await start.ok("task", "claim", "1", "--owner", "w1")
  // Without a repository work is known by its evidence.
  await start.ok("task", "update", "1", "--owner", "w1", "--add-evidence", "it reads well")
})
afterAll(() => start[Symbol.dispose]())

async function reach(recipe: readonly (readonly string[])[]): Promise<Bench> {
  const bench = makeBench(start)
  for (const step of recipe) await bench.ok(...step)
  return bench
}

const qaOf = async (bench: Bench) => (await bench.ok("task", "get", "1")).qa
const seen = new Set<string>()

async function listEvents(bench: Bench, type: string): Promise<Data[]> {
  const { events } = await bench.ok<{ events: { data: Data }[] }>("events", "tail", "--team", "main", "--type", type)
  return events.map(({ data }) => data)
}

async function noteMoves(bench: Bench): Promise<void> {
  for (const { from, to } of await listEvents(bench, "task.qa_changed")) seen.add(`${from} -> ${to}`)
}

describe("QA of a task", () => {
  for (const state of Object.keys(TABLE) as State[]) {
    it(`goes on from ${state} only as the table says, and each refusal names the way on`, async () => {
      using ready = await reach(RECIPES[state])
      const before = await qaOf(ready)
      for (const [command, outcome] of TABLE[state]) {
        using bench = makeBench(ready)
        const what = [...command.slice(0, 2), "in", state]
        if (typeof outcome === "string") {
          await bench.ok(...command)
          expect([what, await qaOf(bench)]).toEqual([what, outcome])
          await noteMoves(bench)
          continue
        }
        const error = readError(await bench.run([...command, "--json"]))
        expect({ what, code: error.code }).toEqual({ what, code: outcome.code })
        expect(error.message).toMatch(outcome.way)
        expect(await qaOf(bench)).toBe(before)
      }
      // Only `passed` lets the task end, and the refusal says what is missing.
      using bench = makeBench(ready)
      const resolve = ["task", "update", "1", "--owner", "w1", "--status", "resolved"]
      if (state === "passed") expect(await bench.ok(...resolve)).toMatchObject({ status: "resolved" })
      else expect(await bench.refused("qa.needed", ...resolve)).toContain("teamwork qa submit 1")
    })
  }

  it("is handed in again as another commit when it waits or has passed, and as the same only when it has to be", async () => {
    using bench = makeBench(start)
    git(bench.cwd, "init", "--quiet", "--initial-branch=main")
    const commit = (message: string) => {
      git(bench.cwd, "-c", "user.name=T", "-c", "user.email=t@t", "commit", "--quiet", "--allow-empty", "-m", message)
      return git(bench.cwd, "rev-parse", "HEAD")
    }
    const first = commit("one")
    expect(await bench.ok(...SUBMIT)).toMatchObject({ commit: first, status: "submitted", qa: "pending" })
    expect(await bench.refused("qa.transition", ...SUBMIT)).toContain("teamwork qa plan 1")
    const other = commit("two")
    // The same files are the same work, whatever their commit is called.
    expect(await bench.refused("qa.transition", ...SUBMIT, "--commit", other)).toContain("teamwork qa plan 1")
    git(bench.cwd, "checkout", "--quiet", "-b", "more")
    await Bun.write(`${bench.cwd}/manual.md`, "# Manual\n")
    git(bench.cwd, "add", "--all")
    const third = commit("three")
    const inMain = ["--team", "main"]
    expect(await bench.ok(...SUBMIT, ...inMain)).toMatchObject({ commit: third, qa: "pending" })
    await bench.ok(...PLAN, ...inMain)
    await bench.ok(...PASS, ...inMain)
    expect(await bench.refused("qa.transition", ...SUBMIT, ...inMain)).toContain("--commit COMMIT")
    expect(await bench.ok(...SUBMIT, ...inMain, "--commit", first)).toMatchObject({ commit: first, qa: "pending" })
    await noteMoves(bench)
    const rounds = await bench.ok<Data[]>("quality", ...inMain)
    expect(rounds.map(({ status }) => status)).toEqual(["withdrawn", "accepted", "submitted"])
    expect(await bench.refused("gate.no_commit", ...SUBMIT, ...inMain, "--commit", "nothing")).toContain("nothing")
  })

  it("goes every way there is", async () => {
    // A plan that waited is approved by the rule once nobody is to be waited for.
    using bench = await reach([...RECIPES.planning, mode("FULL_AUTO"), PLAN])
    expect(await qaOf(bench)).toBe("validating")
    await noteMoves(bench)
    const all = Object.entries(QA_TRANSITIONS).flatMap(([from, next]) => next.map((to) => `${from} -> ${to}`))
    expect([...seen].sort()).toEqual(all.sort())
  })

  it("is not for whoever did the work, nor accepted by whoever judged it", async () => {
    using bench = await reach([SUBMIT])
    const own = (command: readonly string[]) => command.map((word) => (word === "tester" ? "w1" : word))
    expect(await bench.refused("qa.own", ...own(PLAN))).toContain("another agent or a person must")
    await bench.ok(...PLAN)
    expect(await bench.refused("qa.own", ...own(PASS))).toContain("another agent or a person must")
    await bench.ok(...mode("SUPERVISED"))
    await bench.ok(...PASS)
    expect(await bench.refused("qa.own", ...ACCEPT, "--owner", "w1")).toContain("another agent or a person must")
    expect(await bench.refused("qa.own", ...ACCEPT, "--owner", "tester")).toContain("the lead decides")
    expect(await bench.ok(...ACCEPT, "--owner", "orchestrator")).toMatchObject({
      ...{ status: "accepted", decided_by: "orchestrator", judged_by: "tester", qa: "passed" },
    })
  })

  it("takes a score with a reason for each dimension of the plan, and nothing else", async () => {
    using bench = await reach(RECIPES.validating)
    const record = (...scores: string[]) => ["qa", "record", "1", ...scores.flatMap((score) => ["--score", score])]
    const rest = DIMENSIONS.slice(1).map((name) => `${name}=80: good`)
    const wrong: [string[], string, RegExp][] = [
      [record("correctness"), "usage", /DIMENSION=NUMBER:REASON/],
      [record("correctness=90", ...rest), "usage", /DIMENSION=NUMBER:REASON/],
      [record(...rest), "input.invalid", /correctness is not scored; score each of correctness, completeness, /],
      [record("beauty=90: nice", ...rest), "input.invalid", /no dimension "beauty"; it has correctness, /],
      [record("correctness=101: more", ...rest), "input.invalid", /a whole number from 0 to 100/],
      [record("correctness=90: a", "correctness=80: b", ...rest), "input.invalid", /is scored 2 times/],
    ]
    for (const [args, code, message] of wrong) expect(await bench.refused(code, ...args)).toMatch(message)
    expect(await bench.ok(...record("correctness=79: nearly", ...rest))).toMatchObject({ total: 80, result: "pass" })
  })

  it("returns it twice with growing guidance, tells the lead, and pauses it the third time", async () => {
    using bench = await reach([])
    const inbox = async (name: string) =>
      (await bench.ok<{ payload: Data }[]>("mailbox", "read", name)).map(({ payload }) => String(payload.message))
    const fail = async (command: readonly string[]) => {
      await bench.ok(...SUBMIT)
      await bench.ok(...PLAN)
      return bench.ok(...command)
    }
    expect(await fail(FAIL)).toMatchObject({ status: "returned", qa: "failed", task_status: "in_progress" })
    const [first = ""] = await inbox("w1")
    expect(first).toContain("1 of 3")
    expect(first).toContain("Say how to begin")
    expect(first).not.toContain("said before")
    expect(await inbox("orchestrator")).toEqual([])
    await fail([...FAIL.slice(0, -1), "Name the files"])
    const second = (await inbox("w1")).at(-1) ?? ""
    expect(second).toContain("It was said before: Say how to begin")
    expect(second).toContain("QA looks at that commands and examples work as they are written")
    expect(await inbox("orchestrator")).toEqual([expect.stringMatching(/failed task #1 for the second time: Name the/)])
    expect(await fail(FAIL)).toMatchObject({ qa: "failed", task_status: "paused" })
    const task = await bench.ok("task", "get", "1")
    expect(task).toMatchObject({ status: "paused", pause_reason: "QA failed it 3 times: Say how to begin" })
    expect(await bench.text("task", "get", "1")).toContain("failed (PAUSED, QA_COMPLETED)")
    expect(await listEvents(bench, "task.setback")).toMatchObject([{ task: "1", kind: "qa", worker: "w1" }])
    expect(await bench.refused("claim.lost", ...SUBMIT)).toContain("paused")
    await bench.ok("decide", "1", "retry", "--note", "Once more")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    expect(await bench.ok(...SUBMIT)).toMatchObject({ qa: "pending" })
  })

  it("says so where there is none, and where nobody works", async () => {
    using bench = makeBench()
    await bench.ok("project", "create", "--goal", "A manual")
    await bench.ok("task", "create", "--id", "1", "--title", "Manual")
    expect(await bench.refused("qa.none", ...PLAN)).toContain("teamwork project update --qa on")
    await bench.ok("project", "update", "--qa", "on")
    expect(await bench.refused("task.transition", "qa", "submit", "1")).toContain("teamwork task claim 1")
    expect(await bench.text("quality")).toBe("Nothing was handed in to QA yet.\n")
  })
})

it("goes by the thresholds and dimensions of the configuration", async () => {
  using bench = makeBench(start)
  await bench.ok("config", "set", "qa.dimensions", "truth=70,beauty=30")
  await bench.ok("config", "set", "quality.pass", "95")
  await bench.ok(...SUBMIT)
  expect(await bench.ok(...PLAN)).toMatchObject({
    plan: {
      dimensions: [
        { name: "truth", weight: 70 },
        { name: "beauty", weight: 30 },
      ],
    },
  })
  await bench.ok(...mode("SUPERVISED"))
  const record = ["qa", "record", "1", "--score", "truth=100: all true", "--score", "beauty=80: nearly"]
  expect(await bench.ok(...record)).toMatchObject({ total: 94, result: "review", status: "reported" })
  await bench.ok("config", "set", "qa.dimensions", "truth=70,beauty=40")
  await bench.ok(...SUBMIT)
  expect(await bench.refused("config.bad_value", ...PLAN)).toContain("add up to 100, and not to 110")
  await bench.ok("config", "set", "qa.dimensions", "truth=50,truth=50")
  expect(await bench.refused("config.bad_value", ...PLAN)).toContain("name each dimension once")
})
