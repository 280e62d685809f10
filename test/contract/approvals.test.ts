// Approvals, phases and checkpoints on every store: one decision for each question, and nothing done before it.
import { describe, expect, it } from "bun:test"
import type { TaskId } from "../../src/kernel/ids.ts"
import { PHASES } from "../../src/kernel/phase.ts"
import { judgeScope } from "../../src/ownership/operations/ownership-facts.ts"
import { recordVerdict } from "../../src/quality/operations/record-verdict.ts"
import { approve, listApprovals, readPlan, reject } from "../../src/requests/operations/approvals.ts"
import { askForFinal, assertDeliverable, checkpoint } from "../../src/requests/operations/checkpoints.ts"
import { advancePhase } from "../../src/requests/operations/phases.ts"
import type { Context } from "../../src/store/operation.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { getTask } from "../../src/tasks/operations/get-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { calculateWaves } from "../../src/tasks/operations/wave-status.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { pause, resume } from "../../src/teams/operations/pause.ts"
import { updateTeam } from "../../src/teams/operations/update-team.ts"
import { context, type MakeDatabase, run, STORES, TEAM } from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => approvalContract(makeDatabase))

const ID = "1" as TaskId
const MINE = { id: "1", owner: "w1" } as const

async function planned(here: Context): Promise<void> {
  await run(here, createTeam, { goal: "Search page", protocol: "planned" })
  await run(here, createTask, { id: "1", title: "Schema", files: ["schema.sql"] })
  await run(here, claimTask, MINE)
}

async function goTo(here: Context, phase: (typeof PHASES)[number]): Promise<void> {
  for (const to of PHASES.slice(1)) {
    if (to === "execution") await run(here, approve, { number: 1 })
    else await run(here, advancePhase, { ...MINE, to, report: `before ${to}` })
    if (to === phase) return
  }
}

function approvalContract(makeDatabase: MakeDatabase): void {
  const code = (promise: Promise<unknown>) =>
    promise.then(
      () => "done",
      (error) => (error as { code: string }).code,
    )

  it("takes a task through its phases, and executes only past an approval", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await planned(here)
    expect((await run(here, getTask, { id: "1" })).phase).toBe("skill_discovery")
    expect(await code(run(here, advancePhase, { ...MINE, to: "execution", report: "x" }))).toBe("phase.transition")
    await goTo(here, "awaiting_approval")
    expect(await code(run(here, advancePhase, { ...MINE, to: "execution", report: "x" }))).toBe("approval.needed")
    expect(await code(run(here, updateTask, { ...MINE, status: "resolved" }))).toBe("approval.needed")
    const [asked] = await run(here, listApprovals, {})
    expect(asked).toMatchObject({ number: 1, taskId: "1", question: "before awaiting_approval", askedBy: "w1" })
    await run(here, approve, { number: 1, note: "mind the index" })
    expect((await run(here, getTask, { id: "1" })).phase).toBe("execution")
    expect(await readPlan(here, { ...TEAM, task: ID })).toMatchObject({ note: "mind the index", rejection: null })
    expect(await code(run(here, updateTask, { ...MINE, status: "resolved" }))).toBe("phase.transition")
    await run(here, advancePhase, { ...MINE, to: "completion", report: "done" })
    expect(await code(run(here, updateTask, { ...MINE, status: "resolved" }))).toBe("done")
    const again = await run(here, reopenTask, { id: "1" })
    expect(again.phase).toBe("skill_discovery")
  })

  it("goes back to the plan with the reason when it is rejected", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await planned(here)
    await goTo(here, "awaiting_approval")
    await run(here, reject, { number: 1, reason: "no new table" })
    expect((await run(here, getTask, { id: "1" })).phase).toBe("plan_design")
    expect(await readPlan(here, { ...TEAM, task: ID })).toMatchObject({ rejection: "no new table" })
    await run(here, advancePhase, { ...MINE, to: "awaiting_approval", report: "another plan" })
    expect(await code(run(here, approve, { number: 1 }))).toBe("approval.decided")
    expect((await run(here, getTask, { id: "1" })).phase).toBe("awaiting_approval")
    await run(here, approve, { number: 2 })
    expect(await readPlan(here, { ...TEAM, task: ID })).toMatchObject({ plan: "another plan", rejection: null })
  })

  it("lets nothing be written before the execution", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await planned(here)
    const changes = [{ path: "schema.sql", change: "added", type: "file" }] as const
    const judge = () => judgeScope(here, TEAM, { task: ID, changes })
    expect((await judge()).join()).toContain("may not be written yet: task 1 is in skill_discovery")
    await goTo(here, "execution")
    expect(await judge()).toEqual([])
  })

  it("takes one decision of two that are made at once, and tells the other", async () => {
    await using database = await makeDatabase()
    const [one, other] = [context(await database.connect()), context(await database.connect())]
    await planned(one)
    await goTo(one, "awaiting_approval")
    const answers = await Promise.all([
      code(run(one, approve, { number: 1, owner: "ann" })),
      code(run(other, reject, { number: 1, owner: "bob", reason: "no" })),
    ])
    expect(answers.toSorted()).toEqual(["approval.decided", "done"])
    const decided = [
      ...(await run(one, listApprovals, { status: "approved" })),
      ...(await run(one, listApprovals, { status: "rejected" })),
    ]
    expect(decided).toHaveLength(1)
    const { phase } = await run(one, getTask, { id: "1" })
    expect(phase).toBe(decided[0]?.status === "approved" ? "execution" : "plan_design")
  })

  it("does not let whoever asks decide", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await planned(here)
    await goTo(here, "awaiting_approval")
    expect(await code(run(here, approve, { number: 1, owner: "w1" }))).toBe("approval.own")
    expect(await code(run(here, reject, { number: 1, reason: " " }))).toBe("input.invalid")
    expect(await code(run(here, approve, { number: 7 }))).toBe("record.not_found")
  })

  it("holds a supervised team until a person has approved goal and plan, and asks again when the plan changes", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await run(here, createTeam, { goal: "Search page", mode: "SUPERVISED" })
    await run(here, createTask, { id: "1", title: "Schema" })
    const first = await run(here, listApprovals, {})
    expect(first.map(({ subject }) => subject)).toEqual(["understanding", "team-plan"])
    await run(here, createTask, { id: "2", title: "Page", blockedBy: ["1"] })
    const [understanding, plan] = await run(here, listApprovals, {})
    expect(await code(run(here, approve, { number: first[1]?.number ?? 0 }))).toBe("approval.decided")
    expect(await code(run(here, claimTask, MINE))).toBe("team.paused")
    expect(await code(run(here, resume, {}))).toBe("approval.needed")
    await run(here, approve, { number: understanding?.number ?? 0 })
    expect(await code(run(here, claimTask, MINE))).toBe("team.paused")
    await run(here, reject, { number: plan?.number ?? 0, reason: "first the page" })
    expect(await code(run(here, resume, {}))).toBe("approval.needed")
    const asked = await run(here, checkpoint, { name: "team-plan" })
    await run(here, approve, { number: asked.number })
    expect(await code(run(here, claimTask, MINE))).toBe("done")
    // What a person pauses is theirs to resume.
    await run(here, pause, {})
    expect(await code(run(here, resume, {}))).toBe("done")
  })

  it("shows a supervised person the first wave and the end", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await run(here, createTeam, { goal: "Search page", mode: "SUPERVISED", protocol: "none" })
    await run(here, createTask, { id: "1", title: "Schema" })
    await run(here, createTask, { id: "2", title: "Page", blockedBy: ["1"] })
    await run(here, calculateWaves, {})
    for (const { number } of await run(here, listApprovals, {})) await run(here, approve, { number })
    await run(here, claimTask, MINE)
    await run(here, updateTask, { ...MINE, status: "resolved" })
    await run(here, recordVerdict, { scope: "wave", subject: "1", status: "passed" })
    const [draft] = await run(here, listApprovals, {})
    expect(draft).toMatchObject({ subject: "draft" })
    expect(await code(run(here, claimTask, { id: "2", owner: "w1" }))).toBe("team.paused")
    await run(here, approve, { number: draft?.number ?? 0 })
    expect(await code(run(here, claimTask, { id: "2", owner: "w1" }))).toBe("done")
    expect(await code(assertDeliverable(here, TEAM))).toBe("approval.needed")
    const final = await askForFinal(here, TEAM)
    expect(await code(assertDeliverable(here, TEAM))).toBe("approval.needed")
    await run(here, approve, { number: final.number })
    expect(await code(assertDeliverable(here, TEAM))).toBe("done")
    await run(here, updateTask, { id: "2", owner: "w1", status: "resolved" })
    expect(await code(assertDeliverable(here, TEAM))).toBe("approval.needed")
  })

  it("puts the guard up for what is not begun, and takes it away", async () => {
    await using database = await makeDatabase()
    const here = context(await database.connect())
    await run(here, createTeam, { goal: "Search page" })
    for (const id of ["1", "2"]) await run(here, createTask, { id, title: `Task ${id}` })
    await run(here, claimTask, MINE)
    await run(here, updateTeam, { protocol: "planned", qa: "on" })
    const state = async (id: string) => {
      const { phase, qa } = await run(here, getTask, { id })
      return { phase, qa }
    }
    expect(await state("1")).toEqual({ phase: null, qa: null })
    expect(await state("2")).toEqual({ phase: "skill_discovery", qa: "needed" })
    expect(await code(run(here, updateTask, { ...MINE, status: "resolved" }))).toBe("done")
    await run(here, claimTask, { id: "2", owner: "w2" })
    await run(here, updateTeam, { protocol: "none" })
    expect(await code(run(here, updateTask, { id: "2", owner: "w2", status: "resolved" }))).toBe("qa.needed")
    await run(here, updateTeam, { qa: "off" })
    expect(await code(run(here, updateTask, { id: "2", owner: "w2", status: "resolved" }))).toBe("done")
  })
}
