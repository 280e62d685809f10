import { describe, expect, it } from "bun:test"
import { costOf, findPrice, readPrices, typicalCost } from "./prices.ts"
import { PROGRAMS } from "./programs.ts"

const BUILT_IN = PROGRAMS.flatMap(({ prices }) => prices)

describe("the table of prices", () => {
  it("is dated, and a row of one's own goes before it", () => {
    const own = readPrices([...BUILT_IN, "gpt-5.5=2/0.2/8@2027-01-31", "mine=0/0/1"])
    expect(findPrice(readPrices(BUILT_IN), "gpt-5.5")).toEqual({
      input: 5,
      cached: 0.5,
      output: 30,
      asOf: "2026-06-04",
    })
    expect(findPrice(own, "gpt-5.5")).toEqual({ input: 2, cached: 0.2, output: 8, asOf: "2027-01-31" })
    expect(findPrice(own, "mine")).toEqual({ input: 0, cached: 0, output: 1, asOf: "" })
    expect(findPrice(own, "sonnet")).toBeDefined()
  })

  it.each([
    ["gemini-2.5-pro", 1.25],
    ["anthropic/claude-sonnet-4-5", 3],
    ["claude-opus-4-5-20251101", 5],
    ["gpt-5.5-2026-04-23", 5],
    ["gpt-5.5-codex", undefined],
    ["gemini-2.5", undefined],
    ["", undefined],
  ])("knows %j by provider and date or not at all", (model, input) => {
    expect(findPrice(readPrices(BUILT_IN), model)?.input).toBe(input as number)
  })
})

describe("the cost", () => {
  const price = { input: 5, cached: 0.5, output: 30 }

  it("counts what came from a cache at its own price, and once", () => {
    expect(costOf({ inputTokens: 1_000_000, cachedTokens: 0, outputTokens: 0 }, price)).toBe(5)
    expect(costOf({ inputTokens: 1_000_000, cachedTokens: 1_000_000, outputTokens: 0 }, price)).toBe(0.5)
    expect(costOf({ inputTokens: 0, cachedTokens: 0, outputTokens: 100_000 }, price)).toBe(3)
    // More from the cache than was read cannot be.
    expect(costOf({ inputTokens: 10, cachedTokens: 20, outputTokens: 0 }, price)).toBeCloseTo(5e-6)
  })

  it("compares by a run that reads much and writes little", () => {
    expect(typicalCost({ input: 1, cached: 1, output: 1 })).toBeCloseTo(1)
    expect(typicalCost({ input: 3, cached: 0.3, output: 15 })).toBeCloseTo(1.44)
  })
})
