import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { heldTask, historyOf, LIMITS, makeSnapshot, makeWorker, NOW, openTask } from "../../test/support/engine.ts"
import type { TaskId } from "../kernel/ids.ts"
import { parseWorkerId } from "../kernel/ids.ts"
import type { Staffing } from "../planning/staffing.ts"
import type { Task } from "../tasks/task.ts"
import { ROLES, type Role } from "../tasks/task.ts"
import type { Action, EngineLimits, EngineSnapshot, EngineWorker } from "./actions.ts"
import { staff } from "./balance.ts"

function started(snapshot: EngineSnapshot, limits: Partial<EngineLimits> = {}): string[] {
  return starts(staff(snapshot, { ...LIMITS, ...limits }).actions)
}

function starts(actions: readonly Action[]): string[] {
  return actions.flatMap((each) => (each.type === "start-worker" ? [`${each.worker ?? "new"}:${each.role}`] : []))
}

const ofRole = (id: string, role: Role) => openTask(id, { role })
const gone = (id: string, change: Partial<EngineWorker> = {}) =>
  makeWorker(id, { isRunning: false, availability: "dead", ...change })
const exited = { startedAt: NOW - 60_000, starts: 1, exitedAt: NOW - 1000 }

describe("how many", () => {
  it("F015: starts one for each task that could be done now when nobody says otherwise, each role first", () => {
    const tasks = [ofRole("1", "backend"), ofRole("2", "frontend"), ofRole("3", "backend"), ofRole("4", "worker")]
    expect(started(makeSnapshot({ tasks }))).toEqual(["new:backend", "new:frontend", "new:worker", "new:backend"])
    const many = ["1", "2", "3", "4", "5", "6"].map((id) => ofRole(id, "backend"))
    expect(started(makeSnapshot({ tasks: [...many, ofRole("7", "docs")] }), { maxAgents: 3 })).toEqual([
      ...["new:backend", "new:docs", "new:backend"],
    ])
    expect(started(makeSnapshot({ tasks: [openTask("1"), openTask("2"), openTask("3")] }))).toHaveLength(3)
  })

  it("F015: starts another for a role whose workers are busy, and none for what a free one will take", () => {
    const tasks = [ofRole("1", "backend"), ofRole("2", "backend"), heldTask("3", "w1", { role: "backend" })]
    const w1 = makeWorker("w1", { role: "backend" })
    expect(started(makeSnapshot({ tasks, workers: [w1] }))).toEqual(["new:backend", "new:backend"])
    const starting = makeWorker("w2", { role: "backend", availability: "spawning" })
    expect(started(makeSnapshot({ tasks, workers: [w1, starting] }))).toEqual(["new:backend"])
    expect(started(makeSnapshot({ tasks, workers: [w1, starting, makeWorker("w3", { role: null })] }))).toEqual([])
  })

  it("leaves the place of a paused worker empty", () => {
    const paused = makeWorker("w1", { role: "backend", availability: "paused" })
    expect(started(makeSnapshot({ tasks: [ofRole("1", "backend")], workers: [paused] }))).toEqual([])
    const tasks = [ofRole("1", "backend"), ofRole("2", "backend")]
    expect(started(makeSnapshot({ tasks, workers: [paused] }))).toEqual(["new:backend"])
  })

  it("starts as many as asked, but not more than there are tasks", () => {
    const staffing: Staffing = { kind: "count", count: 3 }
    expect(started(makeSnapshot({ tasks: [openTask("1"), openTask("2")] }), { staffing })).toEqual([
      "new:worker",
      "new:worker",
    ])
    const tasks = ["1", "2", "3", "4", "5"].map((id) => ofRole(id, "docs"))
    expect(started(makeSnapshot({ tasks }), { staffing })).toHaveLength(3)
    const workers = [makeWorker("w1"), makeWorker("w2")]
    expect(started(makeSnapshot({ tasks, workers }), { staffing })).toHaveLength(1)
  })

  it("starts nobody in manual mode, and does not call that stuck", () => {
    const none: EngineLimits = { ...LIMITS, staffing: { kind: "count", count: 0 } }
    expect(staff(makeSnapshot({ tasks: [openTask("1")] }), none)).toEqual({ actions: [], wakeAt: null, stuck: null })
  })

  it("starts so many of each role as asked", () => {
    const staffing: Staffing = {
      kind: "roles",
      counts: [
        { role: "backend", count: 2 },
        { role: "frontend", count: 1 },
      ],
    }
    const tasks = [ofRole("1", "backend"), ofRole("2", "backend"), ofRole("3", "backend"), ofRole("4", "frontend")]
    expect(started(makeSnapshot({ tasks }), { staffing })).toEqual(["new:backend", "new:backend", "new:frontend"])
    // Whoever is started for a task of its role does anybody's as well.
    expect(started(makeSnapshot({ tasks: [openTask("1")] }), { staffing })).toEqual(["new:backend"])
  })

  it("adds one for a role that nobody of the list could do", () => {
    const staffing: Staffing = { kind: "roles", counts: [{ role: "backend", count: 1 }] }
    const tasks = [ofRole("1", "backend"), ofRole("2", "docs"), ofRole("3", "docs")]
    expect(started(makeSnapshot({ tasks }), { staffing })).toEqual(["new:backend", "new:docs"])
  })

  it("never starts more than may run", () => {
    const tasks = ROLES.map((role, index) => ofRole(String(index), role))
    expect(started(makeSnapshot({ tasks }))).toHaveLength(5)
    const workers = ["w1", "w2", "w3", "w4"].map((id) => makeWorker(id, { role: "docs", availability: "paused" }))
    expect(started(makeSnapshot({ tasks, workers }))).toHaveLength(1)
  })

  it.each([
    ["paused", { status: "paused" }],
    ["complete", { phase: "COMPLETE" }],
    ["cancelled", { status: "cancelled" }],
  ] as const)("starts nobody for a team that is %s", (_, change) => {
    const snapshot = makeSnapshot({ tasks: [openTask("1")] })
    expect(started({ ...snapshot, team: { ...snapshot.team, ...change } })).toEqual([])
  })
})

describe("which tasks count", () => {
  const waves = { version: "1.0", totalWaves: 2, currentWave: 1, waves: [wave(1), wave(2)] } as const
  function wave(id: number) {
    return { id, status: "planning", tasks: [], startedAt: null, verifiedAt: null } as const
  }

  it("counts what is open, in the open wave, with met needs", () => {
    expect(started(makeSnapshot({ tasks: [openTask("1", { unmet: 1 })] }))).toEqual([])
    const later = makeSnapshot({ waves, tasks: [openTask("1", { wave: 2 })] })
    expect(started(later)).toEqual([])
    expect(started(makeSnapshot({ waves, tasks: [openTask("1", { wave: 1 })] }))).toEqual(["new:worker"])
    expect(started({ ...later, team: { ...later.team, schedule: "eager" } })).toEqual(["new:worker"])
    expect(
      started(makeSnapshot({ tasks: [openTask("1", { status: "failed" }), openTask("2", { status: "paused" })] })),
    ).toEqual([])
  })

  it("counts a claim that ran out, unless one of ours that runs has it", () => {
    const lapsed = { leaseUntil: new Date(NOW - 1).toISOString() }
    expect(started(makeSnapshot({ tasks: [heldTask("1", "anna", lapsed)] }))).toEqual(["new:worker"])
    expect(started(makeSnapshot({ tasks: [heldTask("1", "w1", lapsed)], workers: [makeWorker("w1")] }))).toEqual([])
    expect(started(makeSnapshot({ tasks: [heldTask("1", "anna")] }))).toEqual([])
  })

  it("looks again when a claim of somebody else runs out", () => {
    const snapshot = makeSnapshot({ tasks: [heldTask("1", "anna")] })
    const { actions, wakeAt } = staff(snapshot, LIMITS)
    expect([actions, wakeAt]).toEqual([[], NOW + 120_001])
    expect(started({ ...snapshot, now: NOW + 120_001 })).toEqual(["new:worker"])
    expect(staff({ ...snapshot, workers: [makeWorker("anna")] }, LIMITS).wakeAt).toBeNull()
  })

  it("does not count what somebody who is free will take", () => {
    const workers = [makeWorker("w1"), makeWorker("w2", { role: "docs" })]
    const staffing: Staffing = { kind: "count", count: 5 }
    expect(
      started(makeSnapshot({ workers, tasks: [ofRole("1", "docs"), ofRole("2", "backend")] }), { staffing }),
    ).toEqual([])
    expect(
      started(makeSnapshot({ workers, tasks: [ofRole("1", "test"), ofRole("2", "test")] }), { staffing }),
    ).toHaveLength(1)
  })
})

describe("who comes again", () => {
  const restart = (crashes: number, agoMs: number, limits: Partial<EngineLimits> = {}) =>
    staff(
      makeSnapshot({
        tasks: [openTask("1")],
        workers: [gone("w1")],
        history: historyOf({ w1: { ...exited, crashes, exitedAt: NOW - agoMs } }),
      }),
      { ...LIMITS, ...limits },
    )

  it.each([
    [1, 5000],
    [2, 10_000],
    [3, 20_000],
  ])("starts a worker again that crashed %i times, after %i ms", (crashes, waitMs) => {
    expect(restart(crashes, waitMs - 1)).toEqual({ actions: [], wakeAt: NOW + 1, stuck: null })
    expect(starts(restart(crashes, waitMs).actions)).toEqual(["w1:worker"])
  })

  it("gives it up at the fourth, and starts another", () => {
    expect(starts(restart(4, 0).actions)).toEqual(["new:worker"])
  })

  it("repeats the last wait, and waits for nothing without any", () => {
    expect(restart(3, 0, { restartBackoffMs: [7000] }).wakeAt).toBe(NOW + 7000)
    expect(starts(restart(3, 0, { restartBackoffMs: [] }).actions)).toEqual(["w1:worker"])
  })

  it("starts whoever ended in peace at once", () => {
    expect(starts(restart(0, 0).actions)).toEqual(["w1:worker"])
  })

  it("keeps the place of one that is about to be buried", () => {
    const snapshot = makeSnapshot({
      tasks: [openTask("1")],
      workers: [makeWorker("w1", { isRunning: false })],
      history: historyOf({ w1: { startedAt: NOW - 1000, starts: 1 } }),
    })
    expect(started(snapshot)).toEqual([])
  })

  it("asks a person first under supervision, once for each crash", () => {
    const snapshot = makeSnapshot({
      team: { phase: "EXECUTION", status: "active", mode: "SUPERVISED", schedule: "waves" },
      tasks: [openTask("1")],
      workers: [gone("w1")],
      history: historyOf({ w1: { ...exited, crashes: 1, exitedAt: NOW - 6000 } }),
    })
    expect(staff(snapshot, LIMITS).actions).toEqual([
      {
        ...{ type: "pause-team", trigger: "repeated_failure" },
        reason: "worker w1 crashed, and is started again once the team goes on",
      },
    ])
    snapshot.history.resumedAt = NOW - 100
    expect(started(snapshot)).toEqual(["w1:worker"])
  })

  it("takes the one that did less, then worked less, then has the lower number", () => {
    const pick = (facts: Parameters<typeof historyOf>[0]) =>
      started(
        makeSnapshot({
          tasks: [openTask("1")],
          workers: ["w10", "w9", "w2"].map((id) => gone(id, { availability: "stopped" })),
          history: historyOf(facts),
        }),
      )
    expect(pick({ w2: exited, w9: exited, w10: exited })).toEqual(["w2:worker"])
    expect(pick({ w2: { ...exited, busyMs: 5 }, w9: { ...exited, busyMs: 5 }, w10: exited })).toEqual(["w10:worker"])
    expect(
      pick({ w2: { ...exited, finished: 1 }, w9: { ...exited, busyMs: 5 }, w10: { ...exited, busyMs: 9 } }),
    ).toEqual(["w9:worker"])
  })

  it("takes only one of the same role", () => {
    const workers = [gone("w1", { role: "docs" })]
    const snapshot = makeSnapshot({ tasks: [ofRole("1", "test")], workers, history: historyOf({ w1: exited }) })
    expect(started(snapshot)).toEqual(["new:test"])
  })
})

describe("who must go", () => {
  it("stops a quarantined worker, and starts another in its place once it is gone", () => {
    const workers = [makeWorker("w1", { availability: "quarantined" })]
    const staffing: Staffing = { kind: "count", count: 1 }
    const tasks = [openTask("1")]
    const history = historyOf({ w1: { startedAt: NOW - 1000, quarantined: true } })
    expect(staff(makeSnapshot({ workers, tasks, history }), { ...LIMITS, staffing }).actions).toEqual([
      { type: "stop-worker", worker: parseWorkerId("w1"), reason: "worker w1 is quarantined", isKilled: false },
    ])
    const after = { tasks, workers: [gone("w1")], history: historyOf({ w1: { ...exited, quarantined: true } }) }
    expect(started(makeSnapshot(after), { staffing })).toEqual(["new:worker"])
  })

  it("makes room for a role that has work when all places are taken by those that have none", () => {
    const workers = [makeWorker("w1", { role: "docs" }), makeWorker("w2", { role: "test" })]
    const history = historyOf({ w1: { finished: 2 }, w2: { finished: 1 } })
    const snapshot = makeSnapshot({ tasks: [ofRole("1", "backend")], workers, history })
    expect(staff(snapshot, { ...LIMITS, maxAgents: 2 }).actions).toEqual([
      {
        type: "stop-worker",
        worker: parseWorkerId("w1"),
        reason: "no task of its role is ready, and a worker for backend is needed",
        isKilled: false,
      },
    ])
    const busy = { ...snapshot, tasks: [...snapshot.tasks, heldTask("2", "w1"), heldTask("3", "w2")] }
    expect(staff(busy, { ...LIMITS, maxAgents: 2 }).actions).toEqual([])
  })

  it("stops nobody while there is room, or nothing to do", () => {
    const workers = [makeWorker("w1", { role: "docs" })]
    expect(staff(makeSnapshot({ workers }), LIMITS).actions).toEqual([])
    expect(staff(makeSnapshot({ workers, tasks: [ofRole("1", "docs")] }), LIMITS).actions).toEqual([])
  })
})

describe("what was meant for somebody", () => {
  const meant = openTask("1", { assignee: parseWorkerId("w1") })
  const types = (snapshot: EngineSnapshot, limits: Partial<EngineLimits> = {}) =>
    staff(snapshot, { ...LIMITS, ...limits }).actions.map((each) =>
      each.type === "start-worker" ? `start ${each.worker}` : each.type,
    )

  it("brings that worker back when it is gone", () => {
    const workers = [gone("w1"), gone("w2", { availability: "stopped" })]
    const history = historyOf({ w1: { ...exited, finished: 9 }, w2: exited })
    expect(types(makeSnapshot({ tasks: [meant], workers, history }))).toEqual(["start w1"])
  })

  it("waits for it while it has something else to do, and while its restart waits", () => {
    const busy = makeSnapshot({ tasks: [meant, heldTask("2", "w1")], workers: [makeWorker("w1")] })
    expect(types(busy)).toEqual([])
    const crashed = historyOf({ w1: { ...exited, crashes: 1 } })
    expect(staff(makeSnapshot({ tasks: [meant], workers: [gone("w1")], history: crashed }), LIMITS)).toEqual({
      ...{ actions: [], stuck: null },
      wakeAt: NOW + 4000,
    })
  })

  it.each([
    ["was given up", gone("w1"), { ...exited, crashes: 4 }],
    ["is quarantined", makeWorker("w1", { availability: "quarantined" }), { quarantined: true }],
    ["ended its session", makeWorker("w1", { isRunning: null, availability: "stopped" }), {}],
  ])("is anybody's when that worker %s", (_, worker, fact) => {
    const snapshot = makeSnapshot({ tasks: [meant], workers: [worker], history: historyOf({ w1: fact }) })
    expect(types(snapshot)).toContain("free-task")
  })

  it("F024: is anybody's when it is a fix and that worker has something else to do", () => {
    const fix = { ...meant, id: "fix-9-1" as TaskId }
    const [w1, w2] = [makeWorker("w1"), makeWorker("w2")]
    const at = (tasks: readonly Task[], worker = w1) => types(makeSnapshot({ tasks, workers: [worker, w2] }))
    expect(at([fix])).toEqual([])
    expect(at([fix, heldTask("2", "w1")])).toEqual(["free-task"])
    expect(at([fix], makeWorker("w1", { availability: "paused" }))).toEqual(["free-task"])
    expect(at([meant, heldTask("2", "w1")])).toEqual([])
  })

  it("F054: starts the worker that a task names, before others and beside them", () => {
    const two = { kind: "count", count: 2 } as const
    const tasks = [openTask("2"), openTask("3"), openTask("1", { assignee: parseWorkerId("w5") })]
    expect(types(makeSnapshot({ tasks }), { staffing: two })).toEqual(["start w5", "start null"])
    const workers = [makeWorker("w1"), makeWorker("w2")]
    expect(types(makeSnapshot({ tasks: [meant, ...tasks], workers }), { staffing: two })).toEqual(["start w5"])
    expect(types(makeSnapshot({ tasks, workers }), { staffing: two, maxAgents: 2 })).toEqual([])
  })

  it("F054: makes room for the named worker when no more may run, and starts nobody where people do", () => {
    const tasks = [openTask("1", { assignee: parseWorkerId("w5") })]
    const snapshot = makeSnapshot({ tasks, workers: [makeWorker("w1")] })
    expect(types(snapshot, { maxAgents: 1 })).toEqual(["stop-worker"])
    expect(types(makeSnapshot({ tasks }), { staffing: { kind: "count", count: 0 } })).toEqual([])
  })

  it("F054: gives the named worker the role of its tasks, or any where they differ", () => {
    const assignee = parseWorkerId("w3")
    const roleOf = (...tasks: readonly Task[]) =>
      staff(makeSnapshot({ tasks }), { ...LIMITS, staffing: { kind: "auto" } }).actions
    const docs = { ...openTask("1", { assignee }), role: "docs" } as const
    const test = { ...openTask("2", { assignee }), role: "test" } as const
    expect(roleOf(docs)).toEqual([{ type: "start-worker", worker: assignee, role: "docs" }])
    expect(roleOf(docs, test)).toEqual([{ type: "start-worker", worker: assignee, role: "worker" }])
  })

  it("is anybody's when that worker may not be started beside the others", () => {
    const workers = [makeWorker("w2"), gone("w1", { availability: "stopped" })]
    const snapshot = makeSnapshot({ tasks: [meant], workers, history: historyOf({ w1: exited }) })
    expect(types(snapshot, { staffing: { kind: "count", count: 1 } })).toEqual(["free-task"])
  })

  it("stays with a person, and says so when nothing else is left", () => {
    const tasks = [
      openTask("1", { assignee: parseWorkerId("anna") }),
      openTask("2", { assignee: parseWorkerId("anna") }),
    ]
    expect(staff(makeSnapshot({ tasks }), LIMITS)).toEqual({
      ...{ actions: [], wakeAt: null },
      stuck:
        'task 1 and 1 more waits for anna, who is not a worker of this team; start it with: teamwork worker --worker-id anna, or free the task with: teamwork task update 1 --assignee ""',
    })
    expect(staff(makeSnapshot({ tasks: [...tasks, heldTask("3", "anna")] }), LIMITS).stuck).toBeNull()
  })
})

describe("when nobody is left", () => {
  it("stops hiring once as many were given up as may run, and says so", () => {
    const names = ["w1", "w2"]
    const snapshot = makeSnapshot({
      tasks: [openTask("1")],
      workers: names.map((id) => gone(id)),
      history: historyOf(Object.fromEntries(names.map((id) => [id, { ...exited, crashes: 4 }]))),
    })
    expect(staff(snapshot, { ...LIMITS, maxAgents: 2 })).toEqual({
      ...{ actions: [], wakeAt: null },
      stuck: "task 1 finds no worker: w1, w2 crashed too often or were quarantined",
    })
    expect(started(snapshot, { maxAgents: 3 })).toEqual(["new:worker"])
  })

  it("is stuck also while somebody runs who may take none of what waits", () => {
    const idle = makeWorker("w2", { role: "docs" })
    const facts = (tasks: EngineSnapshot["tasks"]) =>
      makeSnapshot({ tasks, workers: [gone("w1"), idle], history: historyOf({ w1: { ...exited, crashes: 4 } }) })
    const limits = { ...LIMITS, maxAgents: 1 }
    expect(staff(facts([ofRole("1", "backend")]), limits).stuck).toBe(
      "task 1 finds no worker: w1 crashed too often or were quarantined",
    )
    expect(staff(facts([ofRole("1", "backend"), heldTask("2", "w2")]), limits).stuck).toBeNull()
    expect(staff(facts([ofRole("1", "docs")]), limits).stuck).toBeNull()
  })
})

const roles = fc.constantFrom<Role>("worker", "backend", "docs")
const workerArbitrary = fc.record({
  role: roles,
  isRunning: fc.constantFrom(true, true, false, null),
  availability: fc.constantFrom("idle", "dead", "stopped", "quarantined", "paused", "spawning" as const),
  crashes: fc.integer({ min: 0, max: 5 }),
  exitedAt: fc.option(fc.integer({ min: 0, max: 30_000 }).map((ms) => NOW - ms)),
  isBusy: fc.boolean(),
})
const staffings = fc.oneof(
  fc.constant<Staffing>({ kind: "auto" }),
  fc.integer({ min: 1, max: 6 }).map((count): Staffing => ({ kind: "count", count })),
  fc
    .array(fc.record({ role: roles, count: fc.integer({ min: 0, max: 3 }) }), { maxLength: 3 })
    .map((counts): Staffing => ({ kind: "roles", counts })),
)

describe("for any crew, tasks and staffing", () => {
  const cases = fc.record({
    given: fc.array(workerArbitrary, { maxLength: 6 }),
    open: fc.array(fc.record({ role: roles, assignee: fc.constantFrom(null, null, "w0", "w1", "anna") }), {
      maxLength: 8,
    }),
    ...{ staffing: staffings, maxAgents: fc.integer({ min: 1, max: 6 }) },
  })

  it("starts no more than may run and than there is to do, everybody once, and goes on or says why not", () => {
    fc.assert(
      fc.property(cases, ({ given, open, staffing, maxAgents }) => {
        const workers = given.map((each, index) => makeWorker(`w${index}`, each))
        const busy = given.flatMap(({ isBusy, isRunning }, index) =>
          isBusy && isRunning === true ? [heldTask(`held-${index}`, `w${index}`)] : [],
        )
        const snapshot = makeSnapshot({
          workers,
          tasks: [
            ...busy,
            ...open.map(({ role, assignee }, index) =>
              openTask(String(index), { role, assignee: assignee === null ? null : parseWorkerId(assignee) }),
            ),
          ],
          history: historyOf(
            Object.fromEntries(given.map(({ crashes, exitedAt }, index) => [`w${index}`, { crashes, exitedAt }])),
          ),
        })
        const { actions, wakeAt, stuck } = staff(snapshot, { ...LIMITS, staffing, maxAgents })
        const begun = actions.flatMap((each) => (each.type === "start-worker" ? [each] : []))
        const running = workers.filter(({ isRunning }) => isRunning === true).length
        expect(begun.length).toBeLessThanOrEqual(Math.max(0, maxAgents - running))
        expect(begun.length).toBeLessThanOrEqual(open.length)
        const again = begun.flatMap(({ worker }) => worker ?? [])
        expect(new Set(again).size).toBe(again.length)
        for (const id of again) expect(workers.find((each) => each.id === id)?.isRunning ?? false).toBe(false)
        if (wakeAt !== null) expect(wakeAt).toBeGreaterThan(NOW)
        const isAlone = running === 0 && busy.length === 0 && workers.every(({ isRunning }) => isRunning !== false)
        if (open.length > 0 && isAlone) expect(actions.length > 0 || stuck !== null).toBe(true)
      }),
    )
  })
})
