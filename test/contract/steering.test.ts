// How a person steers a team at work, on every store: what is done once more, and what everybody is told.
import { describe, expect, it } from "bun:test"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { giveFeedback } from "../../src/knowledge/operations/give-feedback.ts"
import { readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import { BUILT_IN_ROLES, getRole } from "../../src/planning/roles/roles.ts"
import { promptFacts } from "../../src/prompts/operations/read-prompt-facts.ts"
import { composePrompt } from "../../src/prompts/views/compose-prompt.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { noteRecheck } from "../../src/tasks/operations/recheck-task.ts"
import { reviseTask } from "../../src/tasks/operations/revise-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import { plainEvents } from "../support/plain-events.ts"
import {
  allEvents,
  context,
  getTask,
  type MakeDatabase,
  makeTeam,
  refusalCode,
  run,
  STORES,
  snapshot,
  TEAM,
} from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(name, () => steeringContract(makeDatabase))
}

function steeringContract(makeDatabase: MakeDatabase): void {
  /** Ground, walls on it, a roof on those, all done; a fence that stands alone, done; a garden on the walls, begun. */
  async function makeHouse() {
    const database = await makeDatabase()
    const store = await database.connect()
    const { key } = await makeTeam(store)
    const house = context(store)
    await run(house, createTask, { id: "ground", title: "Ground", files: ["ground/**"] })
    await run(house, createTask, { id: "walls", title: "Walls", blockedBy: ["ground"], files: ["walls/**"] })
    await run(house, createTask, { id: "roof", title: "Roof", blockedBy: ["walls"], files: ["roof/**"] })
    await run(house, createTask, { id: "fence", title: "Fence" })
    await run(house, createTask, { id: "garden", title: "Garden", blockedBy: ["walls"] })
    for (const id of ["ground", "walls", "roof", "fence"]) {
      await run(house, claimTask, { id, owner: "w1" })
      await run(house, updateTask, { id, owner: "w1", status: "resolved", addEvidence: [`${id} stands`] })
    }
    await run(house, claimTask, { id: "garden", owner: "w2" })
    const prompt = async (id: string) => {
      const facts = await run(house, promptFacts, { id })
      const role = getRole(BUILT_IN_ROLES, "executor")
      return composePrompt({ facts, role, root: "/x", limit: 100_000, mask: (text) => text }).text
    }
    const inbox = async (name: string) =>
      (await run(house, readMailbox, { inbox: name })).map(({ payload }) => payload.message)
    return { database, store, key, house, prompt, inbox, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
  }

  it("F020: has a task done once more, asks to check again what was built on it, and keeps what was", async () => {
    await using world = await makeHouse()
    const { house, store, key, prompt, inbox } = world
    const revision = await run(house, reviseTask, { id: "walls", feedback: "They must be thicker" })
    const { task, reopened, recheck, told } = revision
    expect(reopened).toEqual(["walls"] as never)
    expect(recheck).toEqual(["roof"] as never)
    expect(told).toEqual(["garden"] as never)
    expect(task).toMatchObject({ id: "walls", status: "open", attempt: 2, unmet: 0 })
    expect(await getTask(store, key, "roof")).toMatchObject({ status: "resolved", attempt: 1 })
    expect(await getTask(store, key, "ground")).toMatchObject({ status: "resolved", attempt: 1 })
    expect(await getTask(store, key, "garden")).toMatchObject({ status: "in_progress", claimedBy: "w2", attempt: 1 })
    expect(await inbox("w2")).toEqual(["Task #walls, which task #garden builds on, is revised: They must be thicker"])
    expect(await store.read((tx) => tx.evidence.list(key, task.id))).toMatchObject([
      { text: "walls stands", attempt: 1 },
    ])
    // The word of the person is an instruction, and stands above the rest.
    expect(await prompt("walls")).toMatch(
      /# FEEDBACK\n\n.* It is an instruction: [\s\S]*They must be thicker[\s\S]*# CONTEXT/,
    )
    expect((await allEvents(store, key)).filter(({ type }) => type === "task.reopened")).toHaveLength(1)
    const asked = plainEvents(await allEvents(store, key)).filter(({ type }) => type === "task.recheck_asked")
    expect(asked).toMatchObject([{ data: { task: "roof", attempt: 1, of: "walls" } }])
    // It holds, or is done once more with the reason; what was reopened meanwhile is left alone.
    const about = { ...TEAM, task: parseTaskId("roof"), commit: "c", by: "gate" }
    expect(await noteRecheck(house, { ...about, attempt: 1, failure: null })).toMatchObject({ status: "resolved" })
    const failure = "task walls, which it builds on, was revised: it leans\n    crack"
    expect(await noteRecheck(house, { ...about, attempt: 1, failure })).toMatchObject({ status: "open", attempt: 2 })
    expect(await noteRecheck(house, { ...about, attempt: 1, failure })).toBeUndefined()
    expect(await prompt("roof")).toContain("task walls, which it builds on, was revised: it leans")
    // Once more, while both are open, changes nothing of them.
    expect(await run(house, reviseTask, { id: "walls" })).toMatchObject({ reopened: [], told: ["garden"] })
    expect(await getTask(store, key, "walls")).toMatchObject({ attempt: 2 })
  })

  it("tells whoever works on a task what should be otherwise, and whoever does it next", async () => {
    await using world = await makeHouse()
    const { house, store, key, prompt, inbox } = world
    await run(house, reviseTask, { id: "garden", feedback: "No roses" })
    expect(await inbox("w2")).toEqual(["FEEDBACK on task #garden: No roses"])
    expect(await getTask(store, key, "garden")).toMatchObject({ status: "in_progress", attempt: 1 })
    expect(await prompt("garden")).toContain("No roses")
    expect(await prompt("fence")).not.toContain("No roses")
    const before = await snapshot(store, key)
    expect(await refusalCode(run(house, reviseTask, { id: "cellar" }))).toBe("task.not_found")
    expect(await snapshot(store, key)).toEqual(before)
  })

  it("tells everybody who works now, and everybody who works from then on", async () => {
    await using world = await makeHouse()
    const { house, prompt, inbox } = world
    await run(house, setupWorker, { workerId: "w3" })
    const { told } = await run(house, giveFeedback, { text: "Mind the neighbours" })
    expect([...told].sort()).toEqual(["w1", "w2", "w3"])
    for (const worker of told) expect(await inbox(worker)).toEqual(["FEEDBACK: Mind the neighbours"])
    await run(house, createTask, { id: "shed", title: "Shed" })
    expect(await prompt("shed")).toMatch(
      /# FEEDBACK\n\nThe person in charge [\s\S]* It is an instruction: [\s\S]*Mind the neighbours/,
    )
    expect((await run(house, giveFeedback, { text: "Paint it red", task: "shed" })).told).toEqual([])
    expect((await run(house, giveFeedback, { text: "No roses", task: "garden" })).told).toEqual(["w2"])
    expect((await run(house, giveFeedback, { text: "Higher", task: "fence" })).told).toEqual([])
    expect(await prompt("shed")).toContain("Paint it red")
    expect(await prompt("fence")).not.toContain("Paint it red")
    const { feedback } = await run(house, giveFeedback, { list: true })
    expect(feedback.map(({ number, taskId, text }) => [number, taskId as string | null, text])).toEqual([
      [1, null, "Mind the neighbours"],
      [2, "shed", "Paint it red"],
      [3, "garden", "No roses"],
      [4, "fence", "Higher"],
    ])
    expect(await refusalCode(run(house, giveFeedback, { text: " " }))).toBe("usage")
    expect(await refusalCode(run(house, giveFeedback, { text: "x", task: "cellar" }))).toBe("task.not_found")
  })
}
