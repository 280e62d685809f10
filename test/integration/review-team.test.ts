// Another agent program looks at all of the work: who that is, what it is told, and what becomes of its word.
import { expect, it } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { claude } from "../../src/agents/claude/program.ts"
import { codex } from "../../src/agents/codex/program.ts"
import type { ReadyAgent } from "../../src/agents/jobs/run-job.ts"
import { makeAgent } from "../../src/agents/make-agent.ts"
import { listFindings } from "../../src/quality/operations/manage-findings.ts"
import { makeReviewFixes } from "../../src/quality/operations/review-fixes.ts"
import { lookAtTeam } from "../../src/reporting/operations/look-at-team.ts"
import { AGENT_PORTS } from "../support/agents.ts"
import { type Answers, writeAnswers } from "../support/answers.ts"
import { type ReviewSetup, setUpReview } from "../support/review-setup.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { refusal, TEAM } from "../support/stores.ts"

const PASS = { verdict: "PASS", findings: [] }
const NO_MODEL = { model: "m", price: null }

function answering(scene: ReviewSetup, answers: readonly unknown[]): { written: Answers; ready: ReadyAgent[] } {
  const written = writeAnswers(join(scene.home, "../answers"), answers)
  const ready = [claude, codex].map((program) => {
    const command = written.command(program === claude ? "claude" : "codex")
    return {
      agent: makeAgent(program, { command, isRoot: false, graceMs: 300 }, AGENT_PORTS),
      env: sandboxEnv({ ANTHROPIC_API_KEY: "not-a-key", OPENAI_API_KEY: "not-a-key" }),
      isEnabled: true,
      models: { haiku: NO_MODEL, sonnet: NO_MODEL, opus: NO_MODEL },
    }
  })
  return { written, ready }
}

it("is another program than the one that did the work, and passes it", async () => {
  await using scene = await setUpReview(["claude", "claude"])
  const { written, ready } = answering(scene, [PASS])
  const verdict = await scene.review(ready)
  expect(verdict).toMatchObject({
    ...{ scope: "cross-agent", subject: null, status: "passed", by: "codex", issues: [], commit: scene.tip },
    tree: await scene.repository.merges.tree(scene.tip),
  })
  expect(await scene.verdicts()).toEqual([verdict])
  expect(await makeReviewFixes(scene.context, TEAM)).toEqual([])
  const prompt = written.prompt(1) ?? ""
  expect(prompt).toContain("# Goal\n\nA search page\n")
  expect(prompt).toContain("- task 1: Title of 1 [resolved by w1 (claude)]\n  - files: part1/**\n")
  expect(prompt).toContain("\n+export const search = 1\n")
  // It reads the work as it is merged, in a folder that is gone afterwards.
  expect(scene.lent.map(({ commit }) => commit)).toEqual([scene.tip])
  expect(existsSync(scene.lent[0]?.folder ?? "")).toBe(false)
  // It only reads, and the team hears of the run.
  expect(written.args(1)).toContain("read-only")
  const { history } = await lookAtTeam(scene.context, TEAM)
  const runs = [...history.runs.values()].filter(({ task }) => task === null)
  expect(runs).toMatchObject([{ worker: "reviewer", agent: "codex", reason: "done" }])
})

it("fails the work with findings, of which tasks are made", async () => {
  await using scene = await setUpReview(["claude", "claude"])
  const finding = { task: "2", file: "search.ts", line: 4, severity: "high", text: "answers nothing" }
  const findings = [
    ...[finding, { ...finding, task: "#1", line: 40, text: "is not tested" }],
    { ...finding, task: null, line: 80, text: "odd" },
  ]
  const { ready } = answering(scene, [{ verdict: "FAIL", findings }])
  const verdict = await scene.review(ready)
  expect(verdict).toMatchObject({ status: "failed", by: "codex" })
  expect(verdict.issues).toEqual([
    "major: task 2, search.ts:4: answers nothing",
    "major: task 1, search.ts:40: is not tested",
    "major: search.ts:80: odd",
  ])
  const fixes = await makeReviewFixes(scene.context, TEAM)
  expect(fixes.map(({ id, files }) => [id, ...files])).toEqual([
    ["finding-1-2", "part2/**"],
    ["finding-1-1", "part1/**"],
    ["finding-1-whole"],
  ])
  expect(fixes[0]?.description).toStartWith(
    "Reviews found in the work of task 2:\n\n- finding 1, major, by codex, search.ts:4: answers nothing\n",
  )
})

it("keeps remarks of a review that passed", async () => {
  await using scene = await setUpReview(["claude"])
  const findings = [{ task: null, file: null, severity: "low", text: "could be shorter" }]
  const { ready } = answering(scene, [{ verdict: "PASS", findings }])
  expect(await scene.review(ready)).toMatchObject({ status: "passed", issues: ["minor: could be shorter"] })
})

it("is whoever did least where several were at work, as far as they can be had", async () => {
  await using scene = await setUpReview(["codex", "claude", "codex"])
  const { ready } = answering(scene, [PASS])
  // Gemini did nothing and is not here; of the others claude did less.
  expect(await scene.review(ready)).toMatchObject({ status: "passed", by: "claude" })
})

it("F036: is a fresh session of the only program that is here", async () => {
  await using scene = await setUpReview(["codex", "codex"])
  const { ready } = answering(scene, [PASS])
  const only = ready.filter(({ agent }) => agent.name === "codex")
  expect(await scene.review(only)).toMatchObject({ status: "passed", by: "codex" })
})

it("F036: waits for a reviewer that is limited where no other can be had", async () => {
  await using scene = await setUpReview(["codex"])
  const { ready } = answering(scene, [PASS, PASS])
  const only = ready.filter(({ agent }) => agent.name === "codex")
  scene.limit({ codex: new Date(Date.now() + 1500).toISOString() })
  const began = Date.now()
  expect(await scene.review(only)).toMatchObject({ status: "passed", by: "codex" })
  expect(Date.now() - began).toBeGreaterThanOrEqual(1000)
  // Not for ever, and not where another can review.
  scene.limit({ codex: new Date(Date.now() + 3_600_000).toISOString() })
  expect(await scene.review(only)).toMatchObject({ status: "skipped", issues: [expect.stringContaining("codex")] })
  expect(await scene.review(ready)).toMatchObject({ status: "passed", by: "claude" })
})

it("is skipped with the reason where nobody can be asked, or only scripts were at work", async () => {
  await using scene = await setUpReview(["codex"])
  const { ready } = answering(scene, [PASS])
  expect(await scene.review([])).toMatchObject({
    ...{ status: "skipped", by: "reviewer", checks: [{ name: "review", status: "skipped" }] },
    issues: ["no agent that could review is set up here"],
  })
  await using scripted = await setUpReview(["script", "script"])
  expect(await scripted.review(ready)).toMatchObject({ status: "skipped", issues: ["only scripts worked on it"] })
  await using untouched = await setUpReview([])
  expect(await untouched.review(ready)).toMatchObject({ status: "skipped" })
})

it("F036: no answer is no verdict: asked again, then another program, then none", async () => {
  await using scene = await setUpReview(["claude"])
  const { written, ready } = answering(scene, [{ verdict: "MAYBE", findings: [] }, "!500 broken", PASS])
  // Codex twice, then claude.
  expect(await scene.review(ready)).toMatchObject({ status: "passed", by: "claude" })
  expect(written.prompt(3)).toContain("# Goal")
  await using other = await setUpReview(["claude"])
  const broken = answering(other, ["!500 broken", { verdict: "PASS" }, "!500 broken", {}])
  const verdict = await other.review(broken.ready)
  expect(verdict.status).toBe("skipped")
  expect(verdict.issues[0]).toMatch(/^no answer from the reviewer \(codex: overloaded.*no verdict PASS or FAIL/s)
})

it("F037: asks a later review about each finding, and only that makes it fixed", async () => {
  await using scene = await setUpReview(["claude"])
  const finding = { task: "1", file: "search.ts", line: 1, severity: "critical", text: "answers nothing" }
  const { written, ready } = answering(scene, [
    ...[
      { verdict: "PASS", findings: [finding] },
      { verdict: "PASS", findings: [] },
    ],
    { verdict: "PASS", findings: [], earlier: [{ number: 1, status: "open" }] },
    { verdict: "PASS", findings: [], earlier: [{ number: 1, status: "fixed" }] },
  ])
  // PASS with a critical finding inside is not a pass.
  expect(await scene.review(ready)).toMatchObject({ status: "failed" })
  // An answer that says nothing of the finding is no verdict, and is asked for again.
  expect(await scene.review(ready)).toMatchObject({ status: "failed", by: "codex" })
  expect(written.prompt(2)).toContain("# Earlier findings\n\n- finding 1, critical, search.ts:1: answers nothing\n")
  expect(await scene.review(ready)).toMatchObject({ status: "passed" })
  expect(await listFindings.run(scene.context, TEAM)).toMatchObject([
    { number: 1, status: "fixed", fixedIn: scene.tip, fixedBy: "codex" },
  ])
})

it("leaves no verdict when it was interrupted", async () => {
  await using scene = await setUpReview(["claude"])
  const { ready } = answering(scene, [PASS])
  expect((await refusal(scene.review(ready, { signal: AbortSignal.abort() }))).code).toBe("agent.failed")
  expect(await scene.verdicts()).toEqual([])
})

it("needs merged work to look at", async () => {
  await using scene = await setUpReview(["claude"])
  await scene.repository.git.read(["update-ref", "-d", "refs/heads/teamwork/house/main/integration"])
  expect((await refusal(scene.review([]))).code).toBe("merge.no_branch")
})
