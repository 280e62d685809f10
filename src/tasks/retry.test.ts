import { describe, expect, it } from "bun:test"
import { afterSetback, agentsToAvoid, type PastSetback, type SetbackKind } from "./retry.ts"

const LIMITS = { maxRestarts: 3, maxTimeoutRestarts: 2 }

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

  it("is paused when the money is used up: only a person can go on", () => {
    expect(afterSetback([{ kind: "budget", agent: "codex" }], LIMITS)).toBe("pause")
  })

  it("has a few tries more with another agent, but not without end", () => {
    const by = (agent: string, count: number) => Array<PastSetback>(count).fill({ kind: "crashed", agent })
    expect(afterSetback([...by("codex", 3), ...by("claude", 1)], LIMITS)).toBe("retry")
    expect(afterSetback([...by("codex", 3), ...by("claude", 2)], LIMITS)).toBe("fail")
  })

  it("counts timeouts and crashes apart", () => {
    const setbacks = (["timed-out", "crashed", "timed-out", "crashed", "crashed"] as const).map((kind) => ({
      ...{ kind, agent: null },
    }))
    expect(afterSetback(setbacks, LIMITS)).toBe("retry")
  })
})

describe("an agent", () => {
  it.each<SetbackKind>(["context-overflow", "auth", "not-found", "refused"])("is avoided after %s", (kind) => {
    expect(agentsToAvoid([{ kind, agent: "codex" }], LIMITS)).toEqual(["codex"])
  })

  it("is avoided once it crashed as often as is tried at all, and not for what was not its fault", () => {
    const crashes = (count: number) => Array<PastSetback>(count).fill({ kind: "crashed", agent: "codex" })
    expect(agentsToAvoid(crashes(2), LIMITS)).toEqual([])
    expect(agentsToAvoid(crashes(3), LIMITS)).toEqual(["codex"])
    const others: PastSetback[] = (["gate", "lost", "timed-out", "rate-limited"] as const).map((kind) => ({
      ...{ kind, agent: "codex" },
    }))
    expect(agentsToAvoid(others, LIMITS)).toEqual([])
  })
})
