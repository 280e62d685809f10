import { describe, expect, it } from "bun:test"
import { makeTask } from "../../test/support/tasks.ts"
import type { Role } from "../tasks/task.ts"
import { DIMENSION_ASKS, describeQaPlan, planQa, QA_TYPES, qaTypeOf, readDimensions } from "./qa-plan.ts"

const of = (role: Role, title: string) => makeTask({ role, title, description: "" })

describe("the plan of QA", () => {
  it("goes by the role, then by what the text asks for", () => {
    const cases: [Role, string, (typeof QA_TYPES)[number]][] = [
      ["docs", "Anything", "documents"],
      ["test", "Anything", "tests"],
      ["security", "Anything", "audit"],
      ["frontend", "Anything", "ui"],
      ["worker", "Add the endpoint of the database", "code"],
      ["worker", "Refactor the parser", "refactor"],
      ["backend", "Evaluate the architecture of the service", "design"],
      ["worker", "Code review of the parser", "audit"],
    ]
    for (const [role, title, type] of cases) expect([title, qaTypeOf(of(role, title))]).toEqual([title, type])
  })

  it("has weights that add up to 100 for each type, and something to ask for each dimension", () => {
    const roles: Record<(typeof QA_TYPES)[number], [Role, string]> = {
      ...{ code: ["worker", "Add it"], ui: ["frontend", "x"], tests: ["test", "x"], documents: ["docs", "x"] },
      ...{ refactor: ["worker", "Refactor it"], audit: ["review", "x"] },
      design: ["worker", "Propose an architecture"],
    }
    for (const type of QA_TYPES) {
      const plan = planQa(of(...roles[type]), [])
      expect(plan.type).toBe(type)
      expect(plan.dimensions.reduce((sum, { weight }) => sum + weight, 0)).toBe(100)
      for (const { name } of plan.dimensions) expect(DIMENSION_ASKS[name]).toBeString()
      expect(plan.checks.length).toBeGreaterThan(0)
    }
  })

  it("looks at what the task must be accepted by, and goes by the configuration where that names dimensions", () => {
    const task = makeTask({ role: "worker", acceptance: ["it is fast"], checks: ["npm test"] })
    const plan = planQa(task, ["truth=60", "beauty=40"])
    expect(plan.checks).toEqual(expect.arrayContaining(["it holds: it is fast", "it ends with 0: npm test"]))
    expect(describeQaPlan(plan)).toStartWith("As code: truth 60 %, beauty 40 %.\n- every changed line")
    expect(() => readDimensions(["truth=60", "beauty=30"])).toThrow("add up to 100, and not to 90")
    expect(() => readDimensions(["truth=60", "truth=40"])).toThrow("name each dimension once")
  })
})
