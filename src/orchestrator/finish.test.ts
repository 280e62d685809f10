import { describe, expect, it } from "bun:test"
import { LIMITS, makeFinding, makeSnapshot, NOW, openTask } from "../../test/support/engine.ts"
import { parseTaskId } from "../kernel/ids.ts"
import { emptyHistory } from "../reporting/history.ts"
import type { EngineLimits, EngineSnapshot } from "./actions.ts"
import { advance } from "./advance.ts"

const merged = { ...emptyHistory(), mergedAt: NOW }
/** Everything is done and merged. */
const over: Partial<EngineSnapshot> = {
  tasks: [openTask("1", { status: "resolved", attempt: 1 })],
  ...{ settled: new Set(["1/1"]), final: "passed", history: merged },
}
const next = (change: Partial<EngineSnapshot>, limits: Partial<EngineLimits> = {}) =>
  advance(makeSnapshot({ ...over, ...change }), { ...LIMITS, ...limits }).actions
const fixTask = parseTaskId("finding-1-whole")

describe("open findings (F037)", () => {
  it("become fix tasks before the final gate looks at everything", () => {
    const findings = [makeFinding(), makeFinding({ number: 2, severity: "critical" })]
    expect(next({ final: null, findings })).toEqual([{ type: "fix-findings", numbers: [1, 2] }])
    // Also those that a reviewing task reported, whatever the settings say of the review of the whole.
    const ofTask = [makeFinding({ source: "task" })]
    expect(next({ final: null, findings: ofTask }, { enableReview: false })).toMatchObject([{ type: "fix-findings" }])
  })

  it("that have a fix are reviewed again, also where the review is switched off", () => {
    const findings = [makeFinding({ fixTask, rounds: 1 })]
    expect(next({ final: null, findings })).toEqual([{ type: "verify-final" }])
    expect(next({ findings }, { enableReview: false })).toEqual([{ type: "review" }])
  })

  it("that several fixes did not get rid of are one question to a person", () => {
    const findings = [makeFinding({ rounds: 3 })]
    const asked = next({ findings })
    expect(asked).toMatchObject([
      { type: "pause-team", trigger: "repeated_failure", options: ["retry", "waive", "pause"], about: "review" },
    ])
    const team = { ...makeSnapshot().team, status: "paused" } as const
    expect(next({ findings, team, isPausedByEngine: true })).toMatchObject([{ type: "end", outcome: "paused" }])
    // Paused by somebody: nothing happens.
    expect(next({ findings, team, isPausedByEngine: false })).toEqual([])
    expect(next({ findings: [makeFinding({ rounds: 0, isRetry: true })] })).toMatchObject([{ type: "fix-findings" }])
    expect(next({ findings: [makeFinding({ rounds: 1, isRetry: true })] })).toMatchObject([{ type: "pause-team" }])
  })

  it("are not delivered where no review confirmed the fix", () => {
    const findings = [makeFinding({ fixTask, rounds: 1 })]
    for (const review of ["skipped", "passed", "failed"] as const)
      expect(next({ findings, review, unreviewed: "codex is limited" })).toMatchObject([
        { type: "pause-team", options: ["go-on", "waive", "pause"] },
      ])
  })

  it("of a team that changed nothing are only reported", () => {
    const findings = [makeFinding({ source: "task", severity: "critical" })]
    const done = { findings, history: emptyHistory(), review: "passed", delivery: "done" } as const
    const [end] = next(done)
    expect(end).toMatchObject({ type: "end", outcome: "done" })
    expect(end).toMatchObject({
      reason: expect.stringContaining("1 open findings, 1 critical, see: teamwork findings"),
    })
  })
})

describe("work without a verdict of a review (F036)", () => {
  it("is delivered and said to be unreviewed", () => {
    const skipped = { review: "skipped", unreviewed: "no agent can be asked" } as const
    expect(next(skipped)).toEqual([{ type: "deliver" }])
    const [end] = next({ ...skipped, delivery: "done" })
    expect(end).toMatchObject({ reason: expect.stringContaining("; NOT REVIEWED: no agent can be asked") })
  })

  it("is held where a review is required, and a person is asked", () => {
    const limits = { reviewRequired: true, enableReview: false }
    expect(next({}, limits)).toEqual([{ type: "review" }])
    expect(next({ review: "skipped", unreviewed: "none" }, limits)).toMatchObject([
      { type: "pause-team", trigger: "tool_unavailable", options: ["go-on", "pause"], about: "review" },
    ])
    expect(next({ review: "passed" }, limits)).toEqual([{ type: "deliver" }])
  })
})
