// Tasks for what a review by another agent found, on every store.
import { describe, expect, it } from "bun:test"
import { mustBeFixed, type Severity } from "../../src/quality/finding.ts"
import { listFindings } from "../../src/quality/operations/manage-findings.ts"
import { recordReview } from "../../src/quality/operations/record-review.ts"
import { recordVerdict } from "../../src/quality/operations/record-verdict.ts"
import { makeReviewFixes } from "../../src/quality/operations/review-fixes.ts"
import { teamStatus } from "../../src/reporting/operations/team-status.ts"
import type { Context } from "../../src/store/operation.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { calculateWaves, updateWave } from "../../src/tasks/operations/wave-status.ts"
import type { Task } from "../../src/tasks/task.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { context, type Given, type MakeDatabase, run, STORES, TEAM } from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => fixesContract(makeDatabase))

/** A team that has done everything and passed its final gate. */
async function finished(here: Context, tasks: readonly Given<typeof createTask.input>[]): Promise<void> {
  await run(here, createTeam, { goal: "Search page" })
  for (const task of tasks) await run(here, createTask, task)
  await run(here, calculateWaves, {})
  for (const [index, { id }] of tasks.entries()) {
    await run(here, claimTask, { id, owner: "w1" })
    await run(here, updateTask, { id, owner: "w1", status: "resolved" })
    await run(here, updateWave, { wave: index + 1, status: "verified" })
  }
  await run(here, recordVerdict, { scope: "final", status: "passed" })
}

type Found = readonly [task: string | null, text: string, severity?: Severity, file?: string]

/** A reviewer's word: what it found, and what it says of the findings that are open. */
function review(here: Context, found: readonly Found[], earlier: Record<number, boolean> = {}) {
  const findings = found.map(([task, text, severity = "major", file = null]) => ({
    task,
    text,
    severity,
    file,
    line: null,
  }))
  const isPassed = !findings.some(mustBeFixed) && Object.values(earlier).every(Boolean)
  const said = new Map(Object.entries(earlier).map(([number, isFixed]) => [Number(number), isFixed]))
  const judged = { commit: "c".repeat(40), tree: "d".repeat(40), agent: "codex", by: "reviewer" }
  return recordReview(here, TEAM, { ...judged, review: { isPassed, findings, earlier: said } })
}

const TASKS = [
  { id: "1", title: "Schema", role: "backend", files: ["src/items/**"], check: ["true"], description: "All of it." },
  { id: "2", title: "Page", role: "frontend", files: ["src/items/page.ts"], blockedBy: ["1"], agent: "claude" },
] as const

function fixesContract(makeDatabase: MakeDatabase): void {
  it("makes one for each task it is about, in a new wave, and the project goes on", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await finished(here, TASKS)
    await review(here, [
      ["1", "wrong", "major", "a.ts"],
      ["2", "odd", "critical"],
      [null, "not tested"],
      ["1", "long name", "minor"],
    ])
    const made = await makeReviewFixes(here, TEAM)
    expect(made.map(({ id, wave, blockedBy }) => ({ id, wave, blockedBy: [...blockedBy] }))).toEqual([
      { id: "finding-1-1", wave: 3, blockedBy: [] },
      // Both own the same file, so that one comes after the other.
      { id: "finding-1-2", wave: 4, blockedBy: ["finding-1-1"] },
      { id: "finding-1-whole", wave: 3, blockedBy: [] },
    ] as never)
    expect(made[0]).toMatchObject({
      ...{
        title: "Fix what the review found in task 1: Schema",
        role: "backend",
        files: ["src/items/**"],
        checks: ["true"],
      },
      description: expect.stringMatching(
        /^Reviews found in the work of task 1:\n\n- finding 1, major, by codex, a\.ts: wrong\n\n(.*\n)*What the task was:\n\nAll of it\.$/,
      ),
    })
    expect(made[1]).toMatchObject({ role: "frontend", work: { agent: "claude" } })
    expect(made[2]).toMatchObject({ role: "worker", files: [] })
    expect(await run(here, teamStatus, {})).toMatchObject({ phase: "EXECUTION", status: "active", currentWave: 3 })
  })

  it("makes them once for each review", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await finished(here, TASKS.slice(0, 1))
    await review(here, [["1", "wrong"]])
    const [first] = await Promise.all([makeReviewFixes(here, TEAM), makeReviewFixes(here, TEAM)])
    expect(await makeReviewFixes(here, TEAM)).toEqual([])
    expect((await run(here, teamStatus, { verbose: true })).tasks?.map(({ id }: Task) => id)).toEqual([
      "1",
      "finding-1-1",
    ] as never)
    expect(first.length).toBeLessThanOrEqual(1)
    await review(here, [["finding-1-1", "and this"]], { 1: false })
    expect((await makeReviewFixes(here, TEAM)).map(({ id }) => id)).toEqual([
      "finding-2-1",
      "finding-1-finding-1-1",
    ] as never)
  })

  it("makes none of what is fixed, waived or minor, or where there was no review", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await finished(here, TASKS.slice(0, 1))
    expect(await makeReviewFixes(here, TEAM)).toEqual([])
    await review(here, [["1", "wrong"]])
    await review(here, [], { 1: true })
    expect(await makeReviewFixes(here, TEAM)).toEqual([])
    expect(await run(here, listFindings, {})).toMatchObject([
      { status: "fixed", fixedIn: "c".repeat(40), fixedBy: "codex" },
    ])
    await review(here, [[null, "long", "minor"]])
    expect(await makeReviewFixes(here, TEAM)).toEqual([])
  })

  it("lets a script mend only what it has commands for", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await finished(here, [
      { id: "1", title: "One", agent: "script", run: ["make"], repair: ["make again"] },
      { id: "2", title: "Two", agent: "script", run: ["make"], blockedBy: ["1"] },
    ])
    await review(here, [
      ["1", "wrong"],
      ["2", "wrong too"],
      ["gone", "wrong as well"],
    ])
    const made = await makeReviewFixes(here, TEAM)
    expect(made.map(({ work }) => [work.agent, work.commands, work.repair])).toEqual([
      ["script", ["make again"], ["make again"]],
      [null, [], []],
      [null, [], []],
    ])
  })
}
