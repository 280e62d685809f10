// What is seen of an agent's doings, and what a session may write, on every store.
import { describe, expect, it } from "bun:test"
import type { TaskId } from "../../src/kernel/ids.ts"
import { isTeamOver, seatRules } from "../../src/sessions/operations/seat-rules.ts"
import { join } from "../../src/sessions/operations/seats.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { noteUse, recordObserved } from "../../src/tasks/operations/observe.ts"
import { listEvidence } from "../../src/tasks/operations/record-evidence.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { context, type MakeDatabase, refusal, run, STORES, TEAM } from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => observeContract(makeDatabase))

const NPM_TEST = { run: { line: "npm test", exitCode: 0, output: "ok" }, files: [] }

async function makeHouse(makeDatabase: MakeDatabase) {
  const db = await makeDatabase()
  const stores = [await db.connect(), await db.connect(), await db.connect()]
  const [store = await db.connect()] = stores
  const house = context(store)
  await run(house, createTeam, { goal: "a house" })
  for (const id of ["1", "2"]) await run(house, createTask, { id, title: `Task ${id}`, files: [`src${id}/**`] })
  const seat = await run(house, join, { terminalId: "s1", workerId: "w1" })
  return {
    ...{ house, stores, store, seat },
    evidence: async (id: string) => run(house, listEvidence, { id }),
    async [Symbol.asyncDispose]() {
      for (const each of stores) await each[Symbol.asyncDispose]()
      await db[Symbol.asyncDispose]()
    },
  }
}

function observeContract(makeDatabase: MakeDatabase): void {
  it("notes a use once, also when it is told several times at once", async () => {
    await using h = await makeHouse(makeDatabase)
    await run(h.house, claimTask, { id: "1", owner: "w1" })
    const fail = { ...NPM_TEST, run: { ...NPM_TEST.run, exitCode: 1 } }
    await noteUse(h.house, h.seat, { id: "u1", ...NPM_TEST })
    await noteUse(h.house, h.seat, { id: "u2", ...fail })
    const again = h.stores.flatMap((store) => [
      noteUse({ store }, h.seat, { id: "u1", ...NPM_TEST }),
      noteUse({ store }, h.seat, { id: "u3", ...NPM_TEST }),
    ])
    await Promise.all(again)
    expect((await h.evidence("1")).map(({ facts }) => facts.exitCode)).toEqual([0, 1, 0])
  })

  it("is about the task that was taken last, and nothing where none is held", async () => {
    await using h = await makeHouse(makeDatabase)
    await noteUse(h.house, h.seat, { id: "u1", ...NPM_TEST })
    await noteUse(h.house, { terminalId: "nobody" }, { id: "u1", ...NPM_TEST })
    await run(h.house, claimTask, { id: "2", owner: "w1" })
    await Bun.sleep(2)
    await run(h.house, claimTask, { id: "1", owner: "w1" })
    await noteUse(h.house, h.seat, { id: "u2", ...NPM_TEST })
    const both = [await h.evidence("1"), await h.evidence("2")]
    expect(both.map((entries) => entries.length)).toEqual([1, 0])
  })

  it("keeps what the agent of a worker ran, as long as the claim is held", async () => {
    await using h = await makeHouse(makeDatabase)
    const { task } = await run(h.house, claimTask, { id: "1", owner: "w1" })
    const claim = { ...TEAM, taskId: "1" as TaskId, owner: "w1", token: task.claimToken }
    const ls = { run: { line: "ls", exitCode: 0, output: "" }, files: [] }
    await recordObserved(h.house, { ...claim, uses: [NPM_TEST, ls, NPM_TEST] })
    expect(await h.evidence("1")).toMatchObject([{ trust: "observed", by: "w1", facts: { command: "npm test" } }])
    const late = recordObserved(h.house, { ...claim, token: claim.token + 1, uses: [NPM_TEST] })
    expect((await refusal(late)).code).toBe("claim.lost")
    expect(await h.evidence("1")).toHaveLength(1)
  })

  it("tells what each may write now: every task that is held, and the lead", async () => {
    await using h = await makeHouse(makeDatabase)
    expect(await seatRules(h.house, h.seat)).toEqual([])
    for (const id of ["1", "2"]) await run(h.house, claimTask, { id, owner: "w1" })
    const rules = await seatRules(h.house, h.seat)
    expect(rules.map(({ task }) => task?.id).sort()).toEqual(["1", "2"])
    expect(await seatRules(h.house, { ...TEAM, worker: null })).toMatchObject([
      { task: null, others: [{ id: "1" }, { id: "2" }] },
    ])
    expect(await isTeamOver(h.house, TEAM)).toBe(false)
  })
}
