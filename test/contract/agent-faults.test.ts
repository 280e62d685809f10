// What is remembered of programs that failed, on every store: backoff, circuit breaker, and the one run that tries again.
import { describe, expect, it } from "bun:test"
import type { FaultLimits } from "../../src/agents/agent-fault.ts"
import { noteRun } from "../../src/agents/jobs/note-agent-run.ts"
import {
  admitRun,
  type NotedRun,
  noteAgentRun,
  readAgentHealth,
  renewProbe,
  resetAgent,
} from "../../src/agents/operations/agent-health.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { askAboutAgent } from "../../src/requests/operations/ask-about-agent.ts"
import { decide, listEscalations } from "../../src/requests/operations/escalations.ts"
import type { Context } from "../../src/store/operation.ts"
import { allEvents, context, makeTeam, run, STORES, TEAM } from "../support/stores.ts"

const LIMITS: FaultLimits = { backoffMs: [5000, 10_000, 20_000], leaveOutMs: 300_000, maxLeaveOutMs: 3_600_000 }
const MINUTE = 60_000

const fault = (house: Context, more: Partial<NotedRun> = {}) =>
  noteAgentRun(house, {
    ...{ ...TEAM, agent: "codex", runId: "r", reason: "crashed", error: "exit code 3\nmore", durationMs: 0 },
    ...{ fingerprint: "f", limits: LIMITS, ...more },
  })
const asks = (house: Context, runId: string, fingerprint = "f") =>
  admitRun(house, { agent: "codex", runId, fingerprint, leaseMs: MINUTE })

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(`faults of programs: ${name}`, () => {
    /** As if everything that is noted had been noted that much earlier. */
    const wait = (house: Context, ms: number) =>
      house.store.write(async (tx) => {
        const known = await tx.agentFaults.lock("codex")
        if (known === undefined) throw new Error("no fault is noted")
        const probe = known.probe && { ...known.probe, until: known.probe.until - ms }
        await tx.agentFaults.put({ ...known, notedAt: known.notedAt - ms, until: known.until - ms, probe })
      })
    const waitOf = async (house: Context) => {
      const { now, faults } = await run(house, readAgentHealth, {})
      return Math.round(((faults.codex?.until ?? 0) - Date.parse(now)) / 1000)
    }

    it("F035: wait 5, 10 and 20 s, then minutes that grow to a limit, and one good run ends it", async () => {
      await using db = await makeDatabase()
      const [one, other] = [context(await db.connect()), context(await db.connect())]
      const { key } = await makeTeam(one.store)
      const waits: number[] = []
      for (let at = 1; at <= 9; at++) {
        await fault(one, { runId: `r${at}` })
        waits.push(await waitOf(other))
        await wait(other, 2 * 3_600_000)
        expect(await asks(other, `r${at + 1}`)).toEqual({ isProbe: true })
      }
      expect(waits).toEqual([5, 10, 20, 300, 600, 1200, 2400, 3600, 3600])
      await fault(other, { runId: "r10", reason: "done", error: "" })
      expect((await run(one, readAgentHealth, {})).faults).toEqual({})
      const events = (await allEvents(one.store, key)).filter(({ type }) => type.startsWith("agent."))
      expect(events.map(({ type, data }) => `${type} ${"is_open" in data ? data.is_open : ""}`)).toEqual([
        ...Array(3).fill("agent.left_out false"),
        ...Array(6).fill("agent.left_out true"),
        "agent.taken_back ",
      ])
      expect(events[0]).toMatchObject({ by: "codex", data: { agent: "codex", reason: "crashed" } })
    })

    it("F035: of runs that fail together one counts, and none is admitted meanwhile", async () => {
      await using db = await makeDatabase()
      const houses = [await db.connect(), await db.connect(), await db.connect()].map((each) => context(each))
      const [one] = houses
      if (one === undefined) throw new Error("no store")
      await Promise.all(houses.map((house, at) => fault(house, { runId: `r${at}`, durationMs: 1000 })))
      const { faults } = await run(one, readAgentHealth, {})
      expect(faults.codex).toMatchObject({ faults: 1, isOpen: false, reason: "crashed", error: "exit code 3\nmore" })
      expect(await asks(one, "next")).toMatchObject({ fault: { agent: "codex" }, until: faults.codex?.until as number })
      // A good run that began before says nothing of the program since.
      await fault(one, { reason: "done", durationMs: MINUTE })
      expect((await run(one, readAgentHealth, {})).faults.codex).toMatchObject({ faults: 1 })
    })

    it("F035: admits exactly one run at a time after the wait, until it ends or its lease does", async () => {
      await using db = await makeDatabase()
      const houses = [await db.connect(), await db.connect(), await db.connect()].map((each) => context(each))
      const [one] = houses
      if (one === undefined) throw new Error("no store")
      await fault(one)
      await wait(one, 6000)
      const admitted = await Promise.all(houses.map((house, at) => asks(house, `p${at}`)))
      const winner = admitted.findIndex((each) => "isProbe" in each)
      expect(admitted.filter((each) => "isProbe" in each)).toEqual([{ isProbe: true }])
      expect(await asks(one, `p${winner}`)).toEqual({ isProbe: true })
      // A run that was stopped says nothing: the next one may try.
      await fault(one, { runId: `p${winner}`, reason: "cancelled", error: "" })
      expect(await asks(one, "p8")).toEqual({ isProbe: true })
      expect(await asks(one, "p9")).toMatchObject({ fault: { faults: 1 } })
      await wait(one, MINUTE + 1000)
      expect(await asks(one, "p9")).toEqual({ isProbe: true })
    })

    it("F035: trusts a program in its first waits once its model answered, an open one only at the end", async () => {
      await using db = await makeDatabase()
      const house = context(await db.connect())
      await fault(house)
      await wait(house, 6000)
      await asks(house, "p1")
      const answered = { agent: "codex", runId: "p1", leaseMs: MINUTE, hasAnswered: true }
      await renewProbe(house, answered)
      expect(await asks(house, "p2")).toEqual({ isProbe: false })
      for (const at of [2, 3, 4]) {
        await fault(house, { runId: `x${at}` })
        await wait(house, 3_600_000)
      }
      expect((await run(house, readAgentHealth, {})).faults.codex).toMatchObject({ faults: 4, isOpen: true })
      await asks(house, "p5")
      await renewProbe(house, { ...answered, runId: "p5" })
      expect(await asks(house, "p6")).toMatchObject({ fault: { isOpen: true } })
    })

    it("leaves out at once what waiting does not heal, until the program changes or a person says so", async () => {
      await using db = await makeDatabase()
      const house = context(await db.connect())
      const { key } = await makeTeam(house.store)
      for (const reason of ["auth", "not-found", "unknown-model"] as const) {
        await fault(house, { reason, error: "log in first" })
        expect(await waitOf(house)).toBe(3600)
        expect(await asks(house, "p1")).toMatchObject({ fault: { isOpen: true, faults: 1 } })
        expect(await asks(house, "p1", "logged in")).toEqual({ isProbe: true })
        expect(await run(house, resetAgent, { agent: "codex" })).toMatchObject({ fault: { reason } })
        expect(await asks(house, "p2")).toEqual({ isProbe: false })
      }
      expect(await run(house, resetAgent, { agent: "codex" })).toMatchObject({ fault: null, limitedUntil: null })
      const types = (await allEvents(house.store, key)).map(({ type }) => type)
      expect(types.filter((type) => type === "agent.taken_back")).toHaveLength(3)
    })

    it("believe a server that says how long it needs, within the limit", async () => {
      await using db = await makeDatabase()
      const house = context(await db.connect())
      await fault(house, { reason: "overloaded", waitMs: 90_000 })
      expect(await waitOf(house)).toBe(90)
      await run(house, resetAgent, { agent: "codex" })
      await fault(house, { reason: "overloaded", waitMs: 90 * 3_600_000 })
      expect(await waitOf(house)).toBe(3600)
    })

    it("say nothing of a task that was refused, too large or too long: the program works", async () => {
      await using db = await makeDatabase()
      const house = context(await db.connect())
      for (const reason of ["refused", "context-overflow", "turn-limit", "looping", "permission"] as const) {
        await fault(house)
        await wait(house, 6000)
        await fault(house, { reason, error: "" })
        expect((await run(house, readAgentHealth, {})).faults).toEqual({})
      }
      for (const reason of ["timed-out", "budget", "cancelled"] as const) await fault(house, { reason, error: "" })
      expect((await run(house, readAgentHealth, {})).faults).toEqual({})
    })

    it("are asked about once for each program, and the answer or a good run settles it", async () => {
      await using db = await makeDatabase()
      const house = context(await db.connect())
      await makeTeam(house.store)
      for (const agent of ["codex", "codex", "claude"]) {
        await fault(house, { agent, reason: "auth" })
        await askAboutAgent(house, { ...TEAM, agent, summary: `${agent} is left out` })
      }
      const open = await run(house, listEscalations, {})
      expect(open).toMatchObject([
        { trigger: "tool_unavailable", taskId: null, about: "agent codex", options: ["go-on", "pause"] },
        { trigger: "tool_unavailable", taskId: null, about: "agent claude" },
      ])
      expect(await run(house, decide, { number: open[0]?.number ?? 0, option: "go-on" })).toMatchObject({
        outcome: "codex is tried again",
      })
      expect(Object.keys((await run(house, readAgentHealth, {})).faults)).toEqual(["claude"])
      await house.store.write(async (tx) => {
        const known = await tx.agentFaults.lock("claude")
        if (known !== undefined) await tx.agentFaults.put({ ...known, notedAt: known.notedAt - 10 })
      })
      const result = { reason: "done", error: "", retryAt: null, durationMs: 0 } as const
      const ended = { ...TEAM, agent: "claude", runId: "r", fingerprint: "f", result, clock: systemClock }
      expect(await noteRun({ ...ended, hasStore: async () => true, openContext: async () => house })).toBeUndefined()
      expect(await run(house, listEscalations, {})).toEqual([])
    })

    it("keep what a program says of its quota, until the window begins anew", async () => {
      await using db = await makeDatabase()
      const house = context(await db.connect())
      const window = { window: "5 h", usedPercent: 82, resetsAt: Date.now() + 3_600_000, status: "warning" } as const
      const past = { ...window, window: "7 d", resetsAt: Date.now() - 1000 }
      await fault(house, { reason: "done", error: "", quota: [window, past] })
      expect((await run(house, readAgentHealth, {})).quotas).toEqual({ codex: [window] })
      await fault(house, { reason: "done", error: "" })
      expect((await run(house, readAgentHealth, {})).quotas).toEqual({ codex: [window] })
    })
  })
}
