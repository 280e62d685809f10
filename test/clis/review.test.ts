// The real Codex and Claude Code review what a team did, against a scripted model.
import { expect, it } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assertNoCritical } from "../../src/quality/operations/hold-findings.ts"
import { listFindings } from "../../src/quality/operations/manage-findings.ts"
import { makeReviewFixes } from "../../src/quality/operations/review-fixes.ts"
import { type ReviewSetup, setUpReview } from "../support/review-setup.ts"
import { refusal, TEAM } from "../support/stores.ts"
import { type Cli, makeWorld, type World } from "./cli-world.ts"
import type { Reply } from "./model-protocols.ts"
import { ACP_OPENCODE, CLAUDE, CODEX, OPENCODE } from "./programs.ts"

/** The work of these agents, reviewed by the program. */
async function review(cli: Cli, workers: readonly string[], replies: readonly Reply[]) {
  const scene = await setUpReview(workers, "[[review]] A search page")
  const verdict = await reviewOnce(scene, cli, replies)
  return { scene, verdict, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() }
}

async function reviewOnce(scene: ReviewSetup, cli: Cli, replies: readonly Reply[]) {
  await using world = makeWorld(cli, { review: replies })
  return await scene.review([readyOf(cli, world)])
}

function readyOf(cli: Cli, { agent, env }: World) {
  const model = { model: cli.model, price: null }
  return { agent, env, isEnabled: true, models: { haiku: model, sonnet: model, opus: model } }
}

const PASS = { verdict: "PASS", findings: [], earlier: [] }

it("passes the work", async () => {
  await using done = await review(CODEX, ["claude", "claude"], CODEX.structured(PASS))
  expect(done.verdict).toMatchObject({ scope: "cross-agent", status: "passed", by: "codex", commit: done.scene.tip })
})

it("finds fault with it by the schema, and tasks are made of that", async () => {
  const finding = { task: "2", file: "search.ts", line: 1, severity: "major", text: "it finds nothing" }
  const answer = { verdict: "FAIL", findings: [finding], earlier: [] }
  await using done = await review(CODEX, ["claude", "claude"], CODEX.structured(answer))
  expect(done.verdict).toMatchObject({ status: "failed", issues: ["major: task 2, search.ts:1: it finds nothing"] })
  const fixes = await makeReviewFixes(done.scene.context, TEAM)
  expect(fixes.map(({ id }) => String(id))).toEqual(["finding-1-2"])
})

it("F036: an answer that fits no schema is no verdict, also the second time", async () => {
  const words = { text: "looks good to me" }
  await using done = await review(CODEX, ["claude", "claude"], [words, words, words, words])
  expect(done.verdict).toMatchObject({ status: "skipped", by: "reviewer" })
})

it("F036 F037: a fresh session of the only program finds a critical hole, which holds until a review says it is fixed", async () => {
  const finding = { task: "1", file: "search.ts", line: 1, severity: "critical", text: "the key is logged" }
  const answer = { verdict: "PASS", findings: [finding], earlier: [] }
  await using done = await review(CLAUDE, ["claude", "claude"], CLAUDE.structured(answer))
  const { scene } = done
  expect(done.verdict).toMatchObject({ status: "failed", by: "claude" })
  expect((await refusal(assertNoCritical(scene.context, TEAM, false))).code).toBe("finding.open")
  expect((await makeReviewFixes(scene.context, TEAM)).map(({ id }) => String(id))).toEqual(["finding-1-1"])
  const fixed = { ...PASS, earlier: [{ number: 1, status: "fixed" }] }
  expect(await reviewOnce(scene, CLAUDE, CLAUDE.structured(fixed))).toMatchObject({ status: "passed", by: "claude" })
  await assertNoCritical(scene.context, TEAM, false)
  expect(await listFindings.run(scene.context, TEAM)).toMatchObject([{ status: "fixed", fixedIn: scene.tip }])
})

it.each([
  ["opencode", OPENCODE],
  ["acp", ACP_OPENCODE],
])("%s reviews like the others, in a folder in which it cannot write", async (name, cli) => {
  const replies = [{ tool: cli.write("forged.txt", "x") }, ...cli.structured(PASS)]
  await using done = await review(cli, ["claude", "claude"], replies)
  expect(done.verdict).toMatchObject({ status: "passed", by: name })
  expect(done.scene.lent.filter(({ folder }) => existsSync(join(folder, "forged.txt")))).toEqual([])
})
