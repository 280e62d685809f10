// A person steers a team that is at work: changes the plan, says something, has work done once more (R254-R259).
import { describe, expect, it } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { until } from "../support/stores.ts"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 3 * TEST_TIMEOUT_MS
const RUN = ["run", "--no-review", "--no-cascade", "--workers", "2"]
const filesOf = (bench: Bench) => git(bench.cwd, "ls-tree", "-r", "--name-only", "main").split("\n")

function planFor(bench: Bench, tasks: readonly PlannedTask[], more: Record<string, unknown> = {}): string {
  return writePlan(join(bench.home, "plan.json"), tasks, more)
}

describe("a team at work", () => {
  it(
    "takes in tasks that are added, changed, dropped and put in another order, and refuses what would break the plan",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const gate = join(bench.home, "gate")
      Bun.spawnSync(["mkfifo", gate])
      const tasks: PlannedTask[] = [
        { id: "1", run: [`read line < '${gate}'; echo one > f1`] },
        { id: "2", needs: ["1"], run: ["echo two > f2"] },
        { id: "3", needs: ["1"], run: ["echo three > f3"] },
      ]
      await using team = bench.start([...RUN, planFor(bench, tasks)])
      await until(async () => {
        const one = await bench.ok("task", "get", "1").catch(() => undefined)
        return one?.status === "in_progress"
      }, "task 1 is worked on")
      const add = (id: string, ...more: string[]) =>
        bench.ok(
          "task",
          "create",
          "--id",
          id,
          "--title",
          `Task ${id}`,
          "--files",
          `f${id}`,
          "--run",
          `echo > f${id}`,
          ...more,
        )
      const again = (more: readonly PlannedTask[]) => ["plan", planFor(bench, more), "--yes", "--add"]
      await bench.ok(...again([...tasks, { id: "7", run: ["echo > f7"] }]))
      expect(await bench.ok("task", "get", "7")).toMatchObject({ title: "Task 7" })
      const other = ["plan", planFor(bench, [{ id: "1", run: ["echo other > f1"] }]), "--yes"]
      expect(await bench.refused("run.unfinished", ...other)).toContain("run 1 of shop/main is not over")
      await add("4", "--blocked-by", "2")
      await add("5")
      await bench.ok("task", "update", "2", "--title", "The second", "--add-blocked-by", "5")
      await bench.ok("task", "update", "3", "--status", "skipped", "--reason", "not any more")
      expect(await bench.refused("need.cycle", "task", "update", "5", "--add-blocked-by", "4")).toContain("5")
      expect(await bench.refused("task.delete_refused", "task", "delete", "2")).toContain("--force")
      expect(await bench.refused("need.missing", "task", "update", "4", "--add-blocked-by", "9")).toContain("9")
      await bench.ok("task", "delete", "4", "--force")
      await add("6", "--blocked-by", "2,5")
      expect((await bench.ok("feedback", "Mind the gap")).told).toContain("w1")
      expect(await bench.text("check")).toMatch(/\[-\] 3 Task 3 \(skipped\) <- 1\n/)
      writeFileSync(gate, "go\n")
      expect(await team.exited).toBe(0)
      expect(filesOf(bench)).toEqual(["README.md", "f1", "f2", "f5", "f6", "f7"])
      const done = await bench.ok<Data[]>("task", "list")
      const at = (id: string) => String(done.find((task) => task.id === id)?.completed_at)
      expect(at("5") < at("2") && at("2") < at("6")).toBe(true)
      expect(done.find((task) => task.id === "2")).toMatchObject({ title: "The second", status: "resolved" })
    },
    LONG_MS,
  )

  it(
    "has its work pass QA before it is merged, and does it once more when it is revised",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const tasks: PlannedTask[] = [
        { id: "1", run: ["echo one >> f1"], checks: ["test -s f1"] },
        { id: "2", needs: ["1"], run: ["cat f1 >> f2"], checks: ["test -s f2"] },
        { id: "3", run: ["echo three >> f3"], checks: ["test -s f3"] },
      ]
      const first = await bench.run([...RUN, planFor(bench, tasks, { qa: true })])
      expect({ out: first.stdout, code: first.exitCode }).toMatchObject({ code: 0 })
      const rounds = await bench.ok<Data[]>("quality")
      expect(
        rounds.map(({ task_id, status, total, decided_by }) => [task_id, status, total, decided_by]).sort(),
      ).toEqual([...["1", "2", "3"].map((id) => [id, "accepted", 100, "policy"])])
      expect(await bench.ok("revise", "1", "Say it twice")).toMatchObject({ reopened: ["1"], recheck: ["2"], told: [] })
      expect(await bench.ok("project", "status")).toMatchObject({ phase: "EXECUTION" })
      const second = await bench.run(RUN)
      expect({ out: second.stdout, code: second.exitCode }).toMatchObject({ code: 0 })
      expect(git(bench.cwd, "show", "main:f1")).toBe("one\none")
      expect(git(bench.cwd, "show", "main:f3")).toBe("three")
      expect(await bench.ok("task", "get", "1")).toMatchObject({ attempt: 2, status: "resolved", qa: "passed" })
      expect(await bench.ok("task", "get", "2")).toMatchObject({ attempt: 1, status: "resolved" })
      expect(await bench.ok("task", "get", "3")).toMatchObject({ attempt: 1 })
      expect(await bench.ok<Data[]>("quality", "1")).toMatchObject([{ attempt: 1 }, { attempt: 2, status: "accepted" }])
    },
    LONG_MS,
  )
})

it("tells whoever types a command that does not exist which there are", async () => {
  using bench = makeBench()
  const { exitCode, stderr } = await bench.run(["imporve"])
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(
    /^Error: unknown command "imporve"; did you mean: teamwork improve\? Known: .*check, .*feedback, .*improve, .*resume, .*revise, .*\n$/,
  )
})
