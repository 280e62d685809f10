// What an agent says at the end of its answer, through a whole run of a team: the program itself, its workers, and a real
// CLI on a scripted model.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import { type Data, git, makeBench } from "../e2e/bench.ts"
import { makeRepository, writePlan } from "../support/team-runs.ts"
import { type Cli, commandOf, FAKE_KEY, pinnedOf } from "./cli-world.ts"
import { type Scripts, startFakeModel } from "./fake-model.ts"
import { CLAUDE } from "./programs.ts"

setDefaultTimeout(200_000)

async function runTeam(cli: Cli, scripts: Scripts) {
  const bench = makeBench()
  makeRepository(bench.cwd)
  const model = startFakeModel(scripts)
  const [program] = cli.program.command
  const env = {
    ...cli.variables(model.url),
    ANTHROPIC_API_KEY: FAKE_KEY,
    [`TEAMWORK_AGENTS_${program?.toUpperCase()}_COMMAND`]: commandOf(pinnedOf(cli)),
    TEAMWORK_ENGINE_MCP: "false",
  }
  const tasks = Object.keys(scripts).map((name, index) => ({
    id: String(index + 1),
    title: `[[${name}]] ${name}`,
    checks: ["true"],
  }))
  const plan = writePlan(join(bench.cwd, "../plan.json"), tasks, {})
  const { exitCode, stdout } = await bench.run(["run", "--no-review", "--no-cascade", "--workers", "1", plan], { env })
  return {
    ...{ bench, exitCode, stdout, model },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      bench[Symbol.dispose]()
    },
  }
}

describe("F030: Claude Code", () => {
  const write = CLAUDE.write("f1", "half\n")
  const reason = "the other half needs the database"

  it.each([
    [
      "in the middle of its text",
      [{ text: `I wrote half.\n\n**FAILED task #1:** ${reason}\n\nLEARNED: mind the port\n\nThanks!` }],
    ],
    [
      "by the schema",
      CLAUDE.structured({ outcome: "failed", summary: "I wrote half.", reason, learned: ["mind the port"] }),
    ],
  ])("that writes half and says FAILED %s is neither merged nor delivered, and its reason is told", async (_, end) => {
    await using team = await runTeam(CLAUDE, { half: [{ tool: write }, ...end] })
    const { bench, exitCode, stdout } = team
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(reason) })
    expect(git(bench.cwd, "ls-tree", "--name-only", "main")).toBe("README.md")
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "failed" })
    const report = await bench.ok<{ failures: Data[] }>("report", "--json")
    expect(report.failures).toMatchObject([{ task: "1", reason: expect.stringContaining(reason) }])
    expect(await bench.text("report")).toContain(reason)
    expect(JSON.stringify(await bench.ok("wisdom", "list"))).toContain("mind the port")
    // The next try was told, and a third was not paid for.
    expect(await bench.text("prompt", "--id", "1")).toContain(reason)
    expect(team.model.asked.filter(({ step }) => step === "half/0")).toHaveLength(2)
  })

  it("that says how it went by the schema delivers, and people read words", async () => {
    const end = { outcome: "done", summary: "I wrote all of it.", learned: ["mind the port"] }
    await using team = await runTeam(CLAUDE, {
      whole: [{ tool: CLAUDE.write("f1", "whole\n") }, ...CLAUDE.structured(end)],
    })
    expect({ exitCode: team.exitCode, stdout: team.stdout }).toMatchObject({ exitCode: 0 })
    expect(git(team.bench.cwd, "show", "main:f1")).toBe("whole")
    expect(await team.bench.ok("task", "get", "1")).toMatchObject({
      result: expect.stringMatching(/^I wrote all of it\.\n\nLEARNED: mind the port\n\nBy claude/),
    })
    expect(team.model.asked.filter(({ step }) => step.startsWith("whole/"))).toHaveLength(2)
    expect(await team.bench.text("report")).toMatch(
      /Own words +\d+ tokens of teamwork in 1 run, \d+% of what it sent them/,
    )
  })
})
