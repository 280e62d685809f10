// The agent that leads decides on plans: what it is told, and what counts as its word.
import { expect, it } from "bun:test"
import { judgeApproval } from "../../src/requests/effects/judge-approval.ts"
import { listApprovals } from "../../src/requests/operations/approvals.ts"
import { advancePhase } from "../../src/requests/operations/phases.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { setUpAsk } from "../support/ask-setup.ts"
import { context, run, TEAM } from "../support/stores.ts"

const PLAN = "Change schema.sql: a table for items; test with make test"

async function judge(answers: readonly unknown[], programs?: Parameters<typeof setUpAsk>[1]) {
  await using world = await setUpAsk(answers, programs)
  const here = context(world.store)
  await run(here, createTeam, { goal: "Search page", protocol: "planned" })
  await run(here, createTask, { id: "1", title: "Schema", files: ["schema.sql"], acceptance: ["items have prices"] })
  await run(here, claimTask, { id: "1", owner: "w1" })
  for (const to of ["requirement", "skill_research", "plan_design", "awaiting_approval"] as const)
    await run(here, advancePhase, { id: "1", owner: "w1", to, report: to === "awaiting_approval" ? PLAN : "x" })
  const [approval] = await run(here, listApprovals, {})
  if (approval === undefined) throw new Error("nothing is asked")
  const ports = { context: here, ask: world.ports, folder: world.question.folder }
  const signal = new AbortController().signal
  const ruling = await judgeApproval(ports, { approval, name: TEAM, signal })
  return { ruling, prompt: world.written.prompt(1) }
}

it("approves or rejects with a reason, told of goal, task and plan", async () => {
  const { ruling, prompt } = await judge([{ approved: false, reason: "the price is missing" }])
  expect(ruling).toEqual({
    by: expect.stringMatching(/^pm-(?:claude|codex)$/),
    isApproved: false,
    reason: "the price is missing",
  })
  for (const told of ["Search page", "Schema", "items have prices", "schema.sql", PLAN, "Asked by w1"])
    expect(prompt).toContain(told)
  expect((await judge([{ approved: true, reason: "" }])).ruling).toEqual({
    ...{ by: expect.stringMatching(/^pm-/), isApproved: true, reason: null },
  })
})

it("asks another when the first gives no answer, and leaves it to the rule only when there is nobody to ask", async () => {
  const limited = "!429 rate limit"
  expect((await judge([limited, { approved: true, reason: "fine" }])).ruling).toMatchObject({ isApproved: true })
  expect((await judge([limited, limited])).ruling).toEqual({ why: expect.stringContaining("rate-limited") })
  expect((await judge([], [])).ruling).toBeUndefined()
})
