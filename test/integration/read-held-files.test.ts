// A hook's quick look at the store, which must see what the store would have said.
import { Database } from "bun:sqlite"
import { expect, it } from "bun:test"
import { join } from "node:path"
import { systemClock } from "../../src/lib/clock.ts"
import { readSeat } from "../../src/sessions/operations/read-seat.ts"
import { seatRules } from "../../src/sessions/operations/seat-rules.ts"
import { join as joinTeam } from "../../src/sessions/operations/seats.ts"
import { readHeldFiles } from "../../src/store/sqlite/read-held-files.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { releaseTask } from "../../src/tasks/operations/release-task.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { makeScratch } from "../support/sandbox.ts"
import { context, run } from "../support/stores.ts"

async function makeScene() {
  const scratch = makeScratch()
  const path = join(scratch.path, "teamwork.db")
  const store = await openSqliteStore({ path, clock: systemClock })
  const house = context(store)
  await run(house, createTeam, { goal: "a house" })
  for (const id of ["a", "b", "c"]) await run(house, createTask, { id, title: id, files: [`src/${id}/`] })
  await run(house, joinTeam, { terminalId: "s1", workerId: "w1" })
  return {
    ...{ house, path },
    glance: () => readHeldFiles(path, "s1").map(({ files }) => [...files]),
    async rules() {
      const seat = await readSeat(house, "s1")
      if (seat === undefined) throw new Error("s1 has no seat")
      return (await seatRules(house, seat)).map((rule) => [...(rule.task?.files ?? [])])
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

it("sees the files of what the session's worker holds, and nobody else's", async () => {
  await using scene = await makeScene()
  const { house, glance, rules } = scene
  expect(glance()).toEqual([])
  await run(house, claimTask, { id: "a", owner: "w1" })
  await run(house, claimTask, { id: "b", owner: "somebody" })
  expect(glance()).toEqual([["src/a/"]])
  expect(await rules()).toEqual(glance())
  // A claim may name its worker besides its owner.
  await run(house, claimTask, { id: "c", owner: "person", workerId: "w1" })
  expect(glance().sort()).toEqual([["src/a/"], ["src/c/"]])
  expect((await rules()).sort()).toEqual(glance().sort())
  await run(house, releaseTask, { id: "a", owner: "w1" })
  expect(glance()).toEqual([["src/c/"]])
  expect(await rules()).toEqual(glance())
})

it("sees nothing of a session that has not joined, and of the lead", async () => {
  await using scene = await makeScene()
  await run(scene.house, joinTeam, { terminalId: "s2", lead: true })
  expect(readHeldFiles(scene.path, "s2")).toEqual([])
  expect(readHeldFiles(scene.path, "s3")).toEqual([])
})

it("does not wait for whoever writes", async () => {
  await using scene = await makeScene()
  await run(scene.house, claimTask, { id: "a", owner: "w1" })
  using other = new Database(scene.path)
  other.run("begin immediate")
  expect(scene.glance()).toEqual([["src/a/"]])
  other.run("rollback")
})

it("leaves a store of another version, and one that is not there, to whoever can open it", async () => {
  await using scene = await makeScene()
  using other = new Database(scene.path)
  other.run("pragma user_version = 9999")
  expect(scene.glance).toThrow("schema 9999")
  expect(() => readHeldFiles(`${scene.path}-none`, "s1")).toThrow()
})
