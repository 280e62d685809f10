// Escalations on every store: what raises one, what it holds, and what follows from the decision.
import { describe, expect, it } from "bun:test"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { promptFacts } from "../../src/prompts/operations/read-prompt-facts.ts"
import { teamStatus } from "../../src/reporting/operations/team-status.ts"
import { type Option, TRIGGERS } from "../../src/requests/escalation.ts"
import { decide, escalate, listEscalations } from "../../src/requests/operations/escalations.ts"
import { markNotified, readQuestions } from "../../src/requests/operations/questions.ts"
import { askAboutLimit, withdrawLimitQuestion } from "../../src/requests/operations/wait-for-limit.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { deleteTask } from "../../src/tasks/operations/delete-task.ts"
import { releaseTask } from "../../src/tasks/operations/release-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { setBack } from "../../src/tasks/operations/set-back.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import type { SetbackKind } from "../../src/tasks/retry.ts"
import { cleanTeam } from "../../src/teams/operations/clean-team.ts"
import { pause, resume } from "../../src/teams/operations/pause.ts"
import { pauseByEngine } from "../../src/teams/operations/steer-team.ts"
import {
  allEvents,
  context,
  getTask,
  type MakeDatabase,
  makeTeam,
  refusal,
  refusalCode,
  run,
  STORES,
  snapshot,
  TEAM,
} from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(name, () => escalationContract(makeDatabase))
}

const ASKED = { trigger: "requirement_unclear", summary: "Which currency?", task: "1", owner: "w1" } as const

function escalationContract(makeDatabase: MakeDatabase): void {
  async function makeHouse() {
    const database = await makeDatabase()
    const store = await database.connect()
    const { key } = await makeTeam(store)
    const house = context(store)
    await run(house, createTask, { id: "1", title: "Walls" })
    await run(house, createTask, { id: "2", title: "Roof", blockedBy: ["1"] })
    const task = (id = "1") => getTask(store, key, id)
    const open = () => run(house, listEscalations, {})
    return { database, store, key, house, task, open, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
  }

  /** Claimed, and set back for that reason until that is the end of it. */
  async function giveUp(
    { house }: Awaited<ReturnType<typeof makeHouse>>,
    { kind, tries = 1 }: { readonly kind: SetbackKind; readonly tries?: number },
  ) {
    const limits = { maxRuns: 0, maxRestarts: tries - 1, maxTimeoutRestarts: tries - 1 }
    const fact = { ...TEAM, taskId: parseTaskId("1"), worker: parseWorkerId("w1"), owner: "w1", limits }
    for (let each = 1; each <= tries; each++) {
      await run(house, claimTask, { id: "1", owner: "w1" })
      await setBack(house, { ...fact, agent: "claude", kind, reason: `try ${each} went wrong`, advice: null })
    }
  }

  it("pauses a task for each of the ten triggers, once, with what is known of it", async () => {
    await using world = await makeHouse()
    const { house, store, key, open } = world
    await run(house, claimTask, { id: "1", owner: "w1" })
    for (const trigger of TRIGGERS) await run(house, escalate, { ...ASKED, trigger })
    const before = await snapshot(store, key)
    for (const trigger of TRIGGERS) await run(house, escalate, { ...ASKED, trigger, summary: "Once more" })
    expect(await snapshot(store, key)).toEqual(before)
    const raised = await open()
    expect(raised.map(({ trigger }) => trigger)).toEqual([...TRIGGERS])
    expect(raised.every(({ summary, raisedBy }) => summary === "Which currency?" && raisedBy === "w1")).toBe(true)
    expect(raised[0]).toMatchObject({ number: 1, taskId: "1", attempt: 1, status: "open", decision: null })
    expect(raised[0]?.context).toMatchObject({ progress: ["attempt 1, set back 0 times"], attempts: 1 })
    expect(await world.task()).toMatchObject({ status: "paused", pausedFrom: "in_progress" })
    const told = await store.read((tx) => tx.messages.list(key, "orchestrator", {}))
    expect(String(told[4]?.payload.message)).toMatch(
      /^ESCALATION 5 \(requirement_unclear, task 1\): Which currency\?; decide with: teamwork decide 5 retry\|/,
    )
  })

  it("refuses what cannot be asked, and changes nothing", async () => {
    await using world = await makeHouse()
    const { house, store, key } = world
    await run(house, claimTask, { id: "1", owner: "w1" })
    await run(house, updateTask, { id: "1", owner: "w1", status: "resolved" })
    const before = await snapshot(store, key)
    expect(await refusalCode(run(house, escalate, ASKED))).toBe("task.transition")
    expect(await refusalCode(run(house, escalate, { ...ASKED, task: "9" }))).toBe("task.not_found")
    expect(await refusalCode(run(house, escalate, { ...ASKED, summary: "  " }))).toBe("input.invalid")
    expect(await refusalCode(run(house, decide, { number: 1, option: "retry" }))).toBe("record.not_found")
    expect(await snapshot(store, key)).toEqual(before)
  })

  it("keeps a task paused until somebody decides, and names the way", async () => {
    await using world = await makeHouse()
    const { house, store, key } = world
    await run(house, claimTask, { id: "1", owner: "w1" })
    await run(house, escalate, ASKED)
    const before = await snapshot(store, key)
    const refused = await refusal(run(house, resume, { task: "1" }))
    expect(refused.code).toBe("escalation.open")
    expect(refused.message).toBe(
      "task 1 waits for a decision on escalation 1 (requirement_unclear, task 1): retry, skip, fail, pause; decide with: teamwork decide --number 1 --option OPTION",
    )
    expect(await refusalCode(run(house, releaseTask, { id: "1" }))).toBe("escalation.open")
    for (const change of [{ status: "in_progress" }, { release: true }] as const)
      expect(await refusalCode(run(house, updateTask, { id: "1", ...change }))).toBe("escalation.open")
    expect(await refusalCode(run(house, claimTask, { id: "1", owner: "w2" }))).toBe("task.not_ready")
    expect(await refusalCode(run(house, updateTask, { id: "1", owner: "w1", status: "resolved" }))).toBe("claim.lost")
    expect(await snapshot(store, key)).toEqual(before)
  })

  for (const [option, status] of [
    ["retry", "open"],
    ["reassign", "open"],
    ["skip", "skipped"],
    ["fail", "failed"],
    ["pause", "paused"],
  ] as const)
    it(`decides a paused task by ${option}`, async () => {
      await using world = await makeHouse()
      const { house, task } = world
      await run(house, claimTask, { id: "1", owner: "w1" })
      await run(house, escalate, { ...ASKED, trigger: "dependency_missing" })
      const agent = option === "reassign" ? { agent: "codex" } : {}
      const done = await run(house, decide, { number: 1, option, note: "As in the sketch", ...agent })
      expect(done.outcome).toBe(`task 1 is ${status}`)
      expect(done.escalation).toMatchObject({ status: "decided", decision: option, decidedBy: "person" })
      expect(await task()).toMatchObject({ status, work: { agent: option === "reassign" ? "codex" : null } })
      expect((await task("2")).unmet).toBe(option === "skip" ? 0 : 1)
      // What was decided to stay paused is a person's to resume.
      if (option === "pause") await run(house, resume, { task: "1" })
    })

  it("tells the asker, and every next prompt of the task, what was decided", async () => {
    await using world = await makeHouse()
    const { house, store, key } = world
    for (const note of ["a", "b", "c", "d"]) {
      await run(house, claimTask, { id: "1", owner: "w1" })
      const { number } = await run(house, escalate, ASKED)
      await run(house, decide, { number, option: "retry", note, owner: "ann" })
    }
    const { decisions } = await run(house, promptFacts, { id: "1" })
    expect(decisions.map(({ note, decidedBy }) => [note, decidedBy])).toEqual([
      ["b", "ann"],
      ["c", "ann"],
      ["d", "ann"],
    ])
    expect((await run(house, promptFacts, { id: "2" })).decisions).toEqual([])
    const told = await store.read((tx) => tx.messages.list(key, "w1", {}))
    expect(told.at(-1)?.payload.message).toBe("DECIDED: escalation 4 (requirement_unclear, task 1): retry: d")
  })

  it("takes one decision of two at once, and tells the other who decided what", async () => {
    await using world = await makeHouse()
    const { house, database, store, key } = world
    for (let round = 1; round <= 5; round++) {
      await run(house, claimTask, { id: "1", owner: "w1" })
      await run(house, escalate, ASKED)
      const deciders = [context(await database.connect()), context(await database.connect())]
      const options: Option[] = ["retry", "retry"]
      const ends = await Promise.allSettled(
        deciders.map((each, index) =>
          run(each, decide, {
            number: round,
            option: options[index],
            note: `by ${index}`,
            owner: ["ann", "bob"][index],
          }),
        ),
      )
      const won = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value.escalation] : []))
      const [lost] = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []))
      expect(won).toHaveLength(1)
      expect(lost).toMatchObject({ code: "escalation.decided" })
      expect(lost.message).toBe(
        `escalation ${round} (requirement_unclear, task 1) was decided by ${won[0]?.decidedBy} already: retry`,
      )
      const events = (await allEvents(store, key)).filter(
        ({ type, data }) => type === "record.changed" && data.number === round,
      )
      expect(events).toHaveLength(1)
    }
  })

  it("lets neither workers nor the lead decide, nor what does not fit", async () => {
    await using world = await makeHouse()
    const { house, store, key } = world
    await run(house, claimTask, { id: "1", owner: "w1" })
    await run(house, escalate, { ...ASKED, owner: "reviewer" })
    const before = await snapshot(store, key)
    for (const owner of ["w1", "reviewer", "orchestrator", "lead", "teamwork"])
      expect(await refusalCode(run(house, decide, { number: 1, option: "retry", owner }))).toBe(
        "escalation.not_allowed",
      )
    const refused = await refusal(run(house, decide, { number: 1, option: "go-on" }))
    expect(refused.code).toBe("escalation.no_option")
    expect(refused.message).toContain("it can by retry, skip, fail, pause")
    expect(await refusalCode(run(house, decide, { number: 1, option: "reassign" }))).toBe("usage")
    expect(await refusalCode(run(house, decide, { number: 1, option: "retry", agent: "codex" }))).toBe("usage")
    expect(await snapshot(store, key)).toEqual(before)
    expect((await run(house, decide, { number: 1, option: "retry", owner: "ann" })).escalation.decidedBy).toBe("ann")
  })

  it("waits for every question about a task", async () => {
    await using world = await makeHouse()
    const { house, task } = world
    await run(house, claimTask, { id: "1", owner: "w1" })
    await run(house, escalate, ASKED)
    await run(house, escalate, { ...ASKED, trigger: "scope_change", summary: "Also the garden?" })
    const first = await run(house, decide, { number: 1, option: "retry" })
    expect(first.outcome).toBe("task 1 is paused, until escalation 2 is decided")
    expect((await run(house, decide, { number: 2, option: "retry" })).outcome).toBe("task 1 is open")
    expect((await task()).claimedBy).toBeNull()
  })

  const isOfTheAgent = (kind: SetbackKind) => kind === "permission" || kind === "context-overflow"

  for (const [kind, trigger, status] of [
    ["gate", "repeated_failure", "failed"],
    ["lost", "repeated_failure", "failed"],
    ["timed-out", "repeated_failure", "failed"],
    ["permission", "permission_denied", "failed"],
    ["workspace", "tool_unavailable", "failed"],
    ["context-overflow", "technical_limitation", "failed"],
    ["budget", "budget", "paused"],
  ] as const)
    it(`asks about a task that ${kind} ends, as ${trigger}`, async () => {
      await using world = await makeHouse()
      const { task, open, house } = world
      // An agent that would end the same way makes room for one more try by another.
      await giveUp(world, { kind, tries: status === "paused" ? 1 : isOfTheAgent(kind) ? 2 : 3 })
      if ((await task()).status === "open") await giveUp(world, { kind })
      expect((await task()).status).toBe(status)
      const [raised] = await open()
      expect(raised).toMatchObject({
        trigger,
        taskId: "1",
        raisedBy: "teamwork",
        summary: expect.stringContaining("went wrong"),
      })
      expect(raised?.context.errors.at(-1)).toMatch(new RegExp(`^${kind}: try \\d went wrong$`))
      expect(raised?.context.setbacks).toBe(raised?.context.errors.length)
      expect(raised?.context.errors).toHaveLength(kind === "budget" ? 1 : 3)
      await run(house, decide, { number: 1, option: "retry" })
      expect(await task()).toMatchObject({ status: "open", attempt: status === "failed" ? 2 : 1 })
    })

  it("says nothing while a task is only tried again", async () => {
    await using world = await makeHouse()
    await run(world.house, claimTask, { id: "1", owner: "w1" })
    const limits = { maxRuns: 0, maxRestarts: 3, maxTimeoutRestarts: 2 }
    const fact = {
      ...TEAM,
      taskId: parseTaskId("1"),
      worker: parseWorkerId("w1"),
      owner: "w1",
      limits,
      agent: "claude",
    }
    await setBack(world.house, { ...fact, kind: "gate", reason: "it leans", advice: null })
    expect(await world.open()).toEqual([])
  })

  it("is withdrawn when what it is about is settled otherwise", async () => {
    await using world = await makeHouse()
    const { house, open } = world
    await giveUp(world, { kind: "gate" })
    await run(house, reopenTask, { id: "1" })
    await giveUp(world, { kind: "gate" })
    await run(house, updateTask, { id: "1", status: "skipped" })
    await run(house, reopenTask, { id: "1" })
    expect((await run(house, escalate, ASKED)).options).toEqual(["retry", "skip", "pause"])
    await run(house, deleteTask, { id: "1", force: true })
    expect((await refusal(run(house, decide, { number: 1, option: "retry" }))).message).toBe(
      "escalation 1 (repeated_failure, task 1) was withdrawn: it was settled otherwise",
    )
    await run(house, escalate, { ...ASKED, task: "2" })
    await run(house, cleanTeam, {})
    expect(await open()).toEqual([])
    const withdrawn = await run(house, listEscalations, { run: 1, status: "withdrawn" })
    expect(withdrawn.map(({ taskId }) => String(taskId))).toEqual(["1", "1", "1", "2"])
  })

  it("holds the team when its budget is used up, until somebody lets it go on", async () => {
    await using world = await makeHouse()
    const { house, open } = world
    const reason = "the team's budget: $2.00 of $1.00 are used up"
    await pauseByEngine(house, TEAM, { trigger: "budget", reason })
    expect(await open()).toMatchObject([
      {
        trigger: "budget",
        taskId: null,
        options: ["go-on", "pause"],
        context: { progress: ["0 of 2 tasks are done, 0 failed"] },
      },
    ])
    const refused = await refusal(run(house, resume, {}))
    expect(refused.message).toBe(
      "the team waits for a decision on escalation 1 (budget, the team): go-on, pause; decide with: teamwork decide --number 1 --option OPTION",
    )
    expect((await run(house, decide, { number: 1, option: "go-on" })).outcome).toBe("the team goes on")
    expect(await run(house, teamStatus, {})).toMatchObject({ status: "active", pauseReason: null, questions: [] })
    await run(house, escalate, { trigger: "scope_change", summary: "All of it changed" })
    expect(await run(house, teamStatus, {})).toMatchObject({
      ...{ status: "paused", pauseReason: "scope_change: All of it changed" },
      questions: [{ kind: "escalation", number: 2, command: "teamwork decide 2 go-on|pause" }],
    })
    expect((await run(house, decide, { number: 2, option: "pause" })).outcome).toBe("the team stays paused")
    await run(house, resume, {})
  })

  it("asks about a wait for every agent without stopping it", async () => {
    await using world = await makeHouse()
    const { house, task, open } = world
    await run(house, claimTask, { id: "1", owner: "w1" })
    const waiting = { ...TEAM, task: parseTaskId("1"), worker: "w1" }
    await askAboutLimit(house, { ...waiting, reason: "claude is rate-limited" })
    expect((await task()).status).toBe("in_progress")
    expect((await open())[0]?.options).toContain("go-on")
    await withdrawLimitQuestion(house, waiting)
    expect(await open()).toEqual([])
    await askAboutLimit(house, { ...waiting, reason: "claude is rate-limited" })
    expect((await run(house, decide, { number: 2, option: "skip" })).outcome).toBe("task 1 is skipped")
  })

  it("escalates a disagreement of more than two rounds", async () => {
    await using world = await makeHouse()
    const { house, task, open } = world
    const handIn = () => run(house, updateTask, { id: "1", owner: "w1", status: "in_review" })
    const sendBack = () => run(house, updateTask, { id: "1", status: "in_progress", reason: "No tests" })
    await run(house, claimTask, { id: "1", owner: "w1" })
    for (let round = 1; round <= 2; round++) {
      await handIn()
      await sendBack()
      expect((await task()).status).toBe("in_progress")
    }
    await handIn()
    await sendBack()
    expect(await task()).toMatchObject({ status: "paused", pausedFrom: "in_review" })
    expect(await open()).toMatchObject([
      { trigger: "disagreement", summary: "person and w1 do not agree after 2 rounds: No tests" },
    ])
    // The worker was right: the work stands as it was handed in.
    expect((await run(house, decide, { number: 1, option: "go-on" })).outcome).toBe("task 1 is in_review")
    await sendBack()
    expect((await task()).status).toBe("in_progress")
  })

  it("is told to people once, whoever asks", async () => {
    await using world = await makeHouse()
    const { house, database, store, key } = world
    await run(house, escalate, ASKED)
    const [question] = await store.read((tx) => readQuestions(tx, key))
    if (question === undefined) throw new Error("nothing waits")
    expect(question.isTold).toBe(false)
    const both = [context(await database.connect()), context(await database.connect())]
    const told = await Promise.all(both.map((each) => markNotified(each, TEAM, question)))
    expect(told.toSorted()).toEqual([false, true])
    expect((await store.read((tx) => readQuestions(tx, key)))[0]?.isTold).toBe(true)
    await run(house, decide, { number: 1, option: "retry" })
    expect(await markNotified(house, TEAM, question)).toBe(false)
  })

  it("leaves what a person paused to that person", async () => {
    await using world = await makeHouse()
    await run(world.house, pause, { task: "1" })
    await run(world.house, resume, { task: "1" })
    expect((await world.task()).status).toBe("open")
  })
}
