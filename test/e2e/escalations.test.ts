// A team in FULL_AUTO whose agent stops and asks: the run waits, also over a restart, until a person decides.
import { expect, it } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { until } from "../support/stores.ts"
import { makeRepository, writePlan } from "../support/team-runs.ts"
import { type Data, git, MAIN, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const RUN = ["run", "--no-review", "--no-cascade", "--workers", "1"]

it(
  "waits for the decision, tells of it once, and goes on with it",
  async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const asked = join(bench.home, "asked")
    const cli = `TEAMWORK_TEST_BASE_DIR="${bench.home}" "${process.execPath}" "${MAIN}"`
    const ask = `${cli} escalate requirement_unclear "Which currency?" --project shop --team main --task 1 --owner w1`
    // Asks once and waits to be stopped; what it had committed by then is not lost.
    const work = `test -e "${asked}" || { touch "${asked}"; ${ask} && sleep 600; }; echo euro > f1`
    const plan = writePlan(join(bench.home, "plan.json"), [
      { id: "1", run: [work] },
      { id: "2", needs: ["1"], run: ["cat f1 > f2"] },
    ])
    const told = join(bench.home, "told")
    const env = {
      ...{ TEAMWORK_CLAIM_RENEW_SECONDS: "1", TEAMWORK_TEAM_SHUTDOWN_TIMEOUT_MS: "100" },
      ...{ TEAMWORK_ENGINE_LEASE_SECONDS: "1", TEAMWORK_TEAM_MONITOR_INTERVAL_MS: "200" },
      TEAMWORK_NOTIFY_COMMAND: `echo "$TEAMWORK_NOTICE" >> "${told}"`,
    }
    await using first = bench.start([...RUN, plan], env)
    await until(async () => existsSync(told), "the notice")
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "paused", paused_from: "in_progress" })
    await first.stop("SIGKILL")

    await using second = bench.start([...RUN, "--resume"], env)
    await second.untilLine("out", (line) => line.endsWith("; answer with: teamwork decide 1 retry|skip|fail|pause"))
    for (const [command, ...flags] of [["project", "status"], ["whiteboard"], ["report"]])
      expect(await bench.text(command ?? "", ...flags)).toContain("teamwork decide 1 retry|skip|fail|pause")
    expect(await bench.refused("escalation.open", "resume", "--task", "1")).toContain("teamwork decide 1 OPTION")
    await bench.ok("decide", "1", "retry", "--note", "Prices are in euro")
    expect(await second.exited).toBe(0)
    expect(second.out).toContainEqual(
      expect.stringMatching(/escalation 1 \(requirement_unclear, task 1\): retry, decided$/),
    )
    expect(git(bench.cwd, "show", "main:f2")).toBe("euro")
    expect(readFileSync(told, "utf8")).toBe("shop/main: escalation 1 (requirement_unclear, task 1): Which currency?\n")
    expect(await bench.text("prompt", "1")).toContain("Prices are in euro")
  },
  3 * TEST_TIMEOUT_MS,
)

it(
  "asks about a task that failed for good, and a run goes on once it is decided",
  async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const plan = writePlan(join(bench.home, "plan.json"), [
      { id: "1", run: [`test -e "${bench.home}/mended" && echo ok > f1`] },
      { id: "2", run: ["echo two > f2"] },
    ])
    const env = { TEAMWORK_TEAM_MAX_RESTARTS: "1", TEAMWORK_TEAM_RESTART_BACKOFF_SECONDS: "0" }
    expect(await bench.run([...RUN, plan], { env })).toMatchObject({ exitCode: 1 })
    const [raised] = await bench.ok<Data[]>("escalations")
    expect(raised).toMatchObject({ trigger: "repeated_failure", task_id: "1", raised_by: "teamwork" })
    expect(raised?.context).toMatchObject({
      attempts: 1,
      setbacks: 2,
      errors: expect.arrayContaining([expect.stringMatching(/^crashed: /)]),
    })
    expect(await bench.text("report")).toContain("    teamwork decide 1 retry|reassign|skip|fail\n")
    expect(await bench.refused("input.invalid", "decide", "1", "reassign", "--agent", "nope")).toContain(
      'there is no agent "nope"; there are claude, codex, gemini, opencode, acp, script',
    )
    await bench.ok("decide", "1", "skip")
    expect(await bench.run([...RUN, "--resume"], { env })).toMatchObject({ exitCode: 0 })
    expect(await bench.ok<Data[]>("escalations")).toEqual([])
  },
  3 * TEST_TIMEOUT_MS,
)
