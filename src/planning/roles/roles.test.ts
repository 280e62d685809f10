import { describe, expect, it } from "bun:test"
import { AppError } from "../../kernel/errors.ts"
import { parseTaskId } from "../../kernel/ids.ts"
import { ROLES, type Role } from "../../tasks/task.ts"
import {
  assertCapable,
  BUILT_IN_ROLES,
  type Capability,
  EFFORT_OF,
  getRole,
  modelFor,
  neededCapability,
} from "./roles.ts"

const get = (name: string) => getRole(BUILT_IN_ROLES, name)

describe("the built-in roles", () => {
  it("are the eight roles of tasks and the named agent types, each once", () => {
    const types = [
      "architect",
      "executor",
      "designer",
      "build-fixer",
      "test-engineer",
      "style-reviewer",
      "quality-reviewer",
      "security-reviewer",
      "performance-reviewer",
      "code-reviewer",
      "explorer",
      "debugger",
      "team-worker",
    ]
    const leads = ["orchestrator", "wave-verifier", "final-verifier", "coordinator"]
    expect(BUILT_IN_ROLES.map((role) => role.name)).toEqual([...ROLES, ...types, ...leads])
  })

  it.each([
    ["orchestrator", "opus"],
    ["wave-verifier", "sonnet"],
    ["final-verifier", "opus"],
    ["coordinator", "opus"],
    ...ROLES.map((role) => [role, "dynamic"] as const),
  ])("%s has the model %s", (name, model) => {
    expect(get(name).model).toBe(model as "opus")
  })

  it("know coordinator as the old name of orchestrator", () => {
    const { name: _, deprecatedFor, ...coordinator } = get("coordinator")
    const { name: __, ...orchestrator } = get("orchestrator")
    expect(deprecatedFor).toBe("orchestrator")
    expect(coordinator).toEqual(orchestrator)
  })

  it.each([
    ["frontend", ["UI", "styling", "state", "interaction", "responsive", "accessibility"]],
    ["backend", ["endpoints", "services", "databases", "business logic", "validation"]],
    ["devops", ["CI/CD", "deployment", "infrastructure", "containers", "monitoring"]],
    ["test", ["unit", "integration", "fixtures", "mocks", "coverage"]],
    ["docs", ["README", "API", "examples", "architecture"]],
    ["security", ["authentication", "authorization", "validation", "audits"]],
    ["review", ["quality", "refactoring", "practice", "architecture"]],
  ])("%s knows its subjects", (name, subjects) => {
    const { expertise } = get(name)
    for (const subject of subjects) expect(expertise.filter((line) => line.includes(subject))).toHaveLength(1)
  })

  it("let only those write who implement", () => {
    expect(BUILT_IN_ROLES.filter((role) => role.writes !== (role.kind === "implementation"))).toEqual([])
  })

  it("think as hard as their responsibility asks", () => {
    expect(EFFORT_OF).toEqual({
      exploration: "medium",
      analysis: "high",
      implementation: "high",
      synthesis: "medium",
      review: "high",
    })
    for (const role of BUILT_IN_ROLES) expect(role.effort).toBe(EFFORT_OF[role.responsibility])
    expect([get("explorer").effort, get("architect").effort, get("orchestrator").effort]).toEqual([
      "medium",
      "high",
      "medium",
    ])
  })
})

describe("modelFor", () => {
  it("goes by complexity where the model is dynamic, and only there", () => {
    const models = (["simple", "standard", "complex"] as const).map((each) => modelFor(get("backend"), each))
    expect(models).toEqual(["haiku", "sonnet", "opus"])
    expect(modelFor(get("wave-verifier"), "complex")).toBe("sonnet")
  })
})

describe("getRole", () => {
  it("names the nearest role, or where to look", () => {
    expect(() => get("backnd")).toThrow('there is no role or agent type "backnd"; did you mean backend?')
    expect(() => get("xyzzy")).toThrow("see: teamwork role list")
  })
})

describe("assertCapable", () => {
  const task = (role: Role, files: string[] = []) => ({ id: parseTaskId("3"), role, files })

  it.each<[Role, string[], Capability | undefined]>([
    ["backend", [], "implementation"],
    ["docs", ["a.md"], "implementation"],
    ["review", [], "review"],
    ["review", ["report.md"], "review"],
    ["worker", [], undefined],
    ["worker", ["a.ts"], "implementation"],
    ["security", [], undefined],
    ["security", ["a.ts"], "implementation"],
  ])("a task of role %s with files %j needs %s", (role, files, needed) => {
    expect(neededCapability(task(role, files))).toBe(needed)
  })

  it.each<[Role, string, boolean]>([
    ["backend", "executor", true],
    ["backend", "debugger", true],
    ["backend", "code-reviewer", false],
    ["backend", "explorer", false],
    ["backend", "final-verifier", false],
    ["review", "code-reviewer", true],
    ["review", "review", true],
    ["review", "executor", false],
    ["worker", "explorer", true],
    ["worker", "executor", true],
    ["security", "security-reviewer", true],
    ["worker", "orchestrator", false],
    ["backend", "coordinator", false],
  ])("a task of role %s for %s: %s", (role, type, fine) => {
    const attempt = () => assertCapable(task(role), get(type))
    if (fine) expect(attempt).not.toThrow()
    else expect(attempt).toThrow(AppError)
  })

  it("says what is needed and who has it", () => {
    expect(() => assertCapable(task("review"), get("executor"))).toThrow(
      "task 3 (role review) needs a role for review, and executor is for implementation; use for example security-reviewer, performance-reviewer, code-reviewer",
    )
  })
})
