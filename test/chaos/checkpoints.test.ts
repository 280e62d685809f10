// kill -9 at the two moments that matter: everything changed but not committed, and committed but not yet told.
import { describe, expect, it } from "bun:test"
import { join } from "node:path"
import { parseTaskId } from "../../src/kernel/ids.ts"
import type { Store } from "../../src/store/port.ts"
import type { Act, Moment } from "../fixtures/participants/dies-in-write.ts"
import { openStore } from "../fixtures/participants/participant.ts"
import { freshSchema } from "../support/postgres.ts"
import { makeScratch } from "../support/sandbox.ts"
import { claimRequest, makeTask, makeTeam, snapshot } from "../support/stores.ts"
import { makeCrew } from "./crew.ts"

/** A lock of the dead would be waited for much longer. */
const AT_ONCE_MS = 5000
const TIMEOUT_MS = 20_000
const ACTS: readonly Act[] = ["create", "update", "claim", "finish", "message"]

const PLACES: Record<string, () => Promise<AsyncDisposable & { address: string }>> = {
  sqlite: async () => {
    const scratch = makeScratch("chaos")
    const address = `sqlite:${join(scratch.path, "teamwork.db")}`
    return { address, [Symbol.asyncDispose]: async () => scratch[Symbol.dispose]() }
  },
  postgres: async () => {
    const schema = await freshSchema()
    return { address: schema.url, [Symbol.asyncDispose]: schema.drop }
  },
}

describe.each(Object.keys(PLACES))("kill -9 on %s", (kind) => {
  it.each([...ACTS])(
    "between a change (%s) and its commit leaves nothing, and the next writer goes on",
    async (act) => {
      await using house = await makeHouse(kind)
      const before = await snapshot(house.store, house.key)
      await house.dieIn(act, "before-commit")
      expect(await snapshot(house.store, house.key)).toEqual(before)
      const start = performance.now()
      expect((await house.store.claimTask(claimRequest("w2", { taskId: "1" })))?.task.claimedBy).toBe("w2")
      expect(performance.now() - start).toBeLessThan(AT_ONCE_MS)
    },
    TIMEOUT_MS,
  )

  it.each([...ACTS])(
    "right after the commit of a change (%s) keeps all of it",
    async (act) => {
      await using house = await makeHouse(kind)
      await house.dieIn(act, "after-commit")
      const facts = await house.store.read(async (tx) => ({
        one: await tx.tasks.find(house.key, parseTaskId("1")),
        made: await tx.tasks.find(house.key, parseTaskId("made")),
        held: await tx.tasks.find(house.key, parseTaskId("held")),
        waiting: await tx.tasks.find(house.key, parseTaskId("waiting")),
        messages: await tx.messages.list(house.key, "w1", {}),
        events: (await tx.events.list(house.key, { limit: 100 })).events.map((event) => event.type),
      }))
      const expected = {
        create: { made: { status: "open", unmet: 1, blockedBy: ["1"] } },
        update: { one: { title: "changed" } },
        claim: { one: { status: "in_progress", claimedBy: "victim", claimToken: 1 } },
        finish: { held: { status: "resolved", result: "done" }, waiting: { unmet: 0 } },
        message: { messages: [{ id: "m1", from: "victim", read: false }] },
      }[act]
      expect(facts).toMatchObject(expected)
      expect(facts.events).toContain("team.resumed")
      const start = performance.now()
      await house.store.write((tx) => tx.teams.update(house.key, { goal: "another" }))
      expect(performance.now() - start).toBeLessThan(AT_ONCE_MS)
    },
    TIMEOUT_MS,
  )
})

async function makeHouse(kind: string) {
  const place = await PLACES[kind]?.()
  if (place === undefined) throw new Error(`no store ${kind}`)
  const store: Store = await openStore(place.address)
  const { key } = await makeTeam(store)
  await makeTask(store, key, "1")
  await makeTask(store, key, "held")
  await makeTask(store, key, "waiting", { blockedBy: ["held"] })
  await store.claimTask(claimRequest("w1", { taskId: "held" }))
  const crew = makeCrew()
  return {
    store,
    key,
    async dieIn(act: Act, moment: Moment) {
      const victim = crew.start("dies-in-write.ts", { name: "victim", store: place.address, act, moment })
      expect(await victim.next<string>()).toBe("changed")
      expect(await victim.ended).toBe("SIGKILL")
      expect(await victim.next().catch(String)).toContain("without another line")
    },
    async [Symbol.asyncDispose]() {
      await crew[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}
