// What reviews find, in whole runs with one scripted program that works and reviews: the review at the end, findings
// that hold the delivery, fixes that are reviewed again, and how many agent runs all of it takes.
import { describe, expect, it } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 3 * TEST_TIMEOUT_MS
const RUN = ["run", "--workers", "2"]
const env = { ANTHROPIC_API_KEY: "not-a-key" }
const PASS = { verdict: "PASS", findings: [], earlier: [] }
const hole = { task: "1", file: "f1", line: 1, severity: "critical", text: "the key is logged" }

/** One program only, which answers its reviews with these. */
async function oneProgram(bench: Bench, reviews: readonly object[], files: Record<string, string> = {}) {
  makeRepository(bench.cwd, files)
  const folder = join(bench.home, "teammate")
  mkdirSync(folder, { recursive: true })
  for (const [at, review] of reviews.entries())
    writeFileSync(join(folder, `review-${at + 1}.json`), JSON.stringify(review))
  const command = [process.execPath, join(import.meta.dir, "../fixtures/agents/teammate.ts"), "claude", folder]
  await bench.ok("config", "set", "agents.claude.command", JSON.stringify(command))
  for (const agent of ["codex", "gemini", "opencode"])
    await bench.ok("config", "set", `agents.${agent}.enabled`, "false")
  const prompts = () => readdirSync(folder).filter((name) => name.endsWith(".prompt"))
  const isReview = (name: string) => readFileSync(join(folder, name), "utf8").startsWith("You review the work")
  return {
    prompts: () => prompts().map((name) => readFileSync(join(folder, name), "utf8")),
    runs: () => ({ all: prompts().length, reviews: prompts().filter(isReview).length }),
  }
}

/** Tasks that write a file each; what they say stands behind it. */
function writing(...tasks: readonly (readonly [id: string, say?: string, more?: object])[]): PlannedTask[] {
  return tasks.map(([id, say, more]) => ({
    ...{ id, run: [], agent: "claude", title: `Write f${id}` },
    description: `[[write f${id} line]]${say === undefined ? "" : `[[say ${say}]]`}`,
    ...more,
  }))
}

const planFor = (bench: Bench, tasks: readonly PlannedTask[]) => writePlan(join(bench.home, "plan.json"), tasks)

describe("with one program installed", () => {
  it(
    "F036: a fresh session of it reviews, and knows what the tasks report (F037)",
    async () => {
      using bench = makeBench()
      const { prompts, runs } = await oneProgram(bench, [PASS])
      const plan = planFor(bench, writing(["1", "I chose a short line."], ["2"]))
      const { exitCode, stdout } = await bench.run([...RUN, plan], { env })
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(runs()).toEqual({ all: 3, reviews: 1 })
      expect(prompts().find((prompt) => prompt.startsWith("You review"))).toContain("reports: I chose a short line.")
      const verdicts = (await bench.ok<Data[]>("verdict", "list")).filter(({ scope }) => scope === "cross-agent")
      expect(verdicts).toMatchObject([{ status: "passed", by: "claude" }])
    },
    LONG_MS,
  )

  it(
    "takes at most 1.5 agent runs for each planned task when nothing goes wrong, with the settings as they are",
    async () => {
      using bench = makeBench()
      const { runs } = await oneProgram(bench, [PASS], { Makefile: "test:\n\ttest -e README.md\n" })
      const titles = ["Add the schema", "Implement the endpoint", "Build the page", "Fix the search", "Document it"]
      const tasks = writing(["1"], ["2", undefined, { needs: ["1"] }], ["3"], ["4"], ["5"])
      const plan = planFor(
        bench,
        tasks.map((task, at) => ({ ...task, title: titles[at] ?? "" })),
      )
      const { exitCode, stdout } = await bench.run([...RUN, plan], { env })
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      const { all, reviews } = runs()
      expect(reviews).toBe(1)
      expect(all / tasks.length).toBeLessThanOrEqual(1.5)
    },
    LONG_MS,
  )
})

describe("F037: what a review finds", () => {
  it(
    "becomes a fix, is reviewed again, and is delivered then",
    async () => {
      using bench = makeBench()
      const fixed = { ...PASS, earlier: [{ number: 1, status: "fixed" }] }
      const { prompts, runs } = await oneProgram(bench, [
        { verdict: "FAIL", findings: [{ ...hole, severity: "major" }], earlier: [] },
        fixed,
      ])
      const { exitCode, stdout } = await bench.run([...RUN, planFor(bench, writing(["1"]))], { env })
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(runs()).toEqual({ all: 4, reviews: 2 })
      const fix = prompts().find((prompt) => prompt.includes("Reviews found"))
      expect(fix).toContain("- finding 1, major, by claude, f1:1: the key is logged")
      expect(git(bench.cwd, "show", "main:f1")).toBe("line\nfixed")
      expect(await bench.ok("findings", "show", "1")).toMatchObject({ status: "fixed", severity: "major", file: "f1" })
      expect(stdout).toContain("finding 1 is fixed in")
    },
    LONG_MS,
  )

  it(
    "holds the delivery while it is critical, at every door, until a person waives it",
    async () => {
      using bench = makeBench()
      const open = { verdict: "FAIL", findings: [], earlier: [{ number: 1, status: "open" }] }
      const { runs } = await oneProgram(bench, [{ verdict: "PASS", findings: [hole], earlier: [] }, open])
      const before = git(bench.cwd, "rev-parse", "main")
      const held = await bench.run([...RUN, planFor(bench, writing(["1"]))], { env })
      expect(held).toMatchObject({ exitCode: 1 })
      expect(held.stdout).toContain("fixes did not get rid of finding 1 (critical, f1:1): the key is logged")
      // Three fixes, each reviewed, and then one question.
      expect(runs()).toEqual({ all: 1 + 3 + 4, reviews: 4 })
      expect(await bench.ok<Data[]>("escalations")).toMatchObject([{ options: ["retry", "waive", "pause"] }])
      expect(await bench.refused("finding.open", "deliver")).toContain("teamwork findings waive 1")
      expect(await bench.refused("finding.open", "deliver", "--partial")).toContain("finding 1")
      const agent = { TEAMWORK_WORKER_MARK_0123456789abcdef: "1" }
      const waive = ["findings", "waive", "1", "--reason", "we know"]
      for (const call of [waive, ["decide", "1", "waive"]]) {
        const refused = await bench.run([...call, "--json"], { env: agent })
        expect(refused.stderr).toContain('"code":"call.not_allowed"')
      }
      expect(git(bench.cwd, "rev-parse", "main")).toBe(before)
      expect(await bench.text("report")).toMatch(/^1 +critical +open +1 +f1:1 +the key is logged$/m)

      await bench.ok("decide", "1", "waive", "--note", "we know")
      const done = await bench.run(RUN, { env })
      expect({ exitCode: done.exitCode, stdout: done.stdout }).toMatchObject({ exitCode: 0 })
      expect(git(bench.cwd, "show", "main:f1")).toStartWith("line")
      expect(await bench.ok("findings", "show", "1")).toMatchObject({
        status: "waived",
        waived_by: "person",
        reason: "we know",
      })
    },
    LONG_MS,
  )

  it(
    "counts where a reviewing task says it in its own words, also without the review at the end",
    async () => {
      using bench = makeBench()
      const fixed = { ...PASS, earlier: [{ number: 1, status: "fixed" }] }
      const { runs } = await oneProgram(bench, [fixed])
      const reviewer = { needs: ["1"], files: [], role: "review", agentType: "code-reviewer" }
      const plan = planFor(bench, [
        ...writing(["1"]),
        {
          ...writing(["2", "CRITICAL: f1:1 logs the key. Do not ship.", reviewer])[0],
          description: "[[say CRITICAL: f1:1 logs the key. Do not ship.]]",
        } as PlannedTask,
      ])
      const { exitCode, stdout } = await bench.run([...RUN, plan, "--no-review", "--no-cascade"], { env })
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(stdout).toContain("finding 1 (critical, f1:1): f1:1 logs the key. Do not ship.")
      expect(await bench.ok("findings", "show", "1")).toMatchObject({
        ...{ status: "fixed", severity: "critical", task_id: "1", reported_in: "2", source: "task" },
      })
      expect(runs()).toEqual({ all: 4, reviews: 1 })
      expect(git(bench.cwd, "show", "main:f1")).toBe("line\nfixed")
    },
    LONG_MS,
  )

  it(
    "is reported by a team that only reads, and nothing is changed",
    async () => {
      using bench = makeBench()
      const { prompts } = await oneProgram(bench, [PASS])
      const audit = { ...writing(["1"])[0], files: [], role: "review", agentType: "security-reviewer" } as PlannedTask
      const says = "FINDING critical README.md:1: names a password"
      const plan = planFor(bench, [{ ...audit, title: "Audit the login", description: `[[say ${says}]]` }])
      const { exitCode, stdout } = await bench.run([...RUN, plan], { env })
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(stdout).toContain("1 open findings, 1 critical, see: teamwork findings")
      const asked = prompts().find((prompt) => prompt.startsWith("You review"))
      expect(asked).toContain("No file was changed. Judge what the tasks report")
      expect(asked).toContain(says)
      expect(await bench.text("report")).toMatch(/^1 +critical +open +- +README.md:1 +names a password$/m)
    },
    LONG_MS,
  )
})

describe("F036: work that no review gave a verdict on", () => {
  it(
    "says so loudly, and is held where a review is required",
    async () => {
      using bench = makeBench()
      await oneProgram(bench, [{}])
      const plan = planFor(bench, writing(["1"]))
      const loud = await bench.run([...RUN, plan], { env })
      expect({ exitCode: loud.exitCode, stdout: loud.stdout }).toMatchObject({ exitCode: 0 })
      expect(loud.stdout).toMatch(/NOT REVIEWED: .*the answer of the reviewer has no verdict PASS or FAIL/)
      expect(await bench.text("report")).toContain("NOT REVIEWED")

      using strict = makeBench()
      await oneProgram(strict, [{}])
      await strict.ok("config", "set", "review.required", "true")
      const before = git(strict.cwd, "rev-parse", "main")
      const held = await strict.run([...RUN, planFor(strict, writing(["1"]))], { env })
      expect(held).toMatchObject({ exitCode: 1 })
      expect(held.stdout).toContain("review.required is set and no review gave a verdict")
      expect(await strict.ok<Data[]>("escalations")).toMatchObject([{ options: ["go-on", "pause"] }])
      expect(await strict.refused("review.needed", "deliver")).toContain("teamwork verify review")
      expect(git(strict.cwd, "rev-parse", "main")).toBe(before)
    },
    LONG_MS,
  )
})
