import { describe, expect, it } from "bun:test"
import { planOf } from "../../test/support/plans.ts"
import { fillPlan, getPreset, type Preset } from "./presets.ts"
import { BUILT_IN_ROLES } from "./roles/roles.ts"

const PRESET: Preset = {
  ...{ name: "calm", source: "repository", summary: "A calm team", protocol: "planned", qa: true, workers: "3" },
  ...{ schedule: "eager", roles: { code: "executor", research: "explorer", document: "docs" } },
}
const fill = (plan: ReturnType<typeof planOf>) => fillPlan(plan, PRESET, BUILT_IN_ROLES)

describe("a preset", () => {
  it("says what the plan leaves out, and nothing that it says", () => {
    expect(fill(planOf([{}]))).toMatchObject({
      preset: "calm",
      protocol: "planned",
      qa: true,
      workers: "3",
      schedule: "eager",
    })
    const own = planOf([{}], { protocol: "none", qa: false, workers: "auto", schedule: "waves", mode: "SUPERVISED" })
    expect(fill(own)).toMatchObject({
      protocol: "none",
      qa: false,
      workers: "auto",
      schedule: "waves",
      mode: "SUPERVISED",
    })
  })

  it("gives tasks that ask for nobody to somebody by their type, if capable of it", () => {
    const { tasks } = fill(
      planOf([
        { title: "Add the endpoint" },
        { title: "Write the guide" },
        { title: "Explore the code" },
        { title: "Explore the code", files: ["notes.json"] },
        { title: "Add the page", role: "frontend" },
        { title: "Add the form", agentType: "designer" },
      ]),
    )
    expect(tasks.map(({ role, agentType }) => [role, agentType ?? null])).toEqual([
      ["worker", "executor"],
      ["docs", null],
      ["worker", "explorer"],
      ["worker", null],
      ["frontend", null],
      ["worker", "designer"],
    ])
  })

  it("changes nothing the second time", () => {
    const once = fill(planOf([{ title: "Add the endpoint" }]))
    expect(fill(once)).toEqual(once)
  })

  it("that is not there is told with the known ones", () => {
    expect(() => getPreset([PRESET], "clam")).toThrow('there is no preset "clam"; did you mean calm? there are calm')
    expect(() => getPreset([PRESET], "something")).toThrow('there is no preset "something"; there are calm')
  })
})
