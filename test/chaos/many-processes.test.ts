// Many real processes on one SQLite store: nothing is lost, nothing happens twice, and nobody is told of a trouble that
// is not its own.

import { describe, expect, it } from "bun:test"
import { join } from "node:path"
import type { Event } from "../../src/kernel/events.ts"
import { parseWorkerId } from "../../src/kernel/ids.ts"
import { systemClock } from "../../src/lib/clock.ts"
import type { Store } from "../../src/store/port.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { plainEvents } from "../support/plain-events.ts"
import { makeScratch } from "../support/sandbox.ts"
import { allEvents, makeTask, makeTeam } from "../support/stores.ts"
import { makeCrew, startTogether } from "./crew.ts"

const TIMEOUT_MS = 90_000
const PROCESSES = 16
const TASKS_EACH = 125
/** One in so many goes through a command-line process of its own. */
const CLI_EVERY = 25

interface Created {
  ids: string[]
  errors: unknown[]
}

interface Worked {
  done: string[]
  errors: unknown[]
  last?: { code: string; details: { open: number } }
}

describe("many processes on one store", () => {
  it(
    "create 2,000 tasks at once, then claim and resolve each exactly once",
    async () => {
      await using house = await makeHouse()
      const { store, key, address, crew } = house
      const creators = numbered(PROCESSES, (number) =>
        crew.start("creates-tasks.ts", {
          name: `creator${number}`,
          store: address,
          count: TASKS_EACH,
          cliEvery: CLI_EVERY,
        }),
      )
      await startTogether(creators)
      const created = await Promise.all(creators.map((member) => member.next<Created>()))
      expect(created.flatMap((each) => each.errors)).toEqual([])
      const ids = created.flatMap((each) => each.ids)
      expect(ids).toHaveLength(PROCESSES * TASKS_EACH)
      expect(new Set(ids).size).toBe(ids.length)
      const titles = (await store.read((tx) => tx.tasks.list(key))).map((task) => task.title)
      const expected = numbered(PROCESSES, (one) => numbered(TASKS_EACH, (two) => `creator${one}-${two}`)).flat()
      expect(titles.toSorted()).toEqual(expected.toSorted())

      const limit = ids.length
      const claimants = numbered(PROCESSES, (number) =>
        crew.start("claims-tasks.ts", { name: `w${number}`, store: address, cliEvery: CLI_EVERY, limit }),
      )
      await startTogether(claimants)
      const worked = await Promise.all(claimants.map((member) => member.next<Worked>()))
      expect(worked.flatMap((each) => each.errors)).toEqual([])
      // Whoever was told that there is nothing was told so when really nothing was left to claim.
      for (const each of worked) expect(each.last).toMatchObject({ code: "task.none_available", details: { open: 0 } })
      expect(worked.flatMap((each) => each.done).toSorted()).toEqual(ids.toSorted())

      const tasks = await store.read((tx) => tx.tasks.list(key))
      const owners = new Map(tasks.map((task) => [task.id as string, task.claimedBy]))
      for (const [index, each] of worked.entries()) {
        for (const id of each.done) expect(owners.get(id)).toBe(`w${index + 1}`)
      }
      expect(tasks.filter((task) => task.status !== "resolved" || task.claimToken !== 1)).toEqual([])
      const events = await allEvents(store, key)
      for (const type of ["task.created", "task.claimed", "task.resolved"] as const) {
        expect(tasksOf(events, type).toSorted()).toEqual(ids.toSorted())
      }
      expect((await store.inspect()).problems).toEqual([])
      const busiest = Math.max(...worked.map((each) => each.done.length))
      const idlest = Math.min(...worked.map((each) => each.done.length))
      console.log(`tasks per claimant: ${idlest} to ${busiest}`)
    },
    TIMEOUT_MS,
  )

  it(
    "send 1,600 messages from 64 processes while others read: none lost, none new twice, each sender's in order",
    async () => {
      await using house = await makeHouse()
      const { store, key, address, crew } = house
      const workers = ["w1", "w2"]
      for (const id of workers) await store.write((tx) => tx.workers.put(key, parseWorkerId(id), {}))
      const inboxes = ["orchestrator", ...workers]
      // Two readers of the same inboxes share the messages between them.
      const readers = numbered(2, (number) =>
        crew.start("reads-messages.ts", { name: `reader${number}`, store: address, inboxes }),
      )
      const senders = numbered(64, (number) => {
        const isLead = number % 16 === 0
        return crew.start("sends-messages.ts", {
          name: `sender${number}`,
          store: address,
          from: isLead ? "orchestrator" : `sender${number}`,
          to: isLead ? ["all"] : inboxes,
          count: 25,
        })
      })
      await startTogether([...readers, ...senders])
      const sent = await Promise.all(
        senders.map((member) => member.next<{ sent: { id: string; to: string }[]; errors: unknown[] }>()),
      )
      for (const reader of readers) reader.tell("all sent")
      const read = await Promise.all(
        readers.map((member) =>
          member.next<{ seen: { id: string; inbox: string; message: string }[]; errors: unknown[] }>(),
        ),
      )
      expect([...sent, ...read].flatMap((each) => each.errors)).toEqual([])
      const acknowledged = sent.flatMap((each) => each.sent.map(({ id, to }) => `${to} ${id}`))
      expect(acknowledged).toHaveLength(60 * 25 + 4 * 25 * workers.length)
      const seen = read.flatMap((each) => each.seen)
      expect(seen.map(({ id, inbox }) => `${inbox} ${id}`).toSorted()).toEqual(acknowledged.toSorted())
      for (const { seen } of read) expectSendersInOrder(seen)
      const events = await allEvents(store, key)
      const told = events
        .filter((event) => event.type === "message.read")
        .flatMap((event) => event.data.ids as string[])
      expect(told.toSorted()).toEqual(seen.map(({ id }) => id).toSorted())
      expect(events.filter((event) => event.type === "message.sent")).toHaveLength(acknowledged.length)
      expect(await store.read((tx) => tx.messages.countUnread(key))).toEqual([])
      console.log(`messages per reader: ${read.map((each) => each.seen.length).join(" and ")}`)
    },
    TIMEOUT_MS,
  )

  it(
    "make and migrate a fresh file, ten at once",
    async () => {
      using scratch = makeScratch("chaos")
      await using crew = makeCrew()
      const starters = numbered(10, (number) => crew.start("opens-stores.ts", { name: `starter${number}`, store: "" }))
      for (const starter of starters) await starter.next()
      for (let round = 1; round <= 10; round += 1) {
        const path = join(scratch.path, `round${round}`, "teamwork.db")
        for (const starter of starters) starter.tell(`sqlite:${path}`)
        const reports = await Promise.all(starters.map((starter) => starter.next()))
        for (const report of reports) expect(report).toMatchObject({ kind: "sqlite", place: path, problems: [] })
        await using store = await openSqliteStore({ path, clock: systemClock })
        const { key } = await makeTeam(store)
        expect((await makeTask(store, key, "1")).status).toBe("open")
      }
    },
    TIMEOUT_MS,
  )

  it(
    "wait for the lock of another process with the event loop running",
    async () => {
      await using house = await makeHouse()
      await makeTask(house.store, house.key, "1")
      const holder = house.crew.start("holds-the-lock.ts", { name: "holder", store: house.address })
      expect(await holder.next<string>()).toBe("holding")
      const waiter = house.crew.start("waits-for-the-lock.ts", { name: "w1", store: house.address })
      // Its timer went on ticking for half a second while the claim could not go on.
      expect(await waiter.next<string>()).toBe("ticking")
      holder.tell("release")
      const report = await waiter.next<{ id: string; ticks: number; longestGapsMs: [number, number] }>()
      expect(report.id).toBe("1")
      // It tries every few milliseconds, and each time would be such a gap; a machine that stands still makes one.
      const [longest, next] = report.longestGapsMs
      expect(next).toBeLessThan(1000)
      console.log(`longest gap of the event loop while waiting: ${longest.toFixed(1)} ms`)
    },
    TIMEOUT_MS,
  )
})

async function makeHouse() {
  const scratch = makeScratch("chaos")
  const path = join(scratch.path, "teamwork.db")
  const store: Store = await openSqliteStore({ path, clock: systemClock })
  const { key } = await makeTeam(store)
  const crew = makeCrew()
  return {
    store,
    key,
    crew,
    address: `sqlite:${path}`,
    async [Symbol.asyncDispose]() {
      await crew[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

function numbered<T>(count: number, make: (number: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index + 1))
}

function tasksOf(events: readonly Event[], type: Event["type"]): string[] {
  return plainEvents(events)
    .filter((event) => event.type === type)
    .map((event) => String(event.data.task))
}

/** Texts are `sender number`; within an inbox the numbers of one sender only go up. */
function expectSendersInOrder(seen: readonly { inbox: string; message: string }[]): void {
  const latest = new Map<string, number>()
  for (const { inbox, message } of seen) {
    const [sender = "", number = ""] = message.split(" ")
    const line = `${inbox} ${sender}`
    expect(Number(number)).toBeGreaterThan(latest.get(line) ?? -1)
    latest.set(line, Number(number))
  }
}
