// What a prompt is made of, read from every store in one look.
import { describe, expect, it } from "bun:test"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import { promptFacts } from "../../src/prompts/operations/read-prompt-facts.ts"
import { recordVerdict } from "../../src/quality/operations/record-verdict.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { addEvidence, withdrawEvidence } from "../../src/tasks/operations/record-evidence.ts"
import { releaseTask } from "../../src/tasks/operations/release-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import { context, type MakeDatabase, refusal, run, STORES, snapshot, TEAM } from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(name, () => promptContract(makeDatabase))
}

function promptContract(makeDatabase: MakeDatabase): void {
  it("finds results of needs, files of others, messages, wisdom and earlier attempts, and changes nothing", async () => {
    await using database = await makeDatabase()
    const store = await database.connect()
    const house = context(store)
    await run(house, createTeam, { goal: "A house" })
    await run(house, createTask, { id: "1", title: "Ground" })
    await run(house, createTask, { id: "2", title: "Walls", blockedBy: ["1"], files: ["walls/**"] })
    await run(house, createTask, { id: "3", title: "Roof", files: ["roof/**"] })
    await run(house, createTask, { id: "4", title: "Fence", files: ["fence/**"] })
    await run(house, createTask, { id: "5", title: "Garden" })
    await run(house, claimTask, { id: "1", owner: "w1" })
    await run(house, updateTask, { id: "1", owner: "w1", addEvidence: ["first", "dug"] })
    await run(house, withdrawEvidence, { id: "1", number: 1, owner: "w1" })
    await run(house, updateTask, { id: "1", owner: "w1", status: "resolved", result: "level" })
    await run(house, claimTask, { id: "4", owner: "w1" })
    await run(house, updateTask, { id: "4", owner: "w1", status: "resolved" })

    await run(house, claimTask, { id: "2", owner: "w1" })
    await run(house, releaseTask, { id: "2", owner: "w1", reason: "no bricks" })
    await run(house, claimTask, { id: "2", owner: "w2" })
    await run(house, addEvidence, { id: "2", owner: "w2", addEvidence: ["built it"] })
    await run(house, updateTask, { id: "2", owner: "w2", status: "in_review" })
    await run(house, updateTask, { id: "2", owner: "w2", status: "in_progress", reason: "crooked" })
    await run(house, updateTask, { id: "2", owner: "w2", status: "resolved" })
    const wrong = { scope: "task", subject: "2", status: "failed", by: "wave-verifier" } as const
    await run(house, recordVerdict, { ...wrong, issue: ["it leans"], check: ["level=failed:3 degrees", "dry=passed"] })
    await run(house, recordVerdict, { ...wrong, subject: "1", issue: ["of another task"] })
    await run(house, reopenTask, { id: "2", reason: "do it again" })
    await run(house, claimTask, { id: "2", owner: "w2" })
    await run(house, updateTask, { id: "2", owner: "w2", status: "failed", reason: "fell over" })
    for (const workerId of ["w1", "w2"]) await run(house, setupWorker, { workerId })
    await run(house, sendMessage, { from: "orchestrator", to: "w2", message: "Use a level" })
    await run(house, sendMessage, { from: "orchestrator", to: "w1", message: "Not for w2" })
    const key = await store.write(async (tx) => {
      const found = (await tx.teams.find(TEAM))?.key ?? -1
      for (const path of ["wisdom/b.md", "wisdom/a.md", "wisdom/a.txt", "artifacts/c.md"])
        await tx.documents.put(found, { path, content: path, encoding: "utf8", by: "w1" })
      await tx.documents.put(found, { path: "wisdom/x.md", content: "AA==", encoding: "base64", by: "w1" })
      return found
    })

    const before = await snapshot(store, key)
    const facts = await run(house, promptFacts, { id: "2", worker: "w2" })
    expect(await snapshot(store, key)).toEqual(before)
    expect(facts).toMatchObject({ team: { ...TEAM, goal: "A house" }, task: { id: "2", attempt: 2 }, worktree: null })
    expect(facts.needs).toMatchObject([{ id: "1", result: "level", evidence: [{ text: "dug" }] }])
    expect(facts.others).toEqual([{ id: parseTaskId("3"), title: "Roof", files: ["roof/**"] }])
    expect(facts.messages.map((message) => message.payload)).toEqual([{ message: "Use a level" }])
    expect(facts.wisdom.map((document) => document.path)).toEqual(["wisdom/a.md", "wisdom/b.md"])
    expect(facts.evidence).toMatchObject([{ text: "built it", attempt: 1 }])
    expect(facts.setbacks.map(({ attempt, what, by, reason }) => ({ attempt, what, by, reason }))).toEqual([
      { attempt: 1, what: "released", by: "w1", reason: "no bricks" },
      { attempt: 1, what: "rejected", by: "w2", reason: "crooked" },
      { attempt: 1, what: "verdict", by: "wave-verifier", reason: "it leans\ncheck level failed: 3 degrees" },
      { attempt: 1, what: "reopened", by: "person", reason: "do it again" },
      { attempt: 2, what: "failed", by: "w2", reason: "fell over" },
    ])
  })

  it("takes the messages of whoever holds the task, and none where nobody does", async () => {
    await using database = await makeDatabase()
    const house = context(await database.connect())
    await run(house, createTeam, { goal: "A house" })
    await run(house, createTask, { id: "1", title: "Ground" })
    await run(house, setupWorker, { workerId: "w1" })
    await run(house, sendMessage, { from: "orchestrator", to: "w1", message: "Hello" })
    expect((await run(house, promptFacts, { id: "1" })).messages).toEqual([])
    await run(house, claimTask, { id: "1", owner: "w1" })
    expect((await run(house, promptFacts, { id: "1" })).messages).toHaveLength(1)
  })

  it("refuses tasks and workers that do not exist", async () => {
    await using database = await makeDatabase()
    const house = context(await database.connect())
    await run(house, createTeam, { goal: "A house" })
    expect((await refusal(run(house, promptFacts, { id: "9" }))).code).toBe("task.not_found")
    await run(house, createTask, { id: "1", title: "Ground" })
    expect((await refusal(run(house, promptFacts, { id: "1", worker: "w9" }))).message).toBe(
      "worker w9 does not exist; see: teamwork swarm status",
    )
  })
}
