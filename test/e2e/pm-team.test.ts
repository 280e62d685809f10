// The example with a project manager and QA, in SUPERVISED mode: real processes, and a person who answers (R041, R124,
// R202-R209, R223-R228).
import { expect, it } from "bun:test"
import { join } from "node:path"
import { until } from "../support/stores.ts"
import { makeRepository } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const PLAN = join(import.meta.dir, "../../examples/pm-team/plan.yml")
const TASKS = ["greetings", "guide", "languages", "page", "style"]

it(
  "is approved step by step, checked by QA, accepted and delivered",
  async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    await bench.ok("plan", PLAN, "--yes")
    await bench.ok("project", "update", "--mode", "SUPERVISED")
    await using team = bench.start(["run", "--no-review", "--no-cascade"])
    const answered = await answerAll(bench, team.exited)
    expect({ code: await team.exited, out: team.out }).toMatchObject({ code: 0 })
    expect(answered.slice(0, 2)).toEqual(["understanding", "team-plan"])
    expect(answered.filter((what) => what.startsWith("plan ")).toSorted()).toEqual([
      ...["plan greetings", "plan greetings", ...TASKS.slice(1).map((task) => `plan ${task}`)],
    ])
    expect(answered.filter((what) => what.startsWith("accept ")).toSorted()).toEqual(TASKS.map((id) => `accept ${id}`))
    expect(answered.filter((what) => what === "draft")).toHaveLength(1)
    expect(answered.at(-1)).toBe("final")
    // The draft comes after the first wave, and before anything of the second.
    expect(answered.indexOf("draft")).toBeLessThan(answered.indexOf("plan page"))
    for (const task of await bench.ok<Data[]>("task", "list"))
      expect(task).toMatchObject({ status: "resolved", phase: "completion", qa: "passed" })
    const verdicts = await bench.ok<Data[]>("verdict", "list")
    expect(verdicts.filter(({ scope, status }) => scope === "qa" && status === "passed")).toHaveLength(TASKS.length)
    expect(git(bench.cwd, "show", "main:docs/translating.md")).toContain("greetings.json")
    await expectOrder(bench)
  },
  6 * TEST_TIMEOUT_MS,
)

/** Says yes to everything but the first plan for the greetings; what was asked, in order. */
async function answerAll(bench: Bench, exited: Promise<number>): Promise<string[]> {
  const answered: string[] = []
  let isOver = false
  void exited.then(() => {
    isOver = true
  })
  while (!isOver) {
    const next = await until<Data | "over">(async () => {
      if (isOver) return "over"
      const [approval] = await bench.ok<Data[]>("approvals")
      const reported = (await bench.ok<Data[]>("quality")).find(({ status }) => status === "reported")
      return approval ?? reported
    }, "something to answer")
    if (next === "over") break
    if (next.scope === undefined) {
      await bench.ok("qa", "accept", String(next.task_id))
      answered.push(`accept ${next.task_id}`)
      continue
    }
    // How QA goes about its work is the lead's to decide, whoever is faster.
    if (next.scope === "qa-plan") {
      await bench.run(["approve", String(next.number)])
      continue
    }
    const isFirst = next.task_id === "greetings" && !answered.includes("plan greetings")
    if (isFirst) await bench.ok("reject", String(next.number), "--reason", "Say hello in three languages")
    else await bench.ok("approve", String(next.number))
    answered.push(next.task_id === null ? String(next.subject) : `plan ${next.task_id}`)
  }
  return answered
}

/** By the events alone: nothing of a task ran before its approval, and none was resolved before QA had passed it. */
async function expectOrder(bench: Bench): Promise<void> {
  const { events } = await bench.ok<{ events: { type: string; data: Data }[] }>("events", "tail", "--limit", "10000")
  for (const id of TASKS) {
    const at = (fits: (type: string, data: Data) => boolean) =>
      events.findIndex(({ type, data }) => data.task === id && fits(type, data))
    const approved = at((type, data) => type === "task.phase_changed" && data.to === "execution")
    const begun = at((type, data) => type === "task.step" && data.step === "agent")
    const passed = at((type, data) => type === "task.qa_changed" && data.to === "passed")
    const resolved = at((type) => type === "task.resolved")
    expect([approved, begun, passed, resolved]).toEqual([approved, begun, passed, resolved].toSorted((a, b) => a - b))
    expect(approved).toBeGreaterThan(0)
  }
}
