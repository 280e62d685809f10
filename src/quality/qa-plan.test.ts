import { describe, expect, it } from "bun:test"
import { makeTask } from "../../test/support/tasks.ts"
import type { Responsibility } from "../planning/roles/roles.ts"
import type { Role, Task } from "../tasks/task.ts"
import { DIMENSION_ASKS, describeQaPlan, planQa, QA_TYPES, type QaType, qaTypeOf, readDimensions } from "./qa-plan.ts"

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

  it("F068: judges research, documents and design by what they are, and not by tests", () => {
    const cases: [Partial<Task>, QaType, Responsibility?][] = [
      [{ title: "Research which queue fits best" }, "research"],
      [{ title: "Investigate the slow start of the server" }, "research"],
      [{ title: "Find out which languages our users speak" }, "research"],
      [{ title: "Compare the two parsers", role: "backend" }, "research"],
      [{ title: "Look around", agentType: "explorer" }, "research"],
      [{ title: "Find what to refactor", agentType: "explorer" }, "research"],
      [{ title: "Think about the search", agentType: "architect" }, "research"],
      [{ title: "Anything", agentType: "scanner" }, "research", "exploration"],
      [{ title: "Anything", agentType: "thinker" }, "research", "analysis"],
      [{ title: "Anything", agentType: "licence-reviewer" }, "audit", "review"],
      [{ title: "Anything", agentType: "writer" }, "documents", "synthesis"],
      [{ title: "Anything", agentType: "builder" }, "code", "implementation"],
      [{ title: "Anything", agentType: "security-reviewer", role: "review" }, "audit"],
      [{ title: "Write the guide for translators" }, "documents"],
      [{ title: "Say how it is used", files: ["docs/**", "README.md"] }, "documents"],
      [{ title: "Anything", agentType: "designer" }, "design"],
      [{ title: "Design the page of the search" }, "design"],
      [{ title: "Anything", files: ["design/page.svg"] }, "design"],
      // Whoever changes code is judged by the change, whatever had to be found out first.
      [{ title: "Investigate the slow start and fix it" }, "code"],
      [{ title: "Investigate the slow start", files: ["src/server.ts"] }, "code"],
      [{ title: "Add the endpoint" }, "code"],
    ]
    for (const [task, type, responsibility] of cases) {
      const plan = planQa(makeTask({ role: "worker", description: "", ...task }), [], responsibility)
      expect([task, plan.type]).toEqual([task, type])
      if (["research", "documents", "audit", "design"].includes(type))
        expect(plan.dimensions.map(({ name }) => name)).not.toContain("tests")
    }
  })

  it("has weights that add up to 100 for each type, and something to ask for each dimension", () => {
    const roles: Record<(typeof QA_TYPES)[number], [Role, string]> = {
      ...{ code: ["worker", "Add it"], ui: ["frontend", "x"], tests: ["test", "x"], documents: ["docs", "x"] },
      ...{ refactor: ["worker", "Refactor it"], audit: ["review", "x"], research: ["worker", "Compare the two"] },
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
