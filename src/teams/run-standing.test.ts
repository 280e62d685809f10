import { describe, expect, it } from "bun:test"
import { type StandingFacts, standingOf } from "./run-standing.ts"

const facts = (change: Partial<StandingFacts> = {}): StandingFacts => ({
  ...{ phase: "EXECUTION", status: "active", isLed: false, leftBecause: null, tasks: [] },
  ...change,
})
const task = (status: StandingFacts["tasks"][number]["status"], attempt = 1) => ({ status, attempt })

describe("standingOf", () => {
  it("is fresh while nobody has begun", () => {
    expect(standingOf(facts())).toBe("fresh")
    expect(standingOf(facts({ tasks: [task("open"), task("open")] }))).toBe("fresh")
  })

  it("is going while a process leads, a person works, or a run was interrupted", () => {
    expect(standingOf(facts({ isLed: true, tasks: [task("open")] }))).toBe("going")
    expect(standingOf(facts({ tasks: [task("in_progress"), task("open")] }))).toBe("going")
    expect(standingOf(facts({ tasks: [task("resolved"), task("open")] }))).toBe("going")
    expect(standingOf(facts({ tasks: [task("open", 2)] }))).toBe("going")
    expect(standingOf(facts({ leftBecause: "interrupted", tasks: [task("open")] }))).toBe("going")
    // Everything is resolved, and nothing of it is merged or delivered yet.
    expect(standingOf(facts({ leftBecause: "interrupted", tasks: [task("resolved")] }))).toBe("going")
    // Added by hand after everything was done, and taken by hand after a run got stuck.
    expect(standingOf(facts({ leftBecause: "done", tasks: [task("resolved"), task("open")] }))).toBe("going")
    expect(standingOf(facts({ leftBecause: "stuck", tasks: [task("failed"), task("in_progress")] }))).toBe("going")
    expect(standingOf(facts({ leftBecause: "paused", status: "paused", tasks: [task("paused")] }))).toBe("going")
  })

  it("is over when it ended otherwise than done", () => {
    expect(standingOf(facts({ leftBecause: "stuck", tasks: [task("failed"), task("open")] }))).toBe("over")
    expect(standingOf(facts({ status: "cancelled", leftBecause: "cancelled", tasks: [task("open")] }))).toBe("over")
    expect(standingOf(facts({ status: "failed", tasks: [task("failed")] }))).toBe("over")
    expect(standingOf(facts({ tasks: [task("failed"), task("resolved")] }))).toBe("over")
  })

  it("is done when everything is", () => {
    expect(standingOf(facts({ phase: "COMPLETE", tasks: [task("resolved")] }))).toBe("done")
    expect(standingOf(facts({ status: "completed", phase: "COMPLETE", tasks: [] }))).toBe("done")
    expect(standingOf(facts({ leftBecause: "done", tasks: [task("resolved"), task("skipped")] }))).toBe("done")
    expect(standingOf(facts({ tasks: [task("resolved")] }))).toBe("done")
  })
})
