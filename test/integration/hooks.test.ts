// Whatever an agent program says of a session that has joined: the answer is valid, nothing fails, and the same words
// once more change nothing. With a real store and its files.
import { expect, it } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join as joinPath } from "node:path"
import fc from "fast-check"
import type { Session } from "../../src/app/command.ts"
import type { Configured, Host } from "../../src/app/host.ts"
import { hook } from "../../src/doors/hooks/hook.ts"
import { HOSTS, type HostName } from "../../src/doors/hooks/hook-call.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import { writeMarker } from "../../src/sessions/effects/seat-marker.ts"
import { join } from "../../src/sessions/operations/seats.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { makeScratch } from "../support/sandbox.ts"
import { context, DEFAULT_SETTINGS, run, snapshot, TEAM } from "../support/stores.ts"

const EVENTS = ["session-start", "prompt", "stop", "subagent-stop", "task-completed", "teammate-idle", "session-end"]
const SESSION = "s1"

/** A team with a task that the session holds, one that is ready, and a message. */
async function makeScene() {
  const scratch = makeScratch("hooks")
  const home = scratch.path
  const path = joinPath(home, "teamwork.db")
  const openStore = () => openSqliteStore({ path, clock: systemClock })
  const store = await openStore()
  const house = context(store)
  await run(house, createTeam, { goal: "a house" })
  for (const title of ["walls", "roof"]) await run(house, createTask, { title })
  await run(house, join, { terminalId: SESSION, loop: true })
  await run(house, claimTask, { id: "1", owner: "w1" })
  await run(house, sendMessage, { from: "orchestrator", to: "w1", message: "hello" })
  await writeMarker(home, SESSION, TEAM)
  const key = (await store.read((tx) => tx.teams.find(TEAM)))?.key ?? 0
  const ownSettings = { file: "", needTrust: [], untrusted: [] }
  const configured = { ...TEAM, home, settings: DEFAULT_SETTINGS, ownSettings, hasStore: async () => true, openStore }
  return {
    /** What the hook prints. */
    async call(event: string, host: HostName, input: string): Promise<string> {
      const printed: string[] = []
      const io = { input: async () => input, out: (text: string) => printed.push(text) }
      const configure = async () => configured as unknown as Configured
      const machine = { io, home, clock: systemClock, ids: systemIds, configure } as unknown as Host
      await hook.run({ host: machine } as Session, { event, host })
      return printed.join("\n")
    },
    /** All but the times at which somebody was heard of. */
    async state() {
      const seats = await store.read(async (tx) => [await tx.seats.list(key), (await tx.loops.find(SESSION)) ?? null])
      const all = JSON.stringify([await snapshot(store, key), seats])
      return all.replaceAll(/"(leaseUntil|lastHeartbeat|updatedAt)":"[^"]*"/g, '"$1":"-"')
    },
    log: () => {
      const file = joinPath(home, "hooks.log")
      return existsSync(file) ? readFileSync(file, "utf8") : ""
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

const KEYS = ["cwd", "stop_hook_active", "prompt", "last_assistant_message", "source", "reason", "timestamp", "version"]
const anyRaw = fc
  .dictionary(fc.oneof(fc.constantFrom(...KEYS), fc.string()), fc.oneof(fc.boolean(), fc.string(), fc.jsonValue()))
  .map((raw) => ({ ...raw, session_id: SESSION }))

it("answers anything, and the same once more changes nothing", async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...HOSTS),
    fc.array(fc.tuple(fc.constantFrom(...EVENTS), anyRaw), { minLength: 1, maxLength: 5 }),
    async (host, calls) => {
      await using scene = await makeScene()
      for (const [event, raw] of calls) {
        const input = JSON.stringify(raw)
        const first = await scene.call(event, host, input)
        if (first !== "") expect(Array.isArray(JSON.parse(first))).toBe(false)
        const after = await scene.state()
        await scene.call(event, host, input)
        expect(await scene.state()).toBe(after)
      }
      expect(scene.log()).toBe("")
    },
  )
  await fc.assert(property, { numRuns: 30 })
}, 60_000)

it("answers anything that is not JSON with nothing, and writes down why", async () => {
  await using scene = await makeScene()
  const before = await scene.state()
  const noJson = fc.string().filter((text) => !isJson(text))
  const property = fc.asyncProperty(
    fc.constantFrom(...HOSTS),
    fc.constantFrom(...EVENTS),
    noJson,
    async (host, event, text) => {
      expect(await scene.call(event, host, text)).toBe("")
    },
  )
  await fc.assert(property, { numRuns: 50 })
  expect(await scene.state()).toBe(before)
  expect(scene.log().trim().split("\n")).toHaveLength(50)
}, 60_000)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
