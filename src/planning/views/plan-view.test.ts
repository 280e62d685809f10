import { expect, it } from "bun:test"
import type { TaskId } from "../../kernel/ids.ts"
import { width } from "../../lib/text/table.ts"
import { FOLLOW_UP_ROLES } from "../../tasks/follow-up.ts"
import { type Decomposition, type RoutedTask, renderPlan } from "./plan-view.ts"

const TASK: RoutedTask = {
  ...{
    id: "api",
    title: "API",
    wave: 1,
    role: "backend",
    agentType: "executor",
    complexity: "standard",
    because: "",
    why: [],
  },
  ...{ agent: "codex", tier: "sonnet", model: "gpt-5.5", effort: "high" },
  ...{ needs: [], files: ["src/api/**"], checks: ["make"], acceptance: ["it works"] },
}
const PLAN: Decomposition = {
  ...{
    goal: "Shop",
    understanding: null,
    capabilities: [],
    schedule: "waves",
    mode: "FULL_AUTO",
    workers: "auto",
    template: null,
    preset: null,
    protocol: "none",
    qa: false,
    roleSpecs: [],
    totalWaves: 2,
    notes: [],
  },
  tasks: [TASK, { ...TASK, id: "a-task-with-a-very-long-id", wave: 2, needs: ["api"], files: [], agent: null }],
  followUps: [],
  budget: null,
  estimate: { runs: 2, followUps: 0, basedOn: 0, unknown: 2, ms: null, tokens: null, dollars: null },
  ...{ shared: [{ file: "package.json", tasks: ["api"] }], boundary: [] },
}
const SCREEN = { columns: 90, color: false }

it("tells who does what, when and with what", () => {
  expect(renderPlan(PLAN, SCREEN)).toBe(
    [
      "TEAM DECOMPOSITION",
      "Goal      Shop",
      "Team      FULL_AUTO, schedule waves, workers auto",
      "Tasks     2 in 2 waves",
      "Runs      2 agent runs",
      "Estimate  time and cost are unknown, as there are no earlier runs here",
      "",
      "Wave 1",
      "  api                 API",
      "                      route  backend as executor, by codex, sonnet gpt-5.5, effort high",
      "                      files  src/api/**",
      "                      done   it works; `make`",
      "",
      "Wave 2",
      "  a-task-with-a-very-long-id  API",
      "                      route  backend as executor, no agent can take it now, sonnet gpt-5.…",
      "                      needs  api",
      "                      done   it works; `make`",
      "",
      "Shared files",
      "  package.json: named by api",
    ].join("\n"),
  )
})

it("F017: tells what will be added, and what all of it takes", () => {
  const { role, agentType } = FOLLOW_UP_ROLES.test
  const id = "test-api" as TaskId
  const shown = renderPlan(
    {
      ...PLAN,
      followUps: [{ id, title: "Test: API", of: "api" as TaskId, kind: "test", role, agentType }],
      estimate: { runs: 3, followUps: 1, basedOn: 18, unknown: 1, ms: 725_000, tokens: 340_000, dollars: 1.2 },
    },
    { ...SCREEN, columns: 200 },
  )
  expect(shown).toContain("Runs      3 agent runs: 2 tasks and up to 1 follow-up\n")
  expect(shown).toContain(
    "Estimate  about 12m 05s, 340.0k tokens, $1.20; from 18 earlier runs here; 1 of a kind that never ran here is not counted\n",
  )
  expect(shown).toContain(
    "\nAdded for work that brings no tests\n  test-api: Test: API (test as test-engineer, after api)\n",
  )
})

it("shows so many notes and no more", () => {
  const notes = Array.from({ length: 33 }, (_, at) => `note ${at + 1}`)
  expect(renderPlan({ ...PLAN, notes }, SCREEN)).toEndWith("\n  note 29\n  note 30\n  and 3 more")
})

it("fits a narrow screen, and lets foreign text do nothing to it", () => {
  const evil = "red \u001b[31m日本語 ".repeat(20)
  const goal = `two\n\nlines ${evil}`
  const text = renderPlan(
    { ...PLAN, goal, tasks: [{ ...TASK, title: evil, acceptance: [evil] }], notes: [evil] },
    { ...SCREEN, columns: 50 },
  )
  expect(text).not.toContain("\u001b")
  for (const line of text.split("\n")) expect(width(line)).toBeLessThanOrEqual(50)
})

it("F046: shows the goal as it was typed, and beside it how it was understood", () => {
  const plan = { ...PLAN, goal: "做一个网页", understanding: "Build a page", capabilities: ["write HTML"] }
  const text = renderPlan(plan, SCREEN)
  expect(text).toContain("Goal      做一个网页\nTaken as  Build a page\n")
  expect(text).toContain("\nCapabilities it needs\n  write HTML\n")
})

it("F040: says why each task gets its model and agent, where somebody asks", () => {
  const tasks = [{ ...TASK, why: ["complex: it was asked for", "codex takes backend tasks"] }]
  const lines = ["why    complex: it was asked for", "       codex takes backend tasks"]
  const text = renderPlan({ ...PLAN, tasks, totalWaves: 1 }, SCREEN, { explain: true })
  for (const line of lines) expect(text).toContain(line)
  expect(renderPlan({ ...PLAN, tasks, totalWaves: 1 }, SCREEN)).not.toContain("why")
})
