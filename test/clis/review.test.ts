// The real Codex reviews what Claude Code did, against a scripted model.
import { expect, it } from "bun:test"
import { codex } from "../../src/agents/codex/program.ts"
import { makeReviewFixes } from "../../src/quality/operations/review-fixes.ts"
import { makeReviewScene } from "../support/review-scene.ts"
import { TEAM } from "../support/stores.ts"
import { type Cli, FAKE_KEY, makeWorld, type World } from "./cli-world.ts"
import { canSandbox } from "./codex-sandbox.ts"
import type { Reply } from "./model-protocols.ts"
import { OWN_TOOLS } from "./own-tools.ts"

const CODEX: Cli = {
  program: codex,
  model: "gpt-5.5",
  variables: () => ({ OPENAI_API_KEY: FAKE_KEY }),
  settings: (url) => ({
    model_provider: "fake",
    model_providers: {
      fake: { name: "fake", base_url: `${url}/v1`, wire_api: "responses", env_key: "OPENAI_API_KEY" },
    },
  }),
  ...OWN_TOOLS.codex,
  structured: (value) => [{ text: JSON.stringify(value) }],
  ...{ startMs: 6_000, hasSandbox: true, lacksSandbox: !canSandbox(), tellsRetryTime: false },
  ...{ tellsUsageWhileRunning: false, brokenAnswer: "crashed", keepsBrokenText: false, blockWord: "block" },
}

async function review(replies: readonly Reply[]) {
  const world = makeWorld(CODEX, { review: replies })
  const scene = await makeReviewScene(["claude", "claude"], "[[review]] A search page")
  const verdict = await scene.review([readyOf(world)])
  return {
    ...{ world, scene, verdict },
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

function readyOf({ agent, env }: World) {
  const model = { model: CODEX.model, price: null }
  return { agent, env, isEnabled: true, models: { haiku: model, sonnet: model, opus: model } }
}

it("passes the work", async () => {
  await using done = await review(CODEX.structured({ verdict: "PASS", findings: [] }))
  expect(done.verdict).toMatchObject({ scope: "cross-agent", status: "passed", by: "codex", commit: done.scene.tip })
})

it("finds fault with it by the schema, and tasks are made of that", async () => {
  const finding = { task: "2", file: "search.ts", severity: "high", text: "it finds nothing" }
  await using done = await review(CODEX.structured({ verdict: "FAIL", findings: [finding] }))
  expect(done.verdict).toMatchObject({ status: "failed", issues: ["high: task 2, search.ts: it finds nothing"] })
  const fixes = await makeReviewFixes(done.scene.context, TEAM)
  expect(fixes.map(({ id }) => String(id))).toEqual(["finding-1-2"])
})

it("is skipped when the answer fits no schema", async () => {
  await using done = await review([{ text: "looks good to me" }])
  expect(done.verdict).toMatchObject({ status: "skipped", by: "reviewer" })
})
