import { describe, expect, it } from "bun:test"
import { nextRateLimit, type RateLimit } from "./rate-limit.ts"

const MINUTE = 60_000
const NOW = 1_000_000_000
const next = (known: RateLimit | undefined, now: number, waitMs: number | null = null) =>
  nextRateLimit(known, { agent: "codex", now, waitMs })

describe("a rate limit", () => {
  it("lasts as long as the agent says, or a minute", () => {
    expect(next(undefined, NOW, 5 * MINUTE)).toEqual({
      agent: "codex",
      notedAt: NOW,
      until: NOW + 5 * MINUTE,
      times: 1,
    })
    expect(next(undefined, NOW).until).toBe(NOW + MINUTE)
  })

  it("lasts twice as long each time it is found again after its end, up to an hour", () => {
    let limit = next(undefined, NOW)
    const waits = Array.from({ length: 8 }, () => {
      const before = limit.until
      limit = next(limit, before)
      return (limit.until - before) / MINUTE
    })
    expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60, 60])
    for (let count = 0; count < 2000; count++) limit = next(limit, limit.until)
    expect(limit.until - limit.notedAt).toBe(60 * MINUTE)
  })

  it("is one limit when several run into it at once, and never ends sooner for that", () => {
    const first = next(undefined, NOW, 30 * MINUTE)
    expect(next(first, NOW + 1)).toEqual({ ...first, notedAt: NOW + 1 })
    expect(next(first, NOW + 1, 5 * MINUTE).until).toBe(first.until)
    expect(next(first, NOW + 1, 45 * MINUTE).until).toBe(NOW + 1 + 45 * MINUTE)
  })

  it("neither lies in the past nor beyond a week", () => {
    expect(next(undefined, NOW, -5).until).toBe(NOW)
    expect(next(undefined, NOW, 1e15).until).toBe(NOW + 7 * 24 * 60 * MINUTE)
  })
})
