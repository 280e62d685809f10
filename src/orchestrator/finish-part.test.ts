import { describe, expect, it } from "bun:test"
import { LIMITS, makeFinding, makeSnapshot, NOW, openTask } from "../../test/support/engine.ts"
import { emptyHistory } from "../reporting/history.ts"
import type { EngineLimits, EngineSnapshot } from "./actions.ts"
import { decide } from "./decide.ts"

const always: EngineLimits = { ...LIMITS, partialDelivery: "always", enableReview: false }
const history = (deliveredAt: number | null = null) => ({ ...emptyHistory(), mergedAt: NOW, deliveredAt })
const half = (more: Partial<EngineSnapshot> = {}, limits = always) =>
  decide(
    makeSnapshot({
      team: { phase: "EXECUTION", status: "active", mode: "FULL_AUTO", schedule: "eager" },
      tasks: [openTask("1", { status: "resolved" }), openTask("2", { status: "failed" })],
      ...{ settled: new Set(["1/1"]), history: history() },
      ...more,
    }),
    limits,
  ).actions.map((action) => (action.type === "end" ? `${action.outcome}: ${action.reason}` : action.type))

describe("F023: a team whose rest cannot go on", () => {
  it("merges, judges and delivers what is finished where the policy says so", () => {
    expect(half({ settled: new Set() })).toEqual(["merge"])
    expect(half()).toEqual(["verify-part"])
    expect(half({ part: "passed" })).toEqual(["deliver-part"])
    expect(half({ part: "passed", delivery: "part", history: history(NOW) })).toEqual([
      "stuck: task 2 failed; what is finished was delivered without the rest",
    ])
    // Also in a later run, in which nothing was merged since.
    expect(half({ part: "passed", history: history(NOW) })).toEqual(["stuck: task 2 failed"])
    expect(half({ part: "failed" })[0]).toContain("does not pass the final gate without the rest")
  })

  it.each(["ask", "never"] as const)("ends where the policy is %s", (partialDelivery) => {
    expect(half({}, { ...always, partialDelivery })).toEqual(["stuck: task 2 failed"])
    expect(half({}, { ...always, deliver: false })).toEqual(["stuck: task 2 failed"])
  })

  it("has it reviewed, and asks the person who supervises", () => {
    const reviewed = { ...always, enableReview: true }
    expect(half({ part: "passed" }, reviewed)).toEqual(["review"])
    expect(half({ part: "passed", review: "passed" }, reviewed)).toEqual(["deliver-part"])
    const findings = [makeFinding({ source: "review" })]
    expect(half({ part: "passed", review: "failed", findings }, reviewed)).toEqual(["stuck: task 2 failed"])
    const required = { ...always, reviewRequired: true }
    expect(half({ part: "passed" }, required)).toEqual(["review"])
    expect(half({ part: "passed", review: "skipped" }, required)).toEqual(["stuck: task 2 failed"])
    const team = { phase: "EXECUTION", status: "active", mode: "SUPERVISED", schedule: "eager" } as const
    expect(half({ part: "passed", team })).toEqual(["ask-final"])
    expect(half({ part: "passed", team, finalApproval: "pending" })).toEqual([])
    expect(half({ part: "passed", team, finalApproval: "approved" })).toEqual(["deliver-part"])
    expect(half({ part: "passed", team, finalApproval: "rejected" })[0]).toContain("was rejected")
  })
})
