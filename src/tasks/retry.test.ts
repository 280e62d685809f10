import { describe, expect, it } from "bun:test"
import {
  afterSetback,
  agentsToAvoid,
  agentsToSpare,
  isRepeatedFailure,
  isTaskFault,
  type PastRun,
  type PastSetback,
  type SetbackKind,
} from "./retry.ts"

const LIMITS = { maxRuns: 0, maxRestarts: 3, maxTimeoutRestarts: 2 }

describe("after a setback a task", () => {
  it.each<[SetbackKind, number]>([
    ["crashed", 3],
    ["gate", 3],
    ["lost", 3],
    ["workspace", 3],
    ["timed-out", 2],
    ["turn-limit", 2],
  ])("is tried again after %s %i times, and failed after that", (kind, times) => {
    const back = (count: number) => afterSetback(Array<PastSetback>(count).fill({ kind, agent: null }), LIMITS)
    expect(back(times)).toBe("retry")
    expect(back(times + 1)).toBe("fail")
  })

  it("is tried again however often somebody interrupted it or an agent had no capacity", () => {
    const setbacks = Array<PastSetback>(50).fill({ kind: "rate-limited", agent: "codex" })
    expect(afterSetback([...setbacks, { kind: "interrupted", agent: null }], LIMITS)).toBe("retry")
    // And they count for nothing when something else happens.
    expect(afterSetback([...setbacks, { kind: "crashed", agent: "codex" }], LIMITS)).toBe("retry")
  })

  it("F030: is failed when its agent says the same reason again, and tried again for another one", () => {
    const said = (reason: string): PastSetback => ({ kind: "agent-failed", agent: "claude", reason })
    expect(afterSetback([said("no database")], LIMITS)).toBe("retry")
    expect(afterSetback([said("no database"), said("no network")], LIMITS)).toBe("retry")
    expect(afterSetback([said("no database"), { kind: "lost", agent: null }, said("No database!")], LIMITS)).toBe(
      "fail",
    )
    expect(afterSetback([said("a"), said("a"), { kind: "lost", agent: null }], LIMITS)).toBe("retry")
  })

  it("is paused when the money is used up: only a person can go on", () => {
    expect(afterSetback([{ kind: "budget", agent: "codex" }], LIMITS)).toBe("pause")
  })

  it("has a few tries more with another agent, but not without end", () => {
    const by = (agent: string, count: number) => Array<PastSetback>(count).fill({ kind: "refused", agent })
    expect(afterSetback([...by("codex", 3), ...by("claude", 2)], LIMITS)).toBe("retry")
    expect(afterSetback([...by("codex", 3), ...by("claude", 3)], LIMITS)).toBe("fail")
  })

  it.each<SetbackKind>([
    ...(["crashed", "protocol", "hung", "overloaded", "unreachable", "auth", "not-found", "unknown-model"] as const),
  ])("F035: is not blamed for %s of a program, and a person is asked after very many", (kind) => {
    const faults = (count: number) => Array<PastSetback>(count).fill({ kind, agent: "codex" })
    expect(afterSetback(faults(20), { ...LIMITS, maxRuns: 3 })).toBe("retry")
    expect(afterSetback(faults(21), LIMITS)).toBe("pause")
    // Nor do they count when something else happens.
    expect(afterSetback([...faults(10), { kind: "gate", agent: "codex" }], LIMITS)).toBe("retry")
    // A script is the task itself.
    const scripted = Array<PastSetback>(4).fill({ kind, agent: "script" })
    expect(afterSetback(scripted, LIMITS)).toBe("fail")
  })

  it("counts timeouts and crashes apart", () => {
    const setbacks = (["timed-out", "crashed", "timed-out", "crashed", "crashed"] as const).map((kind) => ({
      ...{ kind, agent: null },
    }))
    expect(afterSetback(setbacks, LIMITS)).toBe("retry")
  })
})

describe("an agent", () => {
  it.each<SetbackKind>(["context-overflow", "permission", "refused"])("is avoided after %s", (kind) => {
    expect(agentsToAvoid([{ kind, agent: "codex" }])).toEqual(["codex"])
  })

  it("F035: comes last once it failed often at the task, and is avoided for none of its own faults", () => {
    const crashes = (count: number) => Array<PastSetback>(count).fill({ kind: "crashed", agent: "codex" })
    expect(agentsToSpare(crashes(2), LIMITS)).toEqual([])
    expect(agentsToSpare(crashes(3), LIMITS)).toEqual(["codex"])
    expect(agentsToAvoid([...crashes(3), { kind: "auth", agent: "codex" }])).toEqual([])
    const others: PastSetback[] = (["gate", "lost", "timed-out", "rate-limited"] as const).map((kind) => ({
      ...{ kind, agent: "codex" },
    }))
    expect(agentsToAvoid(others)).toEqual([])
    expect(agentsToSpare(others, LIMITS)).toEqual([])
  })
})

describe("F012: the run budget of a task", () => {
  const limits = { ...LIMITS, maxRuns: 3 }
  const spent = (runs: number, isRepeating = false) => ({ runs, isLastCounted: true, isRepeating })
  const once = (kind: SetbackKind) => [{ kind, agent: "claude" }]

  it.each<SetbackKind>(["gate", "crashed", "protocol", "timed-out", "turn-limit"])("ends it after %s", (kind) => {
    expect(afterSetback(once(kind), limits, spent(2))).toBe("retry")
    expect(afterSetback(once(kind), limits, spent(3))).toBe("fail")
    expect(afterSetback(once(kind), { ...limits, maxRuns: 0 }, spent(30))).toBe("retry")
    // Another run would end the same way.
    expect(afterSetback(once(kind), limits, spent(1, true))).toBe("fail")
  })

  it.each<SetbackKind>(["lost", "workspace", "auth", "not-found", "interrupted", "rate-limited"])(
    "does not blame it for %s",
    (kind) => {
      expect(afterSetback(once(kind), limits, spent(3, true))).toBe("retry")
    },
  )

  it.each<SetbackKind>(["crashed", "protocol", "hung"])(
    "F035: is not used up by %s of a program that never worked, whatever was spent before",
    (kind) => {
      expect(afterSetback(once(kind), limits, { ...spent(3), isLastCounted: false })).toBe("retry")
      expect(afterSetback([{ kind, agent: "script" }], limits, { ...spent(3), isLastCounted: false })).toBe("fail")
    },
  )

  it("ends it where its gate fails, even though the last run was cut off", () => {
    expect(afterSetback(once("gate"), limits, { ...spent(3), isLastCounted: false })).toBe("fail")
  })

  const run = (more: Partial<PastRun>): PastRun => ({
    ...{ agent: "claude", reason: "done", error: null, durationMs: 60_000, tokens: 100 },
    ...more,
  })

  it("counts what an agent worked on, and not what never reached its model", () => {
    expect(isTaskFault(run({}))).toBe(true)
    expect(isTaskFault(run({ reason: "crashed" }))).toBe(true)
    expect(isTaskFault(run({ reason: "crashed", tokens: 0, durationMs: 60_000 }))).toBe(true)
    expect(isTaskFault(run({ reason: "crashed", tokens: 0, durationMs: 5000 }))).toBe(false)
    expect(isTaskFault(run({ reason: "hung", tokens: 0, durationMs: 600_000 }))).toBe(false)
    expect(isTaskFault(run({ agent: "script", reason: "crashed", tokens: 0, durationMs: 5 }))).toBe(true)
    for (const reason of [null, "rate-limited", "cancelled", "not-found", "auth"])
      expect(isTaskFault(run({ reason }))).toBe(false)
  })

  it("sees that a script repeats itself, whatever it prints", () => {
    const failed = (error: string) => run({ agent: "script", reason: "crashed", error })
    expect(isRepeatedFailure([failed("ended with 1: make\n    at 10:01")])).toBe(false)
    expect(
      isRepeatedFailure([failed("ended with 1: make\n    at 10:01"), failed("ended with 1: make\n    at 10:02")]),
    ).toBe(true)
    expect(isRepeatedFailure([failed("ended with 1: make"), failed("ended with 2: make")])).toBe(false)
    expect(isRepeatedFailure([run({ reason: "crashed", error: "x" }), run({ reason: "crashed", error: "x" })])).toBe(
      false,
    )
  })
})
