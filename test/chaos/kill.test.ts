// Participants are killed at random while they work, and once the database server under them. What was acknowledged is
// there afterwards, what was abandoned is finished by others, and no task ever had two holders.

import { describe, expect, it } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { unreachable } from "../../src/lib/unreachable.ts"
import type { Store } from "../../src/store/port.ts"
import { isMet } from "../../src/tasks/task.ts"
import type { Entry } from "../fixtures/participants/lives-dangerously.ts"
import { openStore } from "../fixtures/participants/participant.ts"
import { seededRandom } from "../fixtures/participants/seeded-random.ts"
import { type PlainEvent, plainEvents } from "../support/plain-events.ts"
import { freshSchema, startPostgres } from "../support/postgres.ts"
import { runCli } from "../support/run-cli.ts"
import { makeScratch } from "../support/sandbox.ts"
import { allEvents, claimRequest, finishRequest, makeTeam, TEAM, until } from "../support/stores.ts"
import { type Crew, type Member, makeCrew } from "./crew.ts"

const TIMEOUT_MS = 90_000
const PARTICIPANTS = 8
const LEASE_MS = 400
const INBOXES = ["inbox1", "inbox2", "inbox3"]
/** A kill comes at a random moment of a participant's life, at most this long after it was ready. */
const KILL_WITHIN_MS = 80

/** CHAOS_SEED repeats the choices of an earlier run; the timing of the machine is its own. */
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)

interface Scene {
  readonly address: string
  readonly home: string
  readonly crew: Crew
  readonly random: () => number
}

describe("kill -9", () => {
  it(
    "of 100 participants loses nothing on SQLite",
    async () => {
      using scratch = makeScratch("chaos")
      const path = join(scratch.path, "teamwork.db")
      await rampage({ address: `sqlite:${path}`, home: scratch.path, kills: 100 })
    },
    TIMEOUT_MS,
  )

  it(
    "of 20 participants loses nothing on PostgreSQL",
    async () => {
      using scratch = makeScratch("chaos")
      await using schema = await freshSchema()
      await rampage({ address: schema.url, home: scratch.path, kills: 20 })
    },
    TIMEOUT_MS,
  )

  it(
    "of the PostgreSQL server loses nothing, and everybody goes on after its return",
    async () => {
      using scratch = makeScratch("chaos")
      await using server = await startPostgres({ fsync: true })
      await using crew = makeCrew()
      const scene = { address: server.url, home: scratch.path, crew, random: seeded() }
      await prepare(scene)
      const members = Array.from({ length: 4 }, (_, index) => startDangerous(scene, `p${index + 1}`))
      const acknowledged = (member: Member) => readLog(scene.home, member.name).filter(isAcknowledged).length
      const all = (condition: (member: Member) => boolean) => async () => members.every(condition)
      await until(
        all((member) => acknowledged(member) >= 20),
        "work before the crash",
      )
      process.kill(server.pid, "SIGKILL")
      const isAway = (member: Member) => readLog(scene.home, member.name).some((entry) => entry.kind === "unavailable")
      await until(all(isAway), "every participant noticing that the server is away")
      const before = new Map(members.map((member) => [member.name, acknowledged(member)]))
      await server.restart()
      const wentOn = (member: Member) => acknowledged(member) >= (before.get(member.name) ?? 0) + 20
      await until(all(wentOn), "every participant going on after the restart")
      for (const member of members) member.tell("stop")
      for (const member of members) expect(await member.ended).toBe(0)
      await expectIntact(scene)
    },
    TIMEOUT_MS,
  )
})

async function rampage({ address, home, kills }: { address: string; home: string; kills: number }): Promise<void> {
  await using crew = makeCrew()
  const scene = { address, home, crew, random: seeded() }
  await prepare(scene)
  // Chance leaves most claims behind; this one is sure to be.
  const first = startDangerous(scene, "first", { diesHolding: true })
  expect(await first.ended).toBe("SIGKILL")
  let count = 0
  const enter = () => {
    count += 1
    const member = startDangerous(scene, `p${count}`)
    return { member, ready: member.next().catch(() => "killed before") }
  }
  const crowd = Array.from({ length: PARTICIPANTS }, enter)
  for (let killed = 0; killed < kills; killed += 1) {
    const index = Math.floor(scene.random() * crowd.length)
    const victim = crowd[index]
    if (victim === undefined) throw new Error("nobody to kill")
    // Now and then one dies while it still starts.
    if (scene.random() > 0.1) await victim.ready
    await Bun.sleep(scene.random() * KILL_WITHIN_MS)
    expect(victim.member.isAlive()).toBe(true)
    victim.member.kill()
    crowd[index] = enter()
  }
  for (const { ready } of crowd) await ready
  // The last ones all at once: nobody is left to tidy up.
  for (const { member } of crowd) member.kill()
  for (const { member } of crowd) expect(await member.ended).toBe("SIGKILL")
  expect(await expectIntact(scene)).toContain("first")
}

function seeded(): () => number {
  console.log(`seed ${SEED}: repeat with CHAOS_SEED=${SEED}`)
  return seededRandom(SEED)
}

async function prepare({ address, home }: Scene): Promise<void> {
  mkdirSync(join(home, "logs"))
  await using store = await openStore(address)
  const { key } = await makeTeam(store)
  for (const id of INBOXES) await store.write((tx) => tx.workers.put(key, parseWorkerId(id), {}))
}

function startDangerous(
  { address, home, crew, random }: Scene,
  name: string,
  more: { diesHolding?: boolean } = {},
): Member {
  return crew.start("lives-dangerously.ts", {
    ...more,
    name,
    store: address,
    log: join(home, "logs", name),
    seed: Math.floor(random() * 1_000_000),
    leaseSeconds: LEASE_MS / 1000,
    inboxes: INBOXES,
  })
}

function readLog(home: string, name: string): Entry[] {
  const path = join(home, "logs", name)
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  // What follows the last end of line was cut off by the kill.
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

function isAcknowledged(entry: Entry): boolean {
  return entry.kind !== "unavailable" && entry.kind !== "error"
}

/** Returns from whom tasks were taken over. */
async function expectIntact(scene: Scene): Promise<unknown[]> {
  // An ordinary call comes first, and meets whatever the killed ones left behind.
  const flags = ["--store", scene.address, "--project", TEAM.project, "--team", TEAM.team, "--json"]
  const call = await runCli(["project", "status", ...flags], { home: scene.home })
  expect(call).toMatchObject({ exitCode: 0, stderr: "" })
  const names = readdirSync(join(scene.home, "logs"))
  const logs = names.flatMap((name) => readLog(scene.home, name).map((entry) => ({ name, entry })))
  await using store = await openStore(scene.address)
  expect((await store.inspect()).problems).toEqual([])
  const key = (await store.read((tx) => tx.teams.find(TEAM)))?.key ?? 0
  await expectCountersRight(store, key)
  const finished = await finishTheRest(store, key)
  const events = plainEvents(await allEvents(store, key))
  await expectAcknowledged(store, key, { logs, events })
  expectOneHolderAtATime(events)
  await expectCountersRight(store, key)
  const doctor = await runCli(["doctor", "--store", scene.address, "--json"], { home: scene.home })
  const { data } = doctor.json<{ data: { healthy: boolean; findings: { check: string; status: string }[] } }>()
  expect(data.healthy).toBe(true)
  for (const check of ["store", "house/main: needs", "house/main: claims"]) {
    expect(data.findings).toContainEqual(expect.objectContaining({ check, status: "ok" }))
  }
  const claims = events.filter((event) => event.type === "task.claimed")
  const takenOver = claims.map((event) => event.data.taken_over_from).filter((owner) => owner !== null)
  const acknowledged = logs.filter(({ entry }) => isAcknowledged(entry)).length
  console.log(
    `${acknowledged} writes acknowledged, ${takenOver.length} tasks taken over, ${finished} finished at the end`,
  )
  return takenOver
}

/** Claims come back when their lease runs out; whoever asks then gets them. */
async function finishTheRest(store: Store, key: number): Promise<number> {
  const owner = "finisher"
  let finished = 0
  await until(async () => {
    const claimed = await store.claimTask(claimRequest(owner))
    if (claimed === undefined) {
      const counts = await store.read((tx) => tx.tasks.progress(key))
      return counts.every((row) => row.status === "resolved")
    }
    await store.finishTask(finishRequest(claimed.task.id, { owner, token: claimed.task.claimToken }))
    finished += 1
    return false
  }, "the end of all tasks")
  return finished
}

async function expectAcknowledged(
  store: Store,
  key: number,
  { logs, events }: { logs: { name: string; entry: Entry }[]; events: readonly PlainEvent[] },
): Promise<void> {
  const tasks = new Map((await store.read((tx) => tx.tasks.list(key))).map((task) => [task.id as string, task]))
  const facts = new Set(events.map((event) => `${event.type} ${event.by} ${event.data.task} ${event.data.token}`))
  const messages = new Set<string>()
  for (const inbox of INBOXES) {
    for (const { id, to } of await store.read((tx) => tx.messages.list(key, inbox, {}))) messages.add(`${to} ${id}`)
  }
  const readings = events
    .filter((event) => event.type === "message.read")
    .flatMap((event) => event.data.ids as string[])
  expect(new Set(readings).size).toBe(readings.length)
  const readOnce = new Set(readings)
  const seenAsNew = logs.flatMap(({ entry }) => (entry.kind === "read" ? entry.ids : []))
  expect(new Set(seenAsNew).size).toBe(seenAsNew.length)

  const isWrong = ({ name, entry }: { name: string; entry: Entry }): boolean => {
    switch (entry.kind) {
      case "created":
        return !tasks.has(entry.id)
      case "claimed":
        return !facts.has(`task.claimed ${name} ${entry.id} ${entry.token}`)
      case "resolved":
        return (
          !facts.has(`task.resolved ${name} ${entry.id} ${entry.token}`) || tasks.get(entry.id)?.status !== "resolved"
        )
      case "sent":
        return !entry.ids.every((id) => messages.has(`${entry.to} ${id}`))
      case "read":
        return !entry.ids.every((id) => readOnce.has(id))
      case "unavailable":
        return false
      case "error":
        // Its lease ran out, on a busy machine, before it was done: its own fault, and the only one there may be.
        return entry.code !== "claim.lost"
      default:
        return unreachable(entry)
    }
  }
  const wrong = logs.filter(isWrong).map(({ name, entry }) => `${name}: ${JSON.stringify(entry)}`)
  expect({ count: wrong.length, first: wrong.slice(0, 5) }).toEqual({ count: 0, first: [] })
  const created = events.filter((event) => event.type === "task.created").map((event) => String(event.data.task))
  expect(created.toSorted()).toEqual([...tasks.keys()].toSorted())
}

/** Follows every task through its events: needs come first, and a second holder only after the lease of the first. */
function expectOneHolderAtATime(events: readonly PlainEvent[]): void {
  const holders = new Map<string, { owner: string; token: number; since: number }>()
  const tokens = new Map<string, number>()
  const resolved = new Set<string>()
  const needs = new Map<string, string[]>()
  for (const event of events) {
    const id = String(event.data.task)
    const token = Number(event.data.token)
    const at = Date.parse(event.timestamp)
    const holder = holders.get(id)
    if (event.type === "task.created") needs.set(id, event.data.blocked_by as string[])
    else if (event.type === "task.claimed") {
      expect((needs.get(id) ?? ["never created"]).filter((need) => !resolved.has(need))).toEqual([])
      expect(resolved.has(id)).toBe(false)
      expect(token).toBe((tokens.get(id) ?? 0) + 1)
      expect(event.data.taken_over_from).toBe(holder?.owner ?? null)
      if (holder !== undefined) expect(at).toBeGreaterThan(holder.since + LEASE_MS)
      tokens.set(id, token)
      holders.set(id, { owner: event.by, token, since: at })
    } else if (event.type === "task.resolved") {
      expect(resolved.has(id)).toBe(false)
      expect({ owner: event.by, token }).toMatchObject({ owner: holder?.owner ?? "", token: holder?.token ?? 0 })
      holders.delete(id)
      resolved.add(id)
    }
  }
  expect(holders.size).toBe(0)
}

async function expectCountersRight(store: Store, key: number): Promise<void> {
  const { tasks, graph } = await store.read(async (tx) => ({
    tasks: await tx.tasks.list(key),
    graph: new Map((await tx.tasks.graph(key)).map((node) => [node.id, node])),
  }))
  for (const task of tasks) {
    const unmet = task.blockedBy.filter((need) => !isMet(graph.get(parseTaskId(need))?.status ?? "open")).length
    expect(`${task.id} waits for ${task.unmet}`).toBe(`${task.id} waits for ${unmet}`)
  }
  expect(await store.write((tx) => tx.tasks.repairUnmet(key))).toEqual([])
}
