// Findings as records, on every store: found, repeated, fixed, waived, and what they hold.
import { describe, expect, it } from "bun:test"
import { assertNoCritical } from "../../src/quality/operations/hold-findings.ts"
import { listFindings, reopenFinding, showFinding, waiveFinding } from "../../src/quality/operations/manage-findings.ts"
import { recordReview } from "../../src/quality/operations/record-review.ts"
import { recordVerdict } from "../../src/quality/operations/record-verdict.ts"
import { makeReviewFixes } from "../../src/quality/operations/review-fixes.ts"
import type { Review } from "../../src/quality/review.ts"
import { teamStatus } from "../../src/reporting/operations/team-status.ts"
import { ABOUT_REVIEW, FINDING_OPTIONS } from "../../src/requests/escalation.ts"
import { decide, listEscalations } from "../../src/requests/operations/escalations.ts"
import type { Context } from "../../src/store/operation.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { listEvents } from "../../src/teams/operations/list-events.ts"
import { pauseByEngine } from "../../src/teams/operations/steer-team.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import { context, type MakeDatabase, refusal, run, STORES, TEAM } from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => findingsContract(makeDatabase))

const [FIRST, SECOND] = ["a".repeat(40), "b".repeat(40)]

function review(here: Context, given: Partial<Review>, commit = FIRST) {
  const word = { isPassed: false, findings: [], earlier: new Map(), ...given }
  return recordReview(here, TEAM, { review: word, commit, tree: "d".repeat(40), agent: "codex", by: "reviewer" })
}

const hole = { task: null, file: "src/a.ts", line: 12, severity: "critical", text: "the key is logged" } as const

/** Task 1 wrote `src/**` and is done; task 2 reviews it. */
async function makeTeam(makeDatabase: MakeDatabase) {
  const database = await makeDatabase()
  const here = context(await database.connect())
  await run(here, createTeam, { goal: "Search page" })
  await run(here, createTask, { id: "1", title: "Search", files: ["src/**"] })
  await run(here, createTask, {
    id: "2",
    title: "Look at it",
    role: "review",
    agentType: "code-reviewer",
    blockedBy: ["1"],
  })
  await run(here, claimTask, { id: "1", owner: "w1" })
  await run(here, updateTask, { id: "1", owner: "w1", status: "resolved" })
  return { here, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

function findingsContract(makeDatabase: MakeDatabase): void {
  it("F037: are recorded by a review, once for the same place, with severity, file, line and commit", async () => {
    await using team = await makeTeam(makeDatabase)
    const { here } = team
    expect(await review(here, { findings: [hole] })).toMatchObject({ status: "failed", by: "codex" })
    expect(await run(here, listFindings, {})).toMatchObject([
      { number: 1, ...{ severity: "critical", file: "src/a.ts", line: 12, commit: FIRST, status: "open" } },
    ])
    // The same place in other words, and the same words at another place.
    await review(here, {
      findings: [{ ...hole, line: 13, text: "do not log secrets" }],
      earlier: new Map([[1, false]]),
    })
    await review(here, { findings: [{ ...hole, line: 80 }], earlier: new Map([[1, false]]) })
    expect(await run(here, listFindings, {})).toHaveLength(1)
    await review(here, { findings: [{ ...hole, file: "src/b.ts" }], earlier: new Map([[1, false]]) })
    expect((await run(here, listFindings, { open: true })).map(({ file }) => file)).toEqual(["src/a.ts", "src/b.ts"])
    const { events } = await run(here, listEvents, {})
    expect(events.filter(({ type }) => type === "finding.recorded")).toHaveLength(2)
  })

  it("F037: are fixed only by a review that says so of a commit, and open again when found again", async () => {
    await using team = await makeTeam(makeDatabase)
    const { here } = team
    await review(here, { findings: [{ ...hole, severity: "major" }] })
    const [fix] = await makeReviewFixes(here, TEAM)
    expect(await run(here, showFinding, { number: 1 })).toMatchObject({ status: "open", fixTask: fix?.id, rounds: 1 })
    await review(here, { earlier: new Map([[1, false]]) }, SECOND)
    expect(await run(here, showFinding, { number: 1 })).toMatchObject({ status: "open", fixTask: null, rounds: 1 })
    expect((await makeReviewFixes(here, TEAM)).map(({ id }) => String(id))).toEqual(["finding-2-whole"])
    await review(here, { isPassed: true, earlier: new Map([[1, true]]) }, SECOND)
    expect(await run(here, showFinding, { number: 1 })).toMatchObject({ status: "fixed", fixedIn: SECOND })
    await review(here, { findings: [hole] })
    expect(await run(here, listFindings, {})).toMatchObject([{ number: 1, status: "open", severity: "critical" }])
  })

  it("F037: critical ones hold the delivery until a person waives them", async () => {
    await using team = await makeTeam(makeDatabase)
    const { here } = team
    await review(here, { findings: [hole, { ...hole, file: "src/z.ts", severity: "major" }] })
    expect((await refusal(assertNoCritical(here, TEAM, false))).message).toContain("finding 1 (critical, src/a.ts:12)")
    await run(here, setupWorker, { workerId: "w1" })
    const denied = run(here, waiveFinding, { number: 1, reason: "fine", owner: "w1" })
    expect((await refusal(denied)).code).toBe("call.not_allowed")
    expect((await refusal(run(here, waiveFinding, { number: 1, reason: " " }))).code).toBe("input.invalid")
    expect(await run(here, waiveFinding, { number: 1, reason: "only in tests", owner: "anna" })).toMatchObject({
      ...{ status: "waived", waivedBy: "anna", reason: "only in tests" },
    })
    await assertNoCritical(here, TEAM, false)
    expect((await refusal(run(here, waiveFinding, { number: 1, reason: "again" }))).code).toBe("finding.status")
    // Found again by a later review, it stays waived, and does not fail the work.
    const again = await review(here, { findings: [hole], earlier: new Map([[2, true]]) })
    expect(again).toMatchObject({ status: "passed" })
    await run(here, reopenFinding, { number: 1 })
    expect((await refusal(assertNoCritical(here, TEAM, false))).code).toBe("finding.open")
    expect((await refusal(run(here, showFinding, { number: 9 }))).code).toBe("record.not_found")
  })

  it("F037: are read from the result of a reviewing task, in the documented form and in prose", async () => {
    await using team = await makeTeam(makeDatabase)
    const { here } = team
    await run(here, claimTask, { id: "2", owner: "w2" })
    const result =
      "Read all of it.\n\nCRITICAL: src/a.ts:40 logs passwords. Do not ship.\n- **[High]** src/b.ts:2 leaks"
    await run(here, updateTask, { id: "2", owner: "w2", status: "resolved", result })
    expect(await run(here, listFindings, {})).toMatchObject([
      { severity: "critical", taskId: "1", file: "src/a.ts", line: 40, source: "task", reportedIn: "2", by: "w2" },
      { severity: "major", taskId: "1", file: "src/b.ts", line: 2 },
    ])
    expect(await run(here, listFindings, { severity: "major", task: "1" })).toHaveLength(1)
    // What a task of another role says in prose is no finding; what it reports in the form is.
    await run(here, createTask, { id: "3", title: "Docs", files: ["docs/**"] })
    await run(here, claimTask, { id: "3", owner: "w3" })
    const said = "CRITICAL: I had to hurry\nFINDING minor src/c.ts:1: a typo"
    await run(here, updateTask, { id: "3", owner: "w3", status: "resolved", result: said })
    expect(await run(here, listFindings, { severity: "minor" })).toMatchObject([{ text: "a typo", reportedIn: "3" }])
    expect(await run(here, listFindings, {})).toHaveLength(3)
  })

  it("F037: are one question to a person after fixes in vain, answered by fix again or waive", async () => {
    await using team = await makeTeam(makeDatabase)
    const { here } = team
    await review(here, { findings: [hole, { ...hole, file: "src/m.ts", severity: "minor" }] })
    const ask = () =>
      pauseByEngine(here, TEAM, {
        ...{ trigger: "repeated_failure", reason: "still open", options: FINDING_OPTIONS, about: ABOUT_REVIEW },
      })
    await ask()
    await ask()
    expect(await run(here, listEscalations, {})).toMatchObject([{ number: 1, options: ["retry", "waive", "pause"] }])
    const retried = await run(here, decide, { number: 1, option: "retry" })
    expect(retried.outcome).toBe("1 open findings are fixed again; the team goes on")
    expect(await run(here, showFinding, { number: 1 })).toMatchObject({ isRetry: true, rounds: 0, fixTask: null })
    await ask()
    const waived = await run(here, decide, { number: 2, option: "waive", note: "we know", owner: "anna" })
    expect(waived.outcome).toBe("1 findings are waived; the team goes on")
    expect(await run(here, showFinding, { number: 1 })).toMatchObject({
      status: "waived",
      waivedBy: "anna",
      reason: "we know",
    })
    expect(await run(here, showFinding, { number: 2 })).toMatchObject({ status: "open" })
    // Waived one by one, the question goes away by itself.
    await run(here, reopenFinding, { number: 1 })
    await ask()
    await run(here, waiveFinding, { number: 1, reason: "we do" })
    expect(await run(here, listEscalations, {})).toEqual([])
    expect(await run(here, teamStatus, {})).toMatchObject({ status: "active" })
  })

  it("are made of a failed review that a person recorded", async () => {
    await using team = await makeTeam(makeDatabase)
    const { here } = team
    await run(here, recordVerdict, { scope: "cross-agent", status: "failed", issue: ["Critical: src/a.ts:3 is wrong"] })
    expect(await run(here, listFindings, {})).toMatchObject([
      { severity: "critical", file: "src/a.ts", source: "person" },
    ])
    await run(here, recordVerdict, { scope: "cross-agent", status: "failed" })
    expect(await run(here, listFindings, { open: true })).toHaveLength(2)
  })
}
