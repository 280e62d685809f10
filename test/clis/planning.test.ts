// The real Claude Code explores and plans, against a scripted model: what it is told, and how its answers come back.
import { expect, it } from "bun:test"
import { join } from "node:path"
import { claude } from "../../src/agents/claude/program.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { makePlanner } from "../../src/planning/planner/plan-goal.ts"
import { PLAN_FACTS } from "../support/plans.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { TEAM } from "../support/stores.ts"
import { type Cli, FAKE_KEY, MAX_RUN_MS, makeWorld } from "./cli-world.ts"
import type { Reply } from "./model-protocols.ts"
import { OWN_TOOLS } from "./own-tools.ts"

const CLAUDE: Cli = {
  program: claude,
  model: "sonnet",
  variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: FAKE_KEY, CLAUDE_CODE_MAX_RETRIES: "1" }),
  ...OWN_TOOLS.claude,
  structured: (value) => [{ tool: { name: "StructuredOutput", input: value } }, { text: "answered" }],
  ...{ startMs: 6_000, hasSandbox: false, tellsRetryTime: true, tellsUsageWhileRunning: true },
  ...{ brokenAnswer: "crashed", keepsBrokenText: false, blockWord: "block" },
}

const TASK = {
  ...{ description: "Say good night.", acceptance: ["It says so"], checks: [], role: "docs", agentType: "executor" },
  ...{ complexity: "simple", files: ["greeting.txt"] },
}

/** What stands in brackets in an answer selects the script for the question that quotes it. */
function mapThat(leadsTo: string) {
  return {
    affected: [{ path: "greeting.txt", why: "it greets" }],
    modules: [],
    shared: [],
    tests: [],
    remarks: leadsTo,
  }
}

async function plan(scripts: Readonly<Record<string, readonly Reply[]>>) {
  const world = makeWorld(CLAUDE, scripts)
  const steps: string[] = []
  const { agent, env, worktree } = world
  const model = { model: null, price: null }
  const planner = makePlanner(
    {
      ...TEAM,
      ready: [{ agent, env, isEnabled: true, models: { haiku: model, sonnet: model, opus: model } }],
      ...{ home: join(worktree, "../state-home"), clock: systemClock, ids: systemIds, maxBytes: 10_000_000 },
      ...{ roles: PLAN_FACTS.roles, defaults: { agentType: "executor", tier: "sonnet" }, callerEnv: sandboxEnv() },
      health: { now: new Date().toISOString(), until: {}, faults: {}, quotas: {} },
      hasStore: async () => false,
      openContext: async () => Promise.reject(new Error("there is no store")),
    },
    {
      ...{ goal: "[[explore]] Greet people at night", facts: PLAN_FACTS, folder: worktree },
      repository: { files: ["greeting.txt"], isCut: false, commands: [] },
      explored: undefined,
      ...{ limits: { timeMs: MAX_RUN_MS }, signal: new AbortController().signal },
      onStep: (step) => steps.push(step),
    },
  )
  return { world, steps, planner, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

it("F046: reads the repository, plans by the schema, plans again what was wrong, and keeps the user's words", async () => {
  const wrong = { understanding: "[[again]] Night", tasks: [{ ...TASK, id: "1", title: "Night", needs: ["7"] }] }
  const right = { understanding: "Greet at night", tasks: [{ ...TASK, id: "1", title: "Night", needs: [] }] }
  await using done = await plan({
    explore: [
      { tool: { name: "Read", input: { file_path: "greeting.txt" } } },
      ...CLAUDE.structured(mapThat("[[plan]]")),
    ],
    plan: CLAUDE.structured(wrong),
    again: CLAUDE.structured(right),
  })
  const { plan: made } = await done.planner.plan()
  expect(made).toMatchObject({
    ...{ goal: "[[explore]] Greet people at night", understanding: "Greet at night" },
    tasks: [{ id: "1", title: "Night", files: ["greeting.txt"] }],
  })
  expect(done.steps).toEqual(["exploring the repository", "planning", "the plan has a fault, planning again"])
  const steps = done.world.model.asked.map(({ step }) => step).filter((step) => /^(?:explore|plan|again)/.test(step))
  expect(steps.slice(0, 2)).toEqual(["explore/0", "explore/1"])
  expect(steps).toEqual(expect.arrayContaining(["plan/0", "again/0"]))
})

it("writes nothing while it plans, whatever it tries", async () => {
  const right = { understanding: "Greet at night", tasks: [{ ...TASK, id: "1", title: "Night", needs: [] }] }
  await using done = await plan({
    explore: [{ tool: CLAUDE.write("evil.txt", "x") }, ...CLAUDE.structured(mapThat("[[plan]]"))],
    plan: [{ tool: CLAUDE.write("evil.txt", "x") }, ...CLAUDE.structured(right)],
  })
  await done.planner.plan()
  expect(done.world.git("status", "--porcelain")).toBe("")
})
