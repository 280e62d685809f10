// Mirrors are killed at random while they write, and two of them write the same folder. Every file is the old or the new
// one at any moment, nobody takes our own work for an edit by hand, and the next export has everything right.
import { describe, expect, it } from "bun:test"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { exportTeam } from "../../src/files/mirror/mirror.ts"
import { readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import type { Context } from "../../src/store/operation.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { deleteTask } from "../../src/tasks/operations/delete-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { openStore } from "../fixtures/participants/participant.ts"
import { seededRandom } from "../fixtures/participants/seeded-random.ts"
import { makeScratch } from "../support/sandbox.ts"
import { context, makeTeam, run, TEAM } from "../support/stores.ts"
import { makeCrew } from "./crew.ts"

const TIMEOUT_MS = 90_000
const KILLS = 12
/** A kill comes at most this long after the start, which is somewhere between the first read and the first changes. */
const KILL_WITHIN_MS = 400
const TASKS = 150

/** CHAOS_SEED repeats the choices of an earlier run; the timing of the machine is its own. */
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)

/** Something that changes files of every kind: new ones, old ones, logs that grow, a log that is written anew. */
async function work(ctx: Context, random: () => number): Promise<void> {
  await run(ctx, createTask, { title: "t", description: "x".repeat(Math.floor(random() * 20_000)) })
  const { task } = await run(ctx, claimTask, { next: true, owner: "w1" })
  await run(ctx, sendMessage, { from: "w1", to: "orchestrator", message: "y".repeat(Math.floor(random() * 5000)) })
  await run(ctx, updateTask, { id: task.id, status: "resolved", workerId: "w1", addEvidence: ["seen"] })
  if (random() < 0.5) await run(ctx, readMailbox, { inbox: "orchestrator", unreadOnly: true, markRead: true })
  if (random() < 0.3) await run(ctx, deleteTask, { id: task.id, force: true })
}

function contentsOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.includes(".teamwork-export") && statSync(join(folder, path)).isFile(),
  )
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(folder, path), "utf8")]))
}

/** Whole files only; what is appended may be cut off in its last line. */
function expectWhole(folder: string): void {
  if (!existsSync(folder)) return // killed before it wrote anything
  for (const [path, text] of Object.entries(contentsOf(folder))) {
    if (path.endsWith(".json")) expect(() => JSON.parse(text)).not.toThrow()
    if (path.endsWith(".jsonl")) for (const line of text.split("\n").slice(0, -1)) JSON.parse(line)
  }
}

async function expectSameAsFresh(ctx: Context, folder: string): Promise<void> {
  using fresh = makeScratch("fresh")
  await exportTeam(ctx, TEAM, { folder: fresh.path })
  expect(contentsOf(folder)).toEqual(contentsOf(fresh.path))
}

describe("mirrors in processes of their own", () => {
  it(
    `are killed ${KILLS} times and leave a folder that the next export trusts`,
    async () => {
      console.log(`seed ${SEED}: repeat with CHAOS_SEED=${SEED}`)
      const random = seededRandom(SEED)
      using scratch = makeScratch("chaos")
      const address = `sqlite:${join(scratch.path, "teamwork.db")}`
      const folder = join(scratch.path, "out")
      await using store = await openStore(address)
      await using crew = makeCrew()
      const ctx = context(store)
      await makeTeam(store)
      for (let count = 0; count < TASKS; count++) await run(ctx, createTask, { title: "t" })
      for (let kill = 0; kill < KILLS; kill++) {
        const member = crew.start("mirrors-a-team.ts", { name: `m${kill}`, store: address, folder })
        // Half of them die during or right after the first writing of everything, half while they follow.
        if (kill % 2 === 0) await member.next()
        const killAt = performance.now() + random() * KILL_WITHIN_MS
        while (performance.now() < killAt) await work(ctx, random)
        expect(member.isAlive()).toBe(true)
        member.kill()
        expect(await member.ended).toBe("SIGKILL")
        expectWhole(folder)
        if (kill % 3 !== 0) continue // the next mirror finds it as it is
        expect(await exportTeam(ctx, TEAM, { folder })).toMatchObject({ edited: [] })
        await expectSameAsFresh(ctx, folder)
      }
      const last = crew.start("mirrors-a-team.ts", { name: "last", store: address, folder })
      await last.next()
      await work(ctx, random)
      last.tell("stop")
      expect(await last.next<unknown>()).toEqual({ edited: [] })
      expect(await last.ended).toBe(0)
      await expectSameAsFresh(ctx, folder)
      expect(readdirSync(folder).filter((name) => name.includes(".tmp-"))).toEqual([])
    },
    TIMEOUT_MS,
  )

  it(
    "write the same folder at once without taking each other for somebody else",
    async () => {
      using scratch = makeScratch("chaos")
      const address = `sqlite:${join(scratch.path, "teamwork.db")}`
      const folder = join(scratch.path, "out")
      await using store = await openStore(address)
      await using crew = makeCrew()
      const ctx = context(store)
      await makeTeam(store)
      for (let count = 0; count < TASKS; count++) await run(ctx, createTask, { title: "t" })
      const members = ["one", "two"].map((name) => crew.start("mirrors-a-team.ts", { name, store: address, folder }))
      const random = seededRandom(SEED)
      for (let round = 0; round < 10; round++) await work(ctx, random)
      for (const member of members) await member.next()
      for (let round = 0; round < 30; round++) await work(ctx, random)
      expect(await exportTeam(ctx, TEAM, { folder })).toMatchObject({ edited: [] })
      await work(ctx, random)
      for (const member of members) member.tell("stop")
      for (const member of members) expect(await member.next<unknown>()).toEqual({ edited: [] })
      await expectSameAsFresh(ctx, folder)
      expect(await exportTeam(ctx, TEAM, { folder })).toMatchObject({ written: 0, removed: 0, edited: [] })
    },
    TIMEOUT_MS,
  )
})
