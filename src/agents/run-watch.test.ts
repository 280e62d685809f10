import { describe, expect, it } from "bun:test"
import type { AgentEventBody, Limits, Waiting } from "./port.ts"
import { type RunWatch, watchRun } from "./run-watch.ts"
import type { Stop } from "./usage.ts"

const LIMITS: Limits = { turns: null, timeMs: null, tokens: null, dollars: null, outputBytes: null }

/** A clock that a test moves; sleepers wake when their time has come. */
function makeWorld(limits: Partial<Limits> = {}) {
  let now = 0
  let sleepers: { at: number; wake: () => void }[] = []
  const stops: Stop[] = []
  const ended = new AbortController()
  const watch: RunWatch = watchRun({
    limits: { ...LIMITS, ...limits },
    clock: { now: () => now },
    sleep: (ms) => new Promise((wake) => sleepers.push({ at: now + ms, wake })),
    stopFor: (stop) => stops.push(stop),
    ended: ended.signal,
  })
  const pass = async (ms: number) => {
    for (const end = now + ms; now < end; ) {
      now = Math.min(end, ...sleepers.map(({ at }) => at).filter((at) => at > now))
      const due = sleepers.filter(({ at }) => at <= now)
      sleepers = sleepers.filter(({ at }) => at > now)
      for (const { wake } of due) wake()
      await Bun.sleep(0)
    }
  }
  const wait = (reason: Waiting["reason"], inMs: number | null, retryAt: number | null = null) => {
    watch.hear(false)
    watch.see({ type: "waiting", reason, until: inMs === null ? null : now + inMs, retryAt, why: "busy" })
  }
  return { watch, stops, pass, wait, reasons: () => stops.map(({ reason }) => reason) }
}

describe("F034: an agent that waits for its provider", () => {
  it("is ended at once when it says that it will wait too long, with the time to try again", () => {
    const { wait, stops } = makeWorld()
    wait("rate-limited", 300_000, 300_000)
    expect(stops).toEqual([
      {
        reason: "rate-limited",
        retryAt: 300_000,
        error: "busy; it would try again at 1970-01-01T00:05:00.000Z",
      },
    ])
  })

  it("is ended when it has been trying again for too long", async () => {
    const { wait, pass, reasons } = makeWorld()
    for (let n = 0; n < 10; n++) {
      wait("overloaded", 1000)
      await pass(3500)
    }
    expect(reasons()[0]).toBe("overloaded")
  })

  it("is ended when it falls silent without saying for how long", async () => {
    const { wait, pass, reasons } = makeWorld()
    wait("unreachable", null)
    await pass(29_000)
    expect(reasons()).toEqual([])
    await pass(1000)
    expect(reasons()).toEqual(["unreachable"])
  })

  it("goes on when the trouble is over", async () => {
    const { wait, watch, pass, reasons } = makeWorld()
    for (let n = 0; n < 10; n++) {
      wait("overloaded", 8000)
      await pass(8000)
      wait("rate-limited", null)
      await pass(8000)
      watch.hear(true)
    }
    expect(reasons()).toEqual([])
  })

  it("is not ended while a request is under way that it made again", async () => {
    const { wait, pass, reasons } = makeWorld()
    wait("overloaded", 2000)
    await pass(120_000)
    expect(reasons()).toEqual([])
  })

  it("is ended soon when waiting does not help", async () => {
    const { wait, pass, reasons } = makeWorld()
    wait("auth", 600)
    await pass(600)
    wait("auth", 1000)
    await pass(1000)
    expect(reasons()).toEqual([])
    wait("auth", 2300)
    expect(reasons()).toEqual(["auth"])
  })

  it("may wait for as long as it likes when there is no limit", async () => {
    const { wait, pass, reasons } = makeWorld({ waitMs: null, silenceMs: null })
    wait("rate-limited", 3_600_000)
    wait("unreachable", null)
    await pass(10_000_000)
    expect(reasons()).toEqual([])
  })
})

describe("F041: an agent of which nothing is heard", () => {
  const tool = (id: string): AgentEventBody => ({ type: "tool_use", id, name: "Bash", files: [], input: "make" })

  it("hangs, unless one of its tools runs", async () => {
    const { watch, pass, stops } = makeWorld({ silenceMs: 60_000 })
    await pass(50_000)
    watch.hear(true)
    await pass(50_000)
    watch.see(tool("1"))
    await pass(500_000)
    expect(stops).toEqual([])
    watch.see({ type: "tool_result", id: "1", ok: true, output: "" })
    watch.hear(true)
    await pass(120_000)
    expect(stops).toEqual([{ reason: "hung", error: "stopped after 60 s of silence" }])
  })
})

describe("F041: an agent that repeats itself", () => {
  function repeat(calls: readonly [input: string, output: string, tookMs?: number][], rounds: number) {
    const { watch, pass, stops } = makeWorld({ silenceMs: null })
    const run = async () => {
      let id = 0
      for (let n = 0; n < rounds; n++)
        for (const [input, output, tookMs = 10] of calls) {
          watch.see({ type: "tool_use", id: String(++id), name: "Bash", files: [], input })
          await pass(tookMs)
          watch.see({ type: "tool_result", id: String(id), ok: true, output: output.replace("#", String(n)) })
        }
      return stops.map(({ error }) => error)[0]
    }
    return run()
  }

  it("is ended at the fifth call that is the same, with the same result", async () => {
    expect(await repeat([["cat a.txt", "good day"]], 4)).toBeUndefined()
    expect(await repeat([["cat a.txt", "good day"]], 5)).toBe(
      "made the same call with the same result 5 times in a row: Bash cat a.txt",
    )
  })

  it("is ended when it goes back and forth between two calls", async () => {
    const calls: [string, string][] = [
      ["cat a.txt", "a"],
      ["cat b.txt", "b"],
    ]
    expect(await repeat(calls, 7)).toBeUndefined()
    expect(await repeat(calls, 8)).toContain("in turn with another one")
  })

  it("goes on while results differ, or while each call waits for something", async () => {
    expect(await repeat([["npm test", "# failed"]], 30)).toBeUndefined()
    expect(await repeat([["sleep 10; gh run view", "in progress", 10_000]], 30)).toBeUndefined()
  })

  it("tells calls apart by all of their arguments", () => {
    const { watch, stops } = makeWorld()
    for (let n = 0; n < 10; n++) {
      watch.see({ type: "tool_use", id: String(n), name: "Edit", files: ["a.ts"], input: "a.ts", key: String(n) })
      watch.see({ type: "tool_result", id: String(n), ok: true, output: "updated" })
    }
    expect(stops).toEqual([])
  })
})
