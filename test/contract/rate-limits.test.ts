// What is remembered of the rate limits of agents, on every store.
import { describe, expect, it } from "bun:test"
import { type NotedRun, noteAgentRun, readAgentHealth } from "../../src/agents/operations/agent-health.ts"
import type { Context } from "../../src/store/operation.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { allEvents, context, makeTeam, run, STORES, TEAM } from "../support/stores.ts"

const MINUTE = 60_000

type Noted = Partial<NotedRun> & Pick<NotedRun, "agent" | "reason" | "durationMs">

const note = (context: Context, noted: Noted) =>
  noteAgentRun(context, { ...TEAM, runId: "1-1-1", error: "", fingerprint: "x", ...noted })

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(`rate limits: ${name}`, () => {
    it("are known to everybody who shares the store, until they are over", async () => {
      await using db = await makeDatabase()
      const [one, other] = [context(await db.connect()), context(await db.connect())]
      expect((await run(one, readAgentHealth, {})).until).toEqual({})
      const noted = { agent: "codex", reason: "rate-limited", waitMs: 90_000, durationMs: 5 } as const
      const { until } = await note(one, noted)
      const known = await run(other, readAgentHealth, {})
      expect(known.until).toEqual({ codex: String(until) })
      // By the store's clock, whatever that is.
      expect(Date.parse(String(until)) - Date.parse(known.now)).toBeGreaterThan(80_000)
      expect(Date.parse(String(until)) - Date.parse(known.now)).toBeLessThanOrEqual(90_000)
      await note(one, { ...noted, agent: "gemini", waitMs: 0 })
      expect(Object.keys((await run(other, readAgentHealth, {})).until)).toEqual(["codex"])
    })

    it("last a minute where nobody says how long, and are one limit for all who run into it at once", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      const contexts = [store, await db.connect(), await db.connect()].map((each) => context(each))
      const noted = { agent: "codex", reason: "rate-limited", durationMs: 5 } as const
      await Promise.all(contexts.map((each) => note(each, noted)))
      const [limit] = await store.read((tx) => tx.rateLimits.list())
      expect(limit).toMatchObject({ agent: "codex", times: 1 })
      expect((limit?.until ?? 0) - (limit?.notedAt ?? 0)).toBeLessThanOrEqual(MINUTE)
      await store.write((tx) => tx.rateLimits.remove("codex", Number.MAX_SAFE_INTEGER))
      await store.write((tx) => tx.rateLimits.put({ agent: "codex", notedAt: 1, until: 2, times: 2 }))
      await note(context(store), noted)
      const [again] = await store.read((tx) => tx.rateLimits.list())
      expect(again).toMatchObject({ times: 3 })
      expect((again?.until ?? 0) - (again?.notedAt ?? 0)).toBe(4 * MINUTE)
    })

    it("are noted when the last of them was, whoever comes to write it down later", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      for (const notedAt of [20, 10])
        await store.write((tx) => tx.rateLimits.put({ agent: "codex", notedAt, until: notedAt + 5, times: 1 }))
      expect(await store.read((tx) => tx.rateLimits.list())).toMatchObject([{ notedAt: 20, until: 25 }])
      // A run that began between the two knows nothing of the second.
      expect(await store.write((tx) => tx.rateLimits.remove("codex", 15))).toBe(false)
    })

    it("are forgotten when a run that began later went well, and not when it began before", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      const ctx = context(store)
      const { key } = await makeTeam(store)
      await note(ctx, { agent: "codex", reason: "rate-limited", durationMs: 0, waitMs: MINUTE })
      await note(ctx, { agent: "codex", reason: "done", durationMs: MINUTE })
      await note(ctx, { agent: "claude", reason: "done", durationMs: 0 })
      expect(Object.keys((await run(ctx, readAgentHealth, {})).until)).toEqual(["codex"])
      await store.write((tx) => tx.rateLimits.remove("codex", Number.MAX_SAFE_INTEGER))
      await store.write((tx) => tx.rateLimits.put({ agent: "codex", notedAt: 1, until: Date.now() + MINUTE, times: 1 }))
      await note(ctx, { agent: "codex", reason: "done", durationMs: 100 })
      expect((await run(ctx, readAgentHealth, {})).until).toEqual({})
      const events = (await allEvents(store, key)).filter(({ type }) => type.startsWith("agent."))
      expect(events).toMatchObject([
        { type: "agent.rate_limited", by: "codex", data: { agent: "codex", until: expect.stringMatching(/Z$/) } },
        { type: "agent.rate_limit_lifted", by: "codex", data: { agent: "codex" } },
      ])
    })

    it("hold without a team, and for the teams that come", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      const ctx = context(store)
      await note(ctx, { agent: "codex", reason: "rate-limited", durationMs: 0, waitMs: MINUTE })
      await run(ctx, createTeam, { goal: "x" })
      expect(Object.keys((await run(ctx, readAgentHealth, {})).until)).toEqual(["codex"])
      const key = (await store.read((tx) => tx.teams.find(TEAM)))?.key ?? 0
      await store.write((tx) => tx.teams.remove(key))
      expect(Object.keys((await run(ctx, readAgentHealth, {})).until)).toEqual(["codex"])
    })
  })
}
