import { describe, expect, it } from "bun:test"
import { type EstimateFacts, estimate, type PastRun, type PlannedRun, planRuns } from "./estimate.ts"

const planned = (id: string, change: Partial<PlannedRun> = {}): PlannedRun => ({
  ...{ id, needs: [], role: "backend", complexity: "standard", agent: "claude", isFollowUp: false },
  ...change,
})
const past = (change: Partial<PastRun> = {}): PastRun => ({
  ...{ agent: "claude", role: "backend", complexity: "standard", ms: 60_000, tokens: 1000, dollars: 0.1 },
  ...change,
})
const of = (change: Partial<EstimateFacts>) =>
  estimate({ planned: [], past: [], hands: 5, schedule: "eager", ...change })

describe("F017: what a plan takes", () => {
  it("is unknown where nothing ran before; the number of runs is not", () => {
    expect(of({ planned: [planned("1"), planned("2", { isFollowUp: true })] })).toEqual({
      ...{ runs: 2, followUps: 1, basedOn: 0, unknown: 2, ms: null, tokens: null, dollars: null },
    })
    expect(of({ past: [past()] })).toMatchObject({ runs: 0, basedOn: 0, ms: null })
  })

  it("follows from the middle one of the runs that are most like it", () => {
    const runs = [
      ...[past({ tokens: 1000 }), past({ tokens: 3000 }), past({ tokens: 90_000 })],
      ...[past({ agent: "codex", tokens: 7000 }), past({ role: "docs", tokens: 10 })],
    ]
    const tokens = (change: Partial<PlannedRun>) => of({ planned: [planned("1", change)], past: runs })
    expect(tokens({})).toMatchObject({ tokens: 3000, basedOn: 3 })
    expect(tokens({ agent: "codex" })).toMatchObject({ tokens: 7000, basedOn: 1 })
    // Of no agent yet: all that did such work.
    expect(tokens({ agent: null })).toMatchObject({ tokens: 5000, basedOn: 4 })
    expect(tokens({ role: "security" })).toMatchObject({ tokens: 3000, basedOn: 5 })
    expect(tokens({ complexity: "complex" })).toMatchObject({ tokens: 3000, basedOn: 5 })
  })

  it("does not take a script for a model, nor a model for a script", () => {
    const script = past({ agent: "script", ms: 10, tokens: 0, dollars: 0 })
    const both = [planned("1"), planned("2", { agent: "script" })]
    expect(of({ planned: both, past: [script] })).toMatchObject({
      unknown: 1,
      basedOn: 1,
      ms: 10,
      tokens: 0,
      dollars: 0,
    })
    expect(of({ planned: both, past: [past()] })).toMatchObject({ unknown: 1, basedOn: 1, tokens: 1000 })
  })

  it("names no price where one of them is not known", () => {
    const runs = [past(), past({ role: "docs", dollars: null })]
    const both = [planned("1"), planned("2", { role: "docs" })]
    expect(of({ planned: both, past: runs })).toMatchObject({ tokens: 2000, dollars: null })
    expect(of({ planned: [planned("1")], past: [past(), past({ dollars: null })] })).toMatchObject({ dollars: 0.1 })
  })

  it("lasts as long as the longest chain, or as the workers need, and with waves as all layers together", () => {
    const chain = [planned("a"), planned("b", { needs: ["a"] }), planned("c"), planned("d")]
    const minutes = (change: Partial<EstimateFacts>) =>
      (of({ planned: chain, past: [past()], ...change }).ms ?? 0) / 60_000
    expect(minutes({})).toBe(2)
    expect(minutes({ hands: 1 })).toBe(4)
    expect(minutes({ hands: 0 })).toBe(4)
    const uneven = [past({ ms: 60_000 }), past({ role: "docs", ms: 600_000 })]
    const tasks = [planned("a"), planned("slow", { role: "docs" }), planned("b", { needs: ["a"] })]
    expect(minutes({ planned: tasks, past: uneven })).toBe(10)
    expect(minutes({ planned: tasks, past: uneven, schedule: "waves" })).toBe(11)
  })

  it("counts a follow-up as a run after its task", () => {
    const task = planned("1")
    const follow = { id: "test-1", of: "1", title: "Test: it", kind: "test", role: "test", agentType: "test-engineer" }
    const runs = planRuns([task], [follow as unknown as Parameters<typeof planRuns>[1][number]])
    expect(runs).toMatchObject([
      { id: "1", isFollowUp: false },
      { id: "test-1", needs: ["1"], role: "test", agent: null, isFollowUp: true },
    ])
    expect(of({ planned: runs, past: [past()] })).toMatchObject({ runs: 2, followUps: 1, ms: 120_000 })
  })
})
