import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { check, PLAN_FACTS } from "../../test/support/plans.ts"
import { findOverlap } from "../ownership/file-pattern.ts"
import { makeConcurrency } from "../ownership/overlaps.ts"
import { layerTasks } from "../tasks/layers.ts"
import { checkPlan } from "./check-plan.ts"
import { sayPath } from "./plan.ts"

const said = (checked: ReturnType<typeof check>) =>
  checked.problems.map(({ path, message }) => `${sayPath(path)}: ${message}`)

describe("what is wrong with a plan", () => {
  it("is nothing, for a good one", () => {
    const { plan, problems, notes } = check([{ files: ["a/./b"] }, { needs: [1, 1], files: ["a/b", "c"] }])
    expect({ problems, notes }).toEqual({ problems: [], notes: [] })
    expect(plan.tasks.map(({ needs, files }) => ({ needs, files }))).toEqual([
      { needs: [], files: ["a/b"] },
      { needs: ["1"], files: ["a/b", "c"] },
    ] as never)
  })

  it("is told all at once, in the order of the tasks", () => {
    const checked = check(
      [
        { id: "a", needs: ["b", "x"], agent: "cluade" },
        { id: "b", needs: ["a"], acceptance: ["ok"], agentType: "explorer", role: "backend" },
        { id: "a", checks: ["true"], files: ["package.json"] },
        { id: "d", acceptance: ["ok"], files: ["src/d.ts"], agent: "codex", run: ["echo"], repair: [] },
        { id: "e", acceptance: ["ok"], agent: "script" },
        { id: "f", acceptance: ["ok"], repair: ["echo"], files: ["src/**"] },
      ],
      { hasTests: false },
    )
    expect(said(checked)).toEqual([
      "tasks[0]: nothing says when it is done; give it acceptance or checks, or the project a test command",
      'tasks[0].agent: "cluade" is no agent; did you mean "claude"?',
      'tasks[0].needs[1]: "x" is no task of this plan',
      "tasks[1].agentType: task b (role backend) needs a role for implementation, and explorer is for exploration; use for example test-engineer, debugger, team-worker",
      "tasks[1].needs[0]: needs form a cycle: a -> b -> a; remove one of them",
      'tasks[2].id: "a" is the id of tasks[0] already',
      "tasks[3].run: is for the agent script, and codex takes none; leave one of the two out",
      "tasks[4].agent: the script agent needs commands to run; add run",
      "tasks[5].repair: is for tasks of the script agent; add run",
      "tasks[5].files[0]: src/** and src/d.ts of task d both match src/d.ts, and the two could run at the same time; change the files, add a need, or serialise them with --on-overlap serialise",
    ])
  })

  it("F011: is not that several tasks name shared files, or files that gather what others hold", () => {
    const files = ["package.json", "src/index.ts", "CHANGELOG.md"]
    const tasks = ["a", "b"].map((id) => ({ id, files: [`src/${id}.ts`, ...files] }))
    expect(said(check(tasks))).toEqual([])
  })

  it("names every circle, and a long one shortened", () => {
    const two = check([{ needs: [2] }, { needs: [1] }, { needs: [3] }])
    expect(said(two)).toEqual([
      "tasks[1].needs[0]: needs form a cycle: 1 -> 2 -> 1; remove one of them",
      "tasks[2].needs[0]: needs form a cycle: 3 -> 3; remove one of them",
    ])
    const long = check(Array.from({ length: 30 }, (_, at) => ({ needs: [((at + 1) % 30) + 1] })))
    expect(said(long)).toEqual([
      "tasks[29].needs[0]: needs form a cycle: 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 9 -> 10 -> (11 more) -> 22 -> 23 -> 24 -> 25 -> 26 -> 27 -> 28 -> 29 -> 30 -> 1; remove one of them",
    ])
  })

  it("is nothing where shared files are granted, or the project has tests", () => {
    expect(check([{ files: ["package.json"], grantShared: true }]).problems).toEqual([])
  })

  it("is more workers than there may be", () => {
    const plan = { goal: "g", workers: "backend:4,test:2", tasks: [] }
    expect(checkPlan(plan, PLAN_FACTS).problems).toEqual([
      { path: ["workers"], message: "6 workers are more than the 5 of team.maxAgents" },
    ])
  })
})

describe("tasks with common files", () => {
  const PATTERNS = ["**", "src/**", "src/a/*", "src/a/x.ts", "docs/*.md", "docs/x.md"]
  const plans = fc.array(
    fc.record({ needs: fc.array(fc.nat(11), { maxLength: 3 }), files: fc.subarray(PATTERNS, { maxLength: 2 }) }),
    { minLength: 1, maxLength: 12 },
  )
  /** Needs go backwards only. */
  const tasksOf = (drafts: readonly { needs: readonly number[]; files: readonly string[] }[]) =>
    drafts.map(({ needs, files }, at) => ({
      id: `t${at}`,
      files,
      needs: needs.filter((need) => need < at).map((need) => `t${need}`),
    }))

  it("are made to wait for one another, without a circle, and only where they must", () => {
    fc.assert(
      fc.property(plans, (drafts) => {
        const tasks = tasksOf(drafts)
        const { plan, problems, notes } = check(tasks, { onOverlap: "serialise", shared: [] })
        expect(problems).toEqual([])
        layerTasks(plan.tasks.map(({ id, needs }) => ({ id, blockedBy: needs })))
        const canMeet = makeConcurrency(plan.tasks.map(({ id, needs }) => ({ id, status: "open", blockedBy: needs })))
        for (const [at, one] of plan.tasks.entries())
          for (const other of plan.tasks.slice(at + 1))
            if (one.files.some((a) => other.files.some((b) => findOverlap(a, b) !== undefined)))
              expect(canMeet(one.id, other.id)).toBe(false)
        const added = plan.tasks.flatMap(({ needs }, at) => needs.slice(tasks[at]?.needs.length ?? 0))
        // Duplicates that were written twice are gone, so there may be fewer.
        expect(notes.length).toBeGreaterThanOrEqual(added.length)
      }),
      { numRuns: 300 },
    )
  })

  it("are refused exactly where one would have to wait", () => {
    fc.assert(
      fc.property(plans, (drafts) => {
        const refused = check(tasksOf(drafts), { shared: [] }).problems
        const { notes } = check(tasksOf(drafts), { onOverlap: "serialise", shared: [] })
        expect(refused.length).toBe(Math.min(notes.length, 24))
      }),
      { numRuns: 200 },
    )
  })
})
