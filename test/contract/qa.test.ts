// QA on every store: who decides, what a decision does, and that two at once are one.
import { describe, expect, it } from "bun:test"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { improve } from "../../src/quality/operations/improve.ts"
import { addVerdict } from "../../src/quality/operations/record-verdict.ts"
import { acceptQa, listQuality, recordQa, reportQa, returnQa } from "../../src/quality/operations/report-qa.ts"
import { planQa, submitQa } from "../../src/quality/operations/submit-qa.ts"
import { approve, listApprovals, reject } from "../../src/requests/operations/approvals.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { releaseTask } from "../../src/tasks/operations/release-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { context, getTask, type MakeDatabase, refusal, refusalCode, run, STORES, TEAM } from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(name, () => qaContract(makeDatabase))
}

const COMMIT = "1".repeat(40)
const TREE = "2".repeat(40)
const STATE = { commit: COMMIT, tree: TREE }
const scores = (score: number, tests = score) => [
  ...["correctness", "completeness", "maintainability"].map((name) => `${name}=${score}: seen`),
  `tests=${tests}: counted`,
]

function qaContract(makeDatabase: MakeDatabase): void {
  async function makeHouse(mode: "FULL_AUTO" | "SUPERVISED") {
    const database = await makeDatabase()
    const store = await database.connect()
    const house = context(store)
    await run(house, createTeam, { goal: "A house", mode, qa: true, protocol: "none" })
    await run(house, createTask, { id: "1", title: "Walls", role: "backend", files: ["walls/**"] })
    for (const { number } of await run(house, listApprovals, {})) await run(house, approve, { number })
    await run(house, claimTask, { id: "1", owner: "w1" })
    const { key } = await store.read(async (tx) => (await tx.teams.find(TEAM)) ?? fail())
    return {
      ...{ database, store, house, key },
      qa: async () => (await getTask(store, key, "1")).qa,
      submit: () => run(house, submitQa, { id: "1", owner: "w1", commit: COMMIT, tree: TREE }),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  }

  it("waits for an approval of the plan where somebody supervises; one that is rejected is made anew", async () => {
    await using world = await makeHouse("SUPERVISED")
    const { house, qa, submit } = world
    await submit()
    const { approval } = await run(house, planQa, { id: "1", owner: "qa" })
    expect(approval).toMatchObject({ scope: "qa-plan", status: "pending", askedBy: "qa" })
    expect(approval.question).toContain("correctness 40 %, completeness 25 %, tests 20 %, maintainability 15 %")
    expect(await refusalCode(run(house, recordQa, { id: "1", score: scores(90) }))).toBe("qa.transition")
    await run(house, reject, { number: approval.number, reason: "look at the doors as well" })
    expect(await qa()).toBe("planning")
    const second = await run(house, planQa, { id: "1", owner: "qa", check: ["the doors"] })
    expect(second.approval.question).toContain("- the doors")
    // What was decided already is not decided again, and says nothing of the new question.
    expect(await refusalCode(run(house, approve, { number: approval.number }))).toBe("approval.decided")
    expect(await qa()).toBe("planning")
    await run(house, approve, { number: second.approval.number, owner: "orchestrator" })
    expect(await qa()).toBe("validating")
  })

  it("withdraws the question when the work is handed in again, and an old answer opens nothing", async () => {
    await using world = await makeHouse("SUPERVISED")
    const { house, qa, submit } = world
    await submit()
    const { approval } = await run(house, planQa, { id: "1", owner: "qa" })
    await submit()
    expect(await run(house, listApprovals, {})).toEqual([])
    expect(await refusalCode(run(house, approve, { number: approval.number }))).toBe("approval.decided")
    expect(await qa()).toBe("pending")
    expect((await run(house, listQuality, { task: "1" })).map(({ status }) => status)).toEqual([
      "withdrawn",
      "submitted",
    ])
  })

  it("is content with a plan that somebody else decided on before the rule did", async () => {
    await using world = await makeHouse("FULL_AUTO")
    const { house, store, qa, submit } = world
    await submit()
    let isFirst = true
    const write: typeof store.write = async (work) => {
      const result = await store.write(work)
      // The lead looks between the question and its answer.
      if (isFirst) {
        isFirst = false
        for (const { number } of await run(house, listApprovals, {})) await run(house, approve, { number })
      }
      return result
    }
    const { approval, task } = await run({ ...house, store: { ...store, write } }, planQa, { id: "1", owner: "qa" })
    expect([approval.status, approval.decidedBy, task.qa]).toEqual(["approved", "person", "validating"])
    expect(await qa()).toBe("validating")
  })

  it("passes by the rule where nobody is waited for, with a verdict on the very state", async () => {
    await using world = await makeHouse("FULL_AUTO")
    const { house, store, key, qa, submit } = world
    await submit()
    const planned = await run(house, planQa, { id: "1", owner: "qa" })
    expect(planned.approval).toMatchObject({ status: "approved", decidedBy: "policy" })
    const { verdict, quality } = await run(house, recordQa, { id: "1", owner: "qa", score: scores(90, 60) })
    expect(quality).toMatchObject({
      status: "accepted",
      decidedBy: "policy",
      total: 84,
      result: "pass",
      commit: COMMIT,
    })
    expect(verdict).toMatchObject({ scope: "qa", subject: "1", status: "passed", by: "qa", commit: COMMIT, tree: TREE })
    expect(await qa()).toBe("passed")
    // The gate on the same files says nothing new; on others, what was passed is no longer what there is.
    const gate = { scope: "task", subject: "1", status: "passed", checks: [], issues: [], by: "gate" } as const
    await addVerdict(house, TEAM, { ...gate, commit: COMMIT, tree: TREE })
    expect(await qa()).toBe("passed")
    await addVerdict(house, TEAM, { ...gate, commit: "3".repeat(40), tree: "4".repeat(40) })
    expect(await qa()).toBe("needed")
    expect(await refusalCode(run(house, updateTask, { id: "1", owner: "w1", status: "resolved" }))).toBe("qa.needed")
    expect(await store.read((tx) => tx.verdicts.list(key))).toHaveLength(3)
  })

  it("leaves what is neither good nor bad to the lead, or where nobody is waited for sends it back", async () => {
    await using auto = await makeHouse("FULL_AUTO")
    await auto.submit()
    await run(auto.house, planQa, { id: "1", owner: "qa" })
    const middling = { id: "1", owner: "qa", score: scores(70) }
    expect(await run(auto.house, recordQa, middling)).toMatchObject({
      ...{ quality: { result: "review", status: "returned" }, verdict: { status: "failed" } },
    })
    await using supervised = await makeHouse("SUPERVISED")
    const { house, qa, submit } = supervised
    await submit()
    const { approval } = await run(house, planQa, { id: "1", owner: "qa" })
    await run(house, approve, { number: approval.number })
    expect(await run(house, recordQa, middling)).toMatchObject({ quality: { status: "reported" }, verdict: null })
    expect(await qa()).toBe("validating")
    expect(await run(house, returnQa, { id: "1", reason: "not plumb" })).toMatchObject({
      ...{ quality: { status: "returned", reason: "not plumb" }, verdict: { status: "failed", by: "person" } },
    })
    await submit()
    const again = await run(house, planQa, { id: "1", owner: "qa" })
    await run(house, approve, { number: again.approval.number })
    await run(house, recordQa, middling)
    await run(house, acceptQa, { id: "1", note: "good enough for a shed" })
    expect(await run(house, updateTask, { id: "1", owner: "w1", status: "resolved", ...STATE })).toMatchObject({
      task: { status: "resolved", qa: "passed" },
    })
    // A new attempt is looked at anew.
    await run(house, reopenTask, { id: "1" })
    expect(await qa()).toBe("needed")
  })

  it("F066: holds for the commit that was handed in, and for no other", async () => {
    for (const status of ["resolved", "in_review"] as const) {
      await using world = await makeHouse("FULL_AUTO")
      const { house, qa, submit } = world
      const update = (more: object) => run(house, updateTask, { id: "1", owner: "w1", status, ...more })
      await submit()
      await run(house, planQa, { id: "1", owner: "qa" })
      await run(house, recordQa, { id: "1", owner: "qa", score: scores(90) })
      expect(await qa()).toBe("passed")
      const other = { commit: "3".repeat(40), tree: "4".repeat(40) }
      const refused = [{}, other, { commit: other.commit }, { commit: COMMIT, tree: other.tree }, { result: "done" }]
      for (const state of refused) expect(await refusalCode(update(state))).toBe("qa.needed")
      expect(await getTask(world.store, world.key, "1")).toMatchObject({ status: "in_progress", qa: "passed" })
      expect((await refusal(update(other))).message).toContain(
        "QA passed commit 111111111111 of task 1, and it is at 333333333333 now",
      )
      // A person is held to it as well, and so is a status that comes with another change.
      expect(await refusalCode(run(house, updateTask, { id: "1", status, result: "x", ...other }))).toBe("qa.needed")
      expect((await update(STATE)).task.status).toBe(status)
    }
  })

  it("F066: takes nothing in before there is work, and nothing as resolved that QA passed without a commit", async () => {
    await using world = await makeHouse("FULL_AUTO")
    const { house, qa } = world
    const submit = () => run(house, submitQa, { id: "1", owner: "w1" })
    expect(await refusalCode(submit())).toBe("qa.no_work")
    expect(await qa()).toBe("needed")
    await run(house, updateTask, { id: "1", owner: "w1", addEvidence: ["the walls stand"] })
    await submit()
    await run(house, planQa, { id: "1", owner: "qa" })
    await run(house, recordQa, { id: "1", owner: "qa", score: scores(90) })
    const resolve = (more: object) => run(house, updateTask, { id: "1", owner: "w1", status: "resolved", ...more })
    expect(await refusalCode(resolve(STATE))).toBe("qa.needed")
    expect((await resolve({})).task.status).toBe("resolved")
  })

  it("takes one of two reports, and none of a round or a claim that is over", async () => {
    await using world = await makeHouse("FULL_AUTO")
    const { house, database, submit, qa } = world
    await submit()
    await run(house, planQa, { id: "1", owner: "qa" })
    const second = context(await database.connect())
    const both = await Promise.allSettled([
      run(house, recordQa, { id: "1", owner: "a", score: scores(90) }),
      run(second, recordQa, { id: "1", owner: "b", score: scores(10) }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    const [first] = await run(house, listQuality, {})
    expect(first?.decidedBy).toBe(first?.judgedBy === "a" ? "policy" : "b")
    if ((await qa()) === "passed")
      await run(house, submitQa, { id: "1", owner: "w1", commit: "9".repeat(40), tree: "8".repeat(40) })
    else await submit()
    const { task } = await run(house, planQa, { id: "1", owner: "qa" })
    const report = { ...TEAM, taskId: parseTaskId("1"), guidance: [], by: "qa" }
    const given = ["correctness", "completeness", "tests", "maintainability"].map((dimension) => ({
      ...{ dimension, score: 90, reason: "seen" },
    }))
    const held = { owner: "w1", token: task.claimToken, round: 1 }
    expect(await refusalCode(reportQa(house, { ...report, scores: given, held }))).toBe("qa.transition")
    const stale = { ...held, round: 2, token: task.claimToken + 1 }
    expect(await refusalCode(reportQa(house, { ...report, scores: given, held: stale }))).toBe("claim.lost")
    expect(await qa()).toBe("validating")
    // Who handed it in stays a party to it, also without the claim.
    await run(house, releaseTask, { id: "1", owner: "w1" })
    expect(await refusalCode(run(house, recordQa, { id: "1", owner: "w1", score: scores(100) }))).toBe("qa.own")
  })

  it("makes tasks of where the scores are lowest, once for each task", async () => {
    await using world = await makeHouse("FULL_AUTO")
    const { house, submit } = world
    expect(await run(house, improve, {})).toEqual({ dimension: null, mean: null, tasks: [] })
    await submit()
    await run(house, planQa, { id: "1", owner: "qa" })
    await run(house, recordQa, { id: "1", owner: "qa", score: scores(90, 60), guidance: ["test the corners"] })
    await run(house, updateTask, { id: "1", owner: "w1", status: "resolved", ...STATE })
    const { dimension, mean, tasks } = await run(house, improve, {})
    expect({ dimension, mean }).toEqual({ dimension: "tests", mean: 60 })
    expect(tasks).toMatchObject([
      { id: "improve-tests-1", title: "Improve the tests of task 1: Walls", role: "backend", files: ["walls/**"] },
    ])
    expect(tasks[0]?.description).toContain("60 of 100 for tests: counted\n- test the corners")
    expect((await run(house, improve, {})).tasks).toEqual([])
    expect((await run(house, improve, { dimension: "correctness" })).tasks).toMatchObject([
      { id: "improve-correctness-1" },
    ])
    const error = await refusal(run(house, improve, { dimension: "beauty" }))
    expect(error.message).toContain("there is correctness, completeness, tests, maintainability")
  })
}

function fail(): never {
  throw new Error("there is no team")
}
