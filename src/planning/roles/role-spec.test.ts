import { describe, expect, it } from "bun:test"
import { check, PLAN_FACTS, planOf } from "../../../test/support/plans.ts"
import { checkPlan } from "../check-plan.ts"
import { sayPath } from "../plan.ts"
import { readPlan } from "../read-plan.ts"
import { planOfAnalysis } from "../task-analysis.ts"
import { parseRoleFile } from "./role-file.ts"
import { defineSpec, draftSpec, hasInnerLoop, type RoleSpec, renderRoleSpec } from "./role-spec.ts"

const SPEC = { name: "scanner", prefix: "SCAN", responsibility: "exploration", capability: "Find things" } as const
const WHOLE: RoleSpec = { ...SPEC, context: "Read it.", work: "Look.", validation: "Look again." }
const task = (id: string, needs: string[] = [], files: string[] = []) => ({ id, needs, files, agentType: "scanner" })

describe("a role-spec", () => {
  it("is a role file with phases 2 to 4, that reads back as the role it defines", () => {
    const text = renderRoleSpec(WHOLE, [task("SCAN-1"), task("SCAN-2", ["SCAN-1"])])
    expect(text).toBe(`---
name: scanner
kind: exploration
prefix: SCAN
responsibility_type: exploration
inner_loop: true
---
# scanner

Find things

## Phase 2: Context

Read it.

## Phase 3: Work

Look.

## Phase 4: Validation

Look again.
`)
    expect(parseRoleFile("role-specs/scanner.md", text)).toMatchObject({
      ...{ name: "scanner", kind: "exploration", prefix: "SCAN", responsibility: "exploration", innerLoop: true },
      instructions: expect.stringContaining("## Phase 3: Work\n\nLook.") as never,
    })
  })

  it.each([
    ["exploration", [], "exploration", "medium", false],
    ["analysis", [], "exploration", "high", false],
    ["analysis", ["a.md"], "implementation", "high", true],
    ["implementation", [], "implementation", "high", true],
    ["synthesis", [], "implementation", "medium", true],
    ["review", [], "review", "high", false],
  ] as const)(
    "responsible for %s with files %j is of kind %s, with effort %s",
    (responsibility, files, kind, effort, writes) => {
      const role = defineSpec({ ...WHOLE, responsibility }, [task("SCAN-1", [], [...files])])
      expect(role).toMatchObject({ kind, effort, writes })
    },
  )

  it.each<[boolean, ReturnType<typeof task>[]]>([
    [false, [task("SCAN-1"), task("SCAN-2")]],
    [true, [task("SCAN-1"), task("SCAN-2", ["SCAN-1"])]],
    [true, [task("SCAN-1"), task("MEND-1", ["SCAN-1"]), task("SCAN-2", ["MEND-1"])]],
    [false, [task("SCANNER-1"), task("SCAN-2", ["SCANNER-1"])]],
    [false, [task("SCAN-1", ["SCANNER-1"]), task("SCANNER-1", ["SCAN-9X"])].slice(0, 1)],
  ])("has an inner loop (%s) when two of its tasks come one after the other", (expected, tasks) => {
    expect(hasInnerLoop("SCAN", tasks)).toBe(expected)
  })
})

describe("role-specs of a plan", () => {
  const problems = (specs: readonly object[], tasks: readonly Record<string, unknown>[]) =>
    checkPlan(planOf(tasks, { roleSpecs: specs }), PLAN_FACTS).problems.map(
      ({ path, message }) => `${sayPath(path)}: ${message}`,
    )

  it("own tasks by the beginning of their ids", () => {
    expect(problems([SPEC], [{ id: "SCAN-1", agentType: "scanner" }])).toEqual([])
    expect(problems([SPEC], [{ id: "one", agentType: "scanner" }])).toEqual([
      'tasks[0].id: "one" belongs to scanner, whose ids begin with SCAN-',
    ])
  })

  it("are at most five, each with its own name and prefix, and none that is built in", () => {
    const many = [1, 2, 3, 4, 5, 6].map((number) => ({ ...SPEC, name: `s${number}`, prefix: `SC${number}` }))
    expect(problems(many, [{}])).toEqual(["roleSpecs: has 6 roles; at most 5 are made"])
    expect(problems([SPEC, SPEC], [{}])).toEqual([
      "roleSpecs[1].name: scanner is there twice",
      "roleSpecs[1].prefix: SCAN is there twice",
    ])
    expect(problems([{ ...SPEC, name: "executor" }], [{}])).toEqual([
      "roleSpecs[0].name: executor is built in; name the role otherwise",
    ])
  })

  it.each<[object, string]>([
    [{ ...SPEC, prefix: "scan" }, 'roleSpecs[0].prefix: "scan" is not valid; use 2 to 16 capital letters'],
    [{ ...SPEC, responsibility: "cooking" }, 'roleSpecs[0].responsibility: "cooking" is not one of exploration,'],
    [{ ...SPEC, work: "x".repeat(4001) }, "roleSpecs[0].work: must be at most 4000 characters"],
    [{ ...SPEC, colour: "red" }, "roleSpecs[0].colour: is not known here"],
    [{ name: "scanner" }, "roleSpecs[0]: prefix is missing"],
  ])("are checked against their schema: %j", (spec, message) => {
    const { problems: found } = readPlan({ goal: "g", roleSpecs: [spec], tasks: [{ title: "t" }] })
    expect(found.map(({ path, message: said }) => `${sayPath(path)}: ${said}`)[0]).toStartWith(message)
  })

  it("hold for the tasks of the plan, and one that is there is taken instead", () => {
    const known = defineSpec({ ...WHOLE, prefix: "OLD" }, [])
    const facts = { roles: [...PLAN_FACTS.roles, known] }
    expect(check([{ id: "OLD-1", agentType: "scanner" }], facts).problems).toEqual([])
    const plan = planOf([{ id: "SCAN-1", agentType: "scanner" }], { roleSpecs: [SPEC] })
    expect(checkPlan(plan, { ...PLAN_FACTS, ...facts }).problems.map(({ message }) => message)).toEqual([
      '"SCAN-1" belongs to scanner, whose ids begin with OLD-',
    ])
  })
})

describe("an analysis", () => {
  const TASK = { id: "SCAN-1", title: "Look", owner: "scanner" }

  it("becomes a plan whose tasks name their roles; reviews are tasks of the role review", () => {
    const reviewer = { ...SPEC, name: "judge", prefix: "JUDGE", responsibility: "review" }
    const answer = {
      understanding: "U",
      capabilities: ["find"],
      roles: [SPEC, reviewer],
      tasks: [TASK, { ...TASK, id: "JUDGE-1", owner: "judge" }],
    }
    // F046: the user's words are the goal, and what the planner made of them stands beside it.
    expect(planOfAnalysis(answer, "goal", [])).toEqual({
      ...{ goal: "goal", understanding: "U", capabilities: ["find"] },
      roleSpecs: [SPEC, reviewer],
      tasks: [
        { id: "SCAN-1", title: "Look", agentType: "scanner", role: "worker" },
        { id: "JUDGE-1", title: "Look", agentType: "judge", role: "review" },
      ],
    })
  })

  it("makes no role anew that is there", () => {
    const plan = planOfAnalysis({ roles: [SPEC], tasks: [TASK] }, "goal", [defineSpec(WHOLE, [])])
    expect(plan).toMatchObject({ goal: "goal", roleSpecs: [] })
  })

  it("that is none becomes a plan without tasks, which the checks refuse", () => {
    expect(planOfAnalysis("nothing", "goal", [])).toEqual({ goal: "goal" })
  })
})

describe("a missing capability", () => {
  it("becomes a role with a name and a prefix that nobody has", () => {
    expect(draftSpec("Write SQL by hand", "implementation", [])).toMatchObject({
      name: "write-sql-by-hand",
      prefix: "WRITE",
    })
    expect(draftSpec("Write docs", "synthesis", [{ name: "x", prefix: "WRITE" }])).toMatchObject({ prefix: "WRITE2" })
    expect(draftSpec("Write SQL by hand", "synthesis", [{ name: "write-sql-by-hand", prefix: "SQL" }]).prefix).toBe(
      "SQL",
    )
    expect(draftSpec("!!", "analysis", [])).toMatchObject({ name: "made-role", prefix: "ROLE" })
    expect(draftSpec("Executor", "analysis", []).name).toBe("made-executor")
  })
})
