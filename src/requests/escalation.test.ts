import { describe, expect, it } from "bun:test"
import { parseTaskId } from "../kernel/ids.ts"
import { SETBACKS } from "../tasks/retry.ts"
import { nameEscalation, OPTION_NAMES, optionsFor, TRIGGER_OF, TRIGGERS, toEscalation } from "./escalation.ts"

describe("what can be decided", () => {
  const paused = { status: "paused", pausedFrom: "in_progress" } as const
  const failed = { status: "failed", pausedFrom: null } as const

  it("is always another try, or leaving it out", () => {
    for (const trigger of TRIGGERS)
      for (const task of [paused, failed])
        expect(optionsFor(trigger, task)).toEqual(expect.arrayContaining(["retry", "skip", "fail"]))
  })

  it("is another agent only where the agent may be the matter", () => {
    const without = TRIGGERS.filter((trigger) => !optionsFor(trigger, paused).includes("reassign"))
    expect(without).toEqual(["requirement_unclear", "scope_change"])
  })

  it("is to let it stand where nothing has to be done over", () => {
    const standing = TRIGGERS.filter((trigger) => optionsFor(trigger, paused).includes("go-on"))
    expect(standing).toEqual(["rate_limited", "disagreement"])
    expect(TRIGGERS.some((trigger) => optionsFor(trigger, failed).includes("go-on"))).toBe(false)
  })

  it("is no pause for what has ended, and no failure for what was not begun", () => {
    expect(optionsFor("budget", failed)).not.toContain("pause")
    expect(optionsFor("budget", { status: "paused", pausedFrom: "open" })).not.toContain("fail")
  })

  it("is for a team to go on, or not to", () => {
    for (const trigger of TRIGGERS) expect(optionsFor(trigger, null)).toEqual(["go-on", "pause"])
  })
})

it("knows what every setback is to a person", () => {
  for (const kind of SETBACKS) expect(TRIGGERS).toContain(TRIGGER_OF[kind])
})

it("reads what was written by hand or by another version", () => {
  const record = { kind: "escalation", number: 3, taskId: parseTaskId("2"), attempt: 1, status: "open" } as const
  const read = toEscalation({ ...record, data: {}, by: "w1", createdAt: "then", updatedAt: "then" })
  expect(read).toMatchObject({ summary: "", options: [], context: { errors: [], progress: [] }, decision: null })
  expect(nameEscalation(read)).toBe("escalation 3 (technical_limitation, task 2)")
  expect(OPTION_NAMES).toHaveLength(7)
})
