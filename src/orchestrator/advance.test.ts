import { describe, expect, it } from "bun:test"
import { heldTask, LIMITS, makeSnapshot, NOW, openTask } from "../../test/support/engine.ts"
import type { TaskId } from "../kernel/ids.ts"
import type { Approval } from "../requests/approval.ts"
import type { Task } from "../tasks/task.ts"
import type { Wave, WavePlan, WaveStatus } from "../tasks/wave.ts"
import type { EngineLimits, EngineSnapshot } from "./actions.ts"
import { advance } from "./advance.ts"

describe("a team", () => {
  it("merges a wave once all its tasks are done, and judges it once all is merged", () => {
    const tasks = [done("1", 1), heldTask("2", "w1", { wave: 1 }), openTask("3", { wave: 2, unmet: 1 })]
    expect(types({ tasks, waves: waves("in_progress", "planning") })).toEqual([])
    const ended = [done("1", 1), done("2", 1), openTask("3", { wave: 2, unmet: 1 })]
    const plan = waves("completed", "planning")
    expect(next({ tasks: ended, waves: plan })).toEqual([{ type: "merge", wave: 1 }])
    expect(next({ tasks: ended, waves: plan, settled: new Set(["1/1"]) })).toEqual([{ type: "merge", wave: 1 }])
    const settled = new Set(["1/1", "2/1"])
    expect(next({ tasks: ended, waves: plan, settled })).toEqual([{ type: "verify-wave", wave: 1 }])
  })

  it("F120: neither judges nor merges again what is done elsewhere, and ends with what brings it here", () => {
    const elsewhere = new Map([["1/1", "its commit is in /clone; bring it here with: git fetch"]])
    const reason = "task 1 is not merged: its commit is in /clone; bring it here with: git fetch"
    const stuck = [{ type: "end" as const, outcome: "stuck" as const, reason }]
    const waved = { tasks: [done("1", 1), done("2", 1)], waves: waves("completed"), elsewhere }
    expect(next(waved)).toEqual([{ type: "merge", wave: 1 }])
    expect(next({ ...waved, settled: new Set(["2/1"]) })).toEqual(stuck)
    const settled = new Set(["2/1"])
    expect(next({ ...waved, settled, elsewhere: new Map() })).toEqual([{ type: "merge", wave: 1 }])
    const team = { ...makeSnapshot().team, schedule: "eager" as const }
    const reviewed = heldTask("1", "w1", { wave: 1, status: "in_review" })
    const eager = { team, waves: waves("in_progress"), elsewhere }
    expect(next({ ...eager, tasks: [reviewed] })).toEqual(stuck)
    expect(next({ ...eager, tasks: [reviewed, heldTask("2", "w2", { wave: 1 })] })).toEqual([])
    expect(next({ ...eager, tasks: [reviewed], elsewhere: new Map() })).toEqual([{ type: "merge", wave: null }])
    expect(next({ tasks: [done("1", null)], elsewhere })).toEqual(stuck)
  })

  it("gathers what is done for the next merge while others work and nobody waits for it", () => {
    const team = { ...makeSnapshot().team, schedule: "eager" } as const
    const [reviewed, held] = [done("1", 1, { status: "in_review" }), heldTask("2", "w1")]
    const soon = { team, mergeAfter: NOW + 100 }
    expect(advance(makeSnapshot({ ...soon, tasks: [reviewed, held] }), LIMITS)).toEqual({
      actions: [],
      wakeAt: NOW + 100,
    })
    const merge = [{ type: "merge", wave: null }] as const
    expect(next({ ...soon, now: NOW + 100, tasks: [reviewed, held] })).toEqual([...merge])
    expect(next({ ...soon, tasks: [reviewed] })).toEqual([...merge])
    const waiting = openTask("3", { blockedBy: [reviewed.id], unmet: 1 })
    expect(next({ ...soon, tasks: [reviewed, held, waiting] })).toEqual([...merge])
  })

  it("merges a new attempt of what was merged before", () => {
    const tasks = [done("1", 1, { attempt: 2 })]
    const settled = new Set(["1/1"])
    expect(next({ tasks, waves: waves("completed"), settled })).toEqual([{ type: "merge", wave: 1 }])
  })

  it("F011: waits with what a person is asked about, merges the rest, and judges nothing before the answer", () => {
    const approval: Approval = {
      ...{ number: 1, subject: "package.json: dependencies.a", taskId: "1" as TaskId, attempt: 1, question: "which?" },
      ...{ askedBy: "teamwork", askedAt: "", decidedBy: null, decidedAt: null, reason: null },
      scope: "shared-file",
      status: "pending",
    }
    const tasks = [done("1", 1), done("2", 1)]
    const asked = { tasks, waves: waves("completed"), approvals: [approval] }
    expect(next(asked)).toEqual([{ type: "merge", wave: 1 }])
    expect(next({ ...asked, settled: new Set(["2/1"]) })).toEqual([])
    expect(next({ ...asked, settled: new Set(["2/1"]), approvals: [] })).toEqual([{ type: "merge", wave: 1 }])
    expect(next({ tasks: [done("1", null)], approvals: [approval] })).toEqual([])
    const team = { ...makeSnapshot().team, schedule: "eager" as const }
    const reviewed = [heldTask("1", "w1", { wave: 1, status: "in_review" })]
    expect(next({ team, tasks: reviewed, waves: waves("in_progress"), approvals: [approval] })).toEqual([])
  })

  it("F024: merges each repair of a wave as it comes, and tries nothing that waits for one", () => {
    const tasks = [done("1", 1), done("2", 1), done("3", 1)]
    const settled = new Set(["1/1", "2/1"])
    const queued = new Map([["3/1", "fix-2-1"]])
    const at = (fix: Partial<Task>, more: Partial<EngineSnapshot> = {}) =>
      next({
        ...{
          tasks: [...tasks, openTask("fix-2-1", { wave: 1, ...fix })],
          waves: waves("in_progress"),
          settled,
          queued,
        },
        ...more,
      })
    const merge = [{ type: "merge", wave: 1 } as const]
    expect(at({ status: "open" })).toEqual([])
    expect(at({ status: "in_progress" })).toEqual([])
    expect(at({ status: "resolved" })).toEqual(merge)
    expect(at({ status: "failed" })).toEqual(merge)
    expect(at({ status: "paused" })).toEqual(merge)
    // Also beside another one that is still being done.
    const other = heldTask("fix-9-1", "w2", { wave: 1 })
    expect(at({ status: "resolved" }, { tasks: [...tasks, other, done("fix-2-1", 1)] })).toEqual(merge)
    const team = { ...makeSnapshot().team, schedule: "eager" as const }
    const reviewed = heldTask("3", "w1", { wave: 1, status: "in_review" })
    const eager = (fix: Task) => next({ team, tasks: [reviewed, fix], waves: waves("in_progress"), settled, queued })
    expect(eager(heldTask("fix-2-1", "w2", { wave: 1 }))).toEqual([])
    expect(eager(heldTask("fix-2-1", "w2", { wave: 1, status: "in_review" }))).toEqual([{ type: "merge", wave: null }])
    expect(eager(openTask("fix-2-1", { wave: 1, status: "failed" }))).toEqual([{ type: "merge", wave: null }])
  })

  it("does one long thing at a time", () => {
    expect(next({ tasks: [done("1", 1)], waves: waves("completed"), busy: "verify-wave" })).toEqual([])
  })

  it("makes a task of what a gate found, and asks a person when it says no too often", () => {
    const failed = { tasks: [done("1", 1)], waves: waves("failed"), settled: new Set(["1/1"]) }
    const refusals = (times: number) => new Map([["wave 1", times]])
    expect(next({ ...failed, refusals: refusals(3) })).toEqual([{ type: "fix-gate", scope: "wave", wave: 1 }])
    expect(next({ ...failed, refusals: refusals(4) })).toMatchObject([{ type: "end", outcome: "failed" }])
  })

  it("is judged as a whole, reviewed, delivered, and then over", () => {
    const over = { tasks: [done("1", 1)], waves: waves("verified"), settled: new Set(["1/1"]) }
    expect(types(over)).toEqual(["verify-final"])
    expect(next({ ...over, final: "failed" })).toEqual([{ type: "fix-gate", scope: "final", wave: null }])
    expect(types({ ...over, final: "passed" })).toEqual(["review"])
    // All that failed it was waived by a person.
    expect(types({ ...over, final: "passed", review: "failed" })).toEqual(["deliver"])
    expect(types({ ...over, final: "passed", review: "skipped" })).toEqual(["deliver"])
    expect(types({ ...over, final: "passed" }, { enableReview: false })).toEqual(["deliver"])
    const delivered = { ...over, final: "passed", review: "passed", delivery: "done" } as const
    expect(next(delivered)).toMatchObject([{ type: "end", outcome: "done" }])
    expect(next({ ...delivered, delivery: "none" }, { deliver: false })).toMatchObject([{ outcome: "done" }])
    expect(next({ ...delivered, delivery: "refused" })).toMatchObject([{ outcome: "done" }])
  })

  it("without waves is merged as a whole", () => {
    expect(next({ tasks: [done("1", null)] })).toEqual([{ type: "merge", wave: null }])
    expect(types({ tasks: [done("1", null)], settled: new Set(["1/1"]) })).toEqual(["verify-final"])
  })

  it("on an eager schedule merges what waits in review, whatever else is under way", () => {
    const team = { ...makeSnapshot().team, schedule: "eager" as const }
    const tasks = [heldTask("1", "w1", { wave: 1 }), heldTask("2", "w2", { wave: 1, status: "in_review" })]
    expect(next({ team, tasks, waves: waves("in_progress") })).toEqual([{ type: "merge", wave: null }])
  })

  it("ends when nothing can go on without a person, and says what is in the way", () => {
    const tasks = [done("1", 1), openTask("2", { wave: 1, status: "failed" }), openTask("3", { wave: 2 })]
    const stuck = next({ tasks, waves: waves("in_progress", "planning") })
    expect(stuck).toEqual([{ type: "end", outcome: "stuck", reason: "task 2 failed" }])
    const working = [...tasks, heldTask("4", "w1", { wave: 1 })]
    expect(next({ tasks: working, waves: waves("in_progress", "planning") })).toEqual([])
    const claimable = [...tasks, openTask("4", { wave: 1 })]
    expect(next({ tasks: claimable, waves: waves("in_progress", "planning") })).toEqual([])
  })

  it("waits for a decision about a paused task, whatever the mode, and not about a failed one", () => {
    const asked = { kind: "escalation", number: 1, what: "", command: "", isTold: true } as const
    for (const mode of ["FULL_AUTO", "SUPERVISED"] as const) {
      const team = { ...makeSnapshot().team, mode }
      const tasks = [done("1", 1), openTask("2", { wave: 1, status: "paused" })]
      const look = { team, tasks, waves: waves("in_progress") }
      expect(next({ ...look, questions: [{ ...asked, taskId: "2" as TaskId }] })).toEqual([])
      expect(next({ ...look, questions: [{ ...asked, taskId: "1" as TaskId }] })).toMatchObject([{ outcome: "stuck" }])
      const failed = [done("1", 1), openTask("2", { wave: 1, status: "failed" })]
      expect(next({ ...look, tasks: failed, questions: [{ ...asked, taskId: "2" as TaskId }] })).toMatchObject([
        { outcome: "stuck", reason: "task 2 failed" },
      ])
    }
  })

  it("waits while a person has paused it, and ends when a limit has", () => {
    const team = { ...makeSnapshot().team, status: "paused" as const }
    const tasks = [openTask("1", { wave: 1 })]
    expect(next({ team, tasks, waves: waves("in_progress") })).toEqual([])
    expect(next({ team, tasks, waves: waves("in_progress"), isPausedByEngine: true })).toMatchObject([
      { outcome: "paused" },
    ])
  })

  it("without tasks has nothing to do", () => {
    expect(next({ tasks: [] })).toMatchObject([{ type: "end", outcome: "failed", reason: "there are no tasks" }])
  })
})

describe("what did not come to an end", () => {
  const over = { tasks: [done("1", 1)], waves: waves("verified"), settled: new Set(["1/1"]) }
  const trouble = { action: "verify-final", reason: "the disk is full", times: 1, notBefore: NOW + 1000 } as const

  it("is tried again after a while", () => {
    const decision = advance(makeSnapshot({ ...over, troubles: [trouble] }), LIMITS)
    expect(decision).toEqual({ actions: [], wakeAt: NOW + 1000 })
    expect(types({ ...over, now: NOW + 1000, troubles: [trouble] })).toEqual(["verify-final"])
  })

  it("is not tried for ever", () => {
    expect(next({ ...over, troubles: [{ ...trouble, times: 5 }] })).toEqual([
      { type: "end", outcome: "failed", reason: "the disk is full" },
    ])
  })
})

function done(id: string, wave: number | null, change: Partial<Task> = {}): Task {
  return openTask(id, { status: "resolved", wave, ...change })
}

function waves(...statuses: readonly WaveStatus[]): WavePlan {
  const list = statuses.map(
    (status, index): Wave => ({ id: index + 1, status, tasks: [], startedAt: null, verifiedAt: null }),
  )
  const current = list.find((wave) => wave.status !== "verified") ?? list.at(-1)
  return { version: "1.0", totalWaves: list.length, currentWave: current?.id ?? 0, waves: list }
}

function next(change: Partial<EngineSnapshot>, limits: Partial<EngineLimits> = {}) {
  return advance(makeSnapshot(change), { ...LIMITS, ...limits }).actions
}

function types(change: Partial<EngineSnapshot>, limits: Partial<EngineLimits> = {}): string[] {
  return next(change, limits).map((action) => action.type)
}
