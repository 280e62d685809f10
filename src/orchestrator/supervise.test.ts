import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { heldTask, historyOf, LIMITS, makeSnapshot, makeWorker, NOW, openTask } from "../../test/support/engine.ts"
import { parseWorkerId } from "../kernel/ids.ts"
import type { WorkerFact } from "../reporting/history-facts.ts"
import type { Task } from "../tasks/task.ts"
import type { EngineLimits, EngineSnapshot, EngineWorker } from "./actions.ts"
import { supervise } from "./supervise.ts"

const STARTED = { startedAt: NOW - 3_000_000, starts: 1 }
const MINUTE = 60_000

/** One worker with one task, as the ladder sees it. */
function ladder(silentMs: number, fact: Partial<WorkerFact> = {}, worker: Partial<EngineWorker> = {}): EngineSnapshot {
  return makeSnapshot({
    tasks: [heldTask("1", "w1")],
    workers: [makeWorker("w1", { activeAt: NOW - silentMs, ...worker })],
    history: historyOf({ w1: { ...STARTED, ...fact } }),
  })
}

describe("a worker whose process is gone", () => {
  it("is recorded as dead with the task it held, and without one", () => {
    expect(supervise(ladder(0, {}, { isRunning: false }), LIMITS)).toEqual({
      actions: [
        {
          type: "record-worker-death",
          worker: "w1",
          task: "1",
          reason: "the process of worker w1 is gone",
          hasCrashed: true,
        },
      ],
      wakeAt: null,
    } as never)
    const idle = makeSnapshot({
      workers: [makeWorker("w1", { isRunning: false })],
      history: historyOf({ w1: STARTED }),
    })
    expect(supervise(idle, LIMITS).actions).toMatchObject([{ type: "record-worker-death", worker: "w1", task: null }])
  })

  it("has not crashed when it was gone before anybody looked", () => {
    const unseen = ladder(0, {}, { isRunning: false, endedUnseen: true })
    expect(supervise(unseen, LIMITS).actions).toMatchObject([
      { type: "record-worker-death", task: "1", hasCrashed: false },
    ])
  })

  it("is recorded once", () => {
    const told = { exitedAt: NOW - 1, exitReason: "lost" }
    const buried = makeSnapshot({
      workers: [makeWorker("w1", { isRunning: false, availability: "dead" })],
      history: historyOf({ w1: { ...STARTED, ...told } }),
    })
    expect(supervise(buried, LIMITS)).toEqual({ actions: [], wakeAt: null })
  })

  it("gives back what it held when its end was told and its task was not", () => {
    const half = ladder(0, { exitedAt: NOW - 1, exitReason: "crashed" }, { isRunning: false, availability: "dead" })
    expect(supervise(half, LIMITS).actions).toEqual([
      { type: "release-task", task: "1", reason: "worker w1 is gone" },
    ] as never)
  })

  it("is recorded as dead when it died before it reported itself, whatever is known of its earlier process", () => {
    const spawning = makeSnapshot({
      workers: [
        makeWorker("w1", { isRunning: false, availability: "spawning" }),
        makeWorker("w2", { isRunning: false }),
      ],
      history: historyOf({ w1: { ...STARTED, exitedAt: NOW - 1000, crashes: 1 } }),
    })
    expect(supervise(spawning, LIMITS).actions).toMatchObject([
      { type: "record-worker-death", worker: "w1" },
      { type: "record-worker-death", worker: "w2" },
    ])
  })

  it("keeps what it delivered and waits for its merge", () => {
    const delivered = makeSnapshot({
      tasks: [heldTask("1", "w1", { status: "in_review", leaseUntil: null })],
      workers: [makeWorker("w1", { isRunning: false })],
    })
    expect(supervise(delivered, LIMITS).actions).toMatchObject([{ type: "record-worker-death", task: null }])
  })

  it("is nobody of ours when its process is not", () => {
    const session = makeWorker("anna", { isRunning: null, activeAt: 0 })
    const snapshot = makeSnapshot({ tasks: [heldTask("1", "anna")], workers: [session] })
    expect(supervise(snapshot, { ...LIMITS, freshStartMs: 0 })).toEqual({ actions: [], wakeAt: null })
  })
})

describe("a silent worker", () => {
  it("is left alone until the warning", () => {
    expect(supervise(ladder(299_999), LIMITS)).toEqual({ actions: [], wakeAt: NOW + 1 })
  })

  it("is asked at the warning, with how long it was silent", () => {
    expect(supervise(ladder(5 * MINUTE), LIMITS).actions).toEqual([
      { type: "check-status", worker: "w1", task: "1", silentMs: 5 * MINUTE },
    ] as never)
  })

  it("is asked once, and has its grace from then on", () => {
    const asked = ladder(6 * MINUTE, { statusCheckedAt: NOW - MINUTE })
    expect(supervise(asked, LIMITS)).toEqual({ actions: [], wakeAt: NOW + MINUTE })
  })

  it("is asked again when it did something after the last time", () => {
    const asked = ladder(5 * MINUTE, { statusCheckedAt: NOW - 5 * MINUTE - 1 })
    expect(supervise(asked, LIMITS).actions).toMatchObject([{ type: "check-status" }])
  })

  it("is ended when it does not answer", () => {
    const reason = "worker w1 showed no sign of work for 420 s"
    expect(supervise(ladder(7 * MINUTE, { statusCheckedAt: NOW - 2 * MINUTE }), LIMITS).actions).toEqual([
      { type: "stop-worker", worker: "w1", reason, isKilled: true },
    ] as never)
  })

  it("loses its task after the whole time where there is no grace, or nobody is asked", () => {
    const noGrace = { ...LIMITS, watchdogGraceMs: 0 }
    expect(supervise(ladder(8 * MINUTE, { statusCheckedAt: NOW - 3 * MINUTE }), noGrace).wakeAt).toBe(NOW + 2 * MINUTE)
    const last = supervise(ladder(10 * MINUTE, { statusCheckedAt: NOW - 5 * MINUTE }), noGrace)
    expect(last.actions.map(({ type }) => type)).toEqual(["stop-worker"])
    const noWarning = { ...LIMITS, watchdogWarningMs: 0 }
    expect(supervise(ladder(9 * MINUTE), noWarning)).toEqual({ actions: [], wakeAt: NOW + MINUTE })
    expect(supervise(ladder(10 * MINUTE), noWarning).actions).toMatchObject([{ isKilled: true }])
  })

  it("loses it without a question when that comes first", () => {
    const quick = { ...LIMITS, watchdogReassignMs: MINUTE }
    expect(supervise(ladder(MINUTE), quick).actions).toMatchObject([{ isKilled: true }])
  })

  it("is asked first after everybody slept, and not ended at once", () => {
    expect(supervise(ladder(60 * MINUTE), LIMITS).actions.map(({ type }) => type)).toEqual(["check-status"])
    const asked = ladder(60 * MINUTE, { statusCheckedAt: NOW - 1000 })
    expect(supervise(asked, LIMITS)).toEqual({ actions: [], wakeAt: NOW - 1000 + 2 * MINUTE })
    expect(supervise(asked, { ...LIMITS, watchdogGraceMs: 0 }).wakeAt).toBe(NOW - 1000 + 5 * MINUTE)
  })

  it("is ended when it leaves a task lying that it could take, while nothing happens at all", () => {
    const quiet = (silentMs: number, task: Partial<Task> = {}, worker: Partial<EngineWorker> = {}) =>
      supervise(
        makeSnapshot({
          tasks: [openTask("1", task)],
          workers: [makeWorker("w1", { activeAt: NOW - silentMs, ...worker })],
          history: { ...historyOf({ w1: STARTED }), lastEventAt: NOW - silentMs },
        }),
        LIMITS,
      )
    expect(quiet(9 * MINUTE)).toEqual({ actions: [], wakeAt: NOW + MINUTE })
    expect(quiet(10 * MINUTE).actions).toEqual([
      { type: "stop-worker", worker: "w1", reason: "worker w1 left task 1 lying for 600 s", isKilled: true },
    ] as never)
    const nothing = { actions: [], wakeAt: null }
    expect(quiet(10 * MINUTE, { role: "docs" }, { role: "test" })).toEqual(nothing)
    expect(quiet(10 * MINUTE, { assignee: parseWorkerId("w2") })).toEqual(nothing)
    expect(quiet(10 * MINUTE, { unmet: 1 })).toEqual(nothing)
    expect(quiet(10 * MINUTE, {}, { availability: "paused" })).toEqual(nothing)
    expect(quiet(10 * MINUTE, {}, { isRunning: null })).toEqual(nothing)
    const lively = makeSnapshot({ tasks: [openTask("1")], workers: [makeWorker("w1", { activeAt: 0 })] })
    lively.history.lastEventAt = NOW
    expect(supervise(lively, LIMITS)).toEqual({ actions: [], wakeAt: NOW + 10 * MINUTE })
  })

  it("is never asked or ended with all times disabled, nor without a task", () => {
    const off = { ...LIMITS, watchdogWarningMs: 0, watchdogReassignMs: 0, freshStartMs: 0 }
    expect(supervise(ladder(999 * MINUTE), off)).toEqual({ actions: [], wakeAt: null })
    const idle = makeSnapshot({ workers: [makeWorker("w1", { activeAt: 0 })] })
    expect(supervise(idle, LIMITS)).toEqual({ actions: [], wakeAt: null })
    expect(supervise({ ...idle, tasks: [openTask("1")] }, off)).toEqual({ actions: [], wakeAt: null })
  })
})

describe("a worker that fails again and again", () => {
  it("is quarantined, and what it holds is given back", () => {
    expect(supervise(ladder(0, { consecutiveErrors: 3 }), LIMITS).actions).toEqual([
      { type: "quarantine-worker", worker: "w1", reason: "3 errors in a row" },
      { type: "release-task", task: "1", reason: "worker w1 is quarantined after 3 errors in a row" },
    ] as never)
  })

  it("is not before, not twice, and not with 0", () => {
    const types = (fact: Partial<WorkerFact>, limits: EngineLimits = LIMITS, worker: Partial<EngineWorker> = {}) =>
      supervise(ladder(0, fact, worker), limits).actions.map(({ type }) => type)
    expect(types({ consecutiveErrors: 2 })).toEqual([])
    expect(types({ consecutiveErrors: 3, quarantined: true })).toEqual([])
    expect(types({ consecutiveErrors: 3 }, LIMITS, { availability: "quarantined" })).toEqual([])
    expect(types({ consecutiveErrors: 99 }, { ...LIMITS, maxConsecutiveErrors: 0 })).toEqual([])
  })
})

describe("a task that is held for too long", () => {
  const old = { claimedAt: new Date(NOW - 60 * MINUTE).toISOString() }

  it("is given back, and one of our workers is started again for it", () => {
    const ours = makeSnapshot({ tasks: [heldTask("1", "w1", old)], workers: [makeWorker("w1")] })
    const reason = "claimed for more than 3600 s"
    expect(supervise(ours, LIMITS).actions).toEqual([
      { type: "release-task", task: "1", reason },
      { type: "stop-worker", worker: "w1", reason, isKilled: false },
    ] as never)
    const session = makeSnapshot({ tasks: [heldTask("1", "anna", old)] })
    expect(supervise(session, LIMITS).actions.map(({ type }) => type)).toEqual(["release-task"])
  })

  it("is left to what else is decided about its worker", () => {
    const silent = makeWorker("w1", { activeAt: NOW - 60 * MINUTE })
    const snapshot = makeSnapshot({ tasks: [heldTask("1", "w1", old)], workers: [silent] })
    expect(supervise(snapshot, LIMITS).actions.map(({ type }) => type)).toEqual(["check-status"])
    expect(supervise(snapshot, { ...LIMITS, watchdogWarningMs: 0 }).actions).toMatchObject([{ isKilled: true }])
  })

  it("is not before its time, nor with 0, nor when it waits for its merge", () => {
    const snapshot = makeSnapshot({ now: NOW - 1, tasks: [heldTask("1", "anna", old)] })
    expect(supervise(snapshot, LIMITS)).toEqual({ actions: [], wakeAt: NOW })
    expect(supervise({ ...snapshot, now: NOW }, { ...LIMITS, freshStartMs: 0 }).actions).toEqual([])
    const review = makeSnapshot({ tasks: [heldTask("1", "w1", { ...old, status: "in_review" })] })
    expect(supervise(review, LIMITS)).toEqual({ actions: [], wakeAt: null })
  })
})

const times = fc.constantFrom(0, 1000, 5000, 60_000, 300_000)
const limitsArbitrary = fc.record({
  ...{ watchdogWarningMs: times, watchdogGraceMs: times, watchdogReassignMs: times, freshStartMs: times },
  maxConsecutiveErrors: fc.integer({ min: 0, max: 4 }),
})
const past = fc.integer({ min: 0, max: 400_000 }).map((ms) => NOW - ms)
const workerArbitrary = fc.record({
  ...{ activeAt: past, claimedAt: past, statusCheckedAt: fc.option(past), exitedAt: fc.option(past) },
  isRunning: fc.constantFrom(true, true, false, null),
  consecutiveErrors: fc.integer({ min: 0, max: 4 }),
  hasTask: fc.boolean(),
})

interface AnyWorker {
  readonly activeAt: number
  readonly claimedAt: number
  readonly statusCheckedAt: number | null
  readonly exitedAt: number | null
  readonly isRunning: boolean | null
  readonly consecutiveErrors: number
  readonly hasTask: boolean
}

function makeCase(given: readonly AnyWorker[]): EngineSnapshot {
  return makeSnapshot({
    workers: given.map(({ activeAt, isRunning }, index) => makeWorker(`w${index}`, { activeAt, isRunning })),
    tasks: given.flatMap(({ hasTask, claimedAt }, index) =>
      hasTask
        ? [heldTask(String(index), `w${index}`, { claimedAt: new Date(claimedAt).toISOString(), leaseUntil: null })]
        : [openTask(String(index))],
    ),
    history: historyOf(
      Object.fromEntries(
        given.map(({ statusCheckedAt, exitedAt, consecutiveErrors }, index) => [
          `w${index}`,
          { ...STARTED, statusCheckedAt, exitedAt, consecutiveErrors },
        ]),
      ),
    ),
  })
}

describe("for any workers and any limits", () => {
  const cases = fc.tuple(fc.array(workerArbitrary, { maxLength: 5 }), limitsArbitrary)

  it("there is nothing to do before the time to look again, and something then", () => {
    fc.assert(
      fc.property(cases, ([given, change]) => {
        const snapshot = makeCase(given)
        const limits = { ...LIMITS, ...change }
        const { actions, wakeAt } = supervise(snapshot, limits)
        if (actions.length > 0) return
        const at = (now: number) => supervise({ ...snapshot, now }, limits).actions
        if (wakeAt === null) return expect(at(NOW + 1e9)).toEqual([])
        expect(wakeAt).toBeGreaterThan(NOW)
        expect(at(wakeAt - 1)).toEqual([])
        expect(at(wakeAt)).not.toEqual([])
      }),
    )
  })

  it("nobody is ended who did something in time, and no task is given back twice", () => {
    fc.assert(
      fc.property(cases, ([given, change]) => {
        const snapshot = makeCase(given)
        const limits = { ...LIMITS, ...change }
        const { actions } = supervise(snapshot, limits)
        const givenBack = actions.flatMap((action) =>
          (action.type === "record-worker-death" || action.type === "release-task") && action.task !== null
            ? [action.task]
            : [],
        )
        expect(new Set(givenBack).size).toBe(givenBack.length)
        for (const action of actions) {
          if (action.type !== "stop-worker" || !action.isKilled) continue
          const { activeAt = NOW } = snapshot.workers.find(({ id }) => id === action.worker) ?? {}
          const askedAt = snapshot.history.workers.get(action.worker)?.statusCheckedAt ?? null
          const isUnanswered = askedAt !== null && askedAt >= activeAt && NOW - askedAt >= limits.watchdogGraceMs
          const isSilent = limits.watchdogReassignMs > 0 && NOW - activeAt >= limits.watchdogReassignMs
          expect(isUnanswered || isSilent).toBe(true)
        }
      }),
    )
  })
})
