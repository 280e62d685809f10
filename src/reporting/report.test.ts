import { describe, expect, it } from "bun:test"
import {
  BEGIN,
  claimed,
  eventAt,
  makeView,
  makeWorker,
  resolved,
  runEnded,
  runStarted,
  sampleView,
  workerStarted,
} from "../../test/support/sample-view.ts"
import { makeTask } from "../../test/support/tasks.ts"
import { UNITED } from "../delivery/shared-files/shared-file.ts"
import type { Event } from "../kernel/events.ts"
import type { TaskId, WorkerId } from "../kernel/ids.ts"
import type { Exception } from "../ownership/exception.ts"
import type { Verdict } from "../quality/verdict.ts"
import type { Question } from "../requests/question.ts"
import { NO_WORK, type Task } from "../tasks/task.ts"
import { makeReport, type Report, type ReportFacts } from "./report.ts"
import type { TeamView } from "./team-view.ts"

const task = (id: string, change: Partial<Task> = {}, ...needs: string[]) =>
  makeTask({ id: id as TaskId, title: `Title of ${id}`, blockedBy: needs as TaskId[], ...change })
const done = { status: "resolved" } as const
const led = (settings = "{}") => eventAt(0, "team.led", { holder: "h", token: 1, settings })
const left = (seconds: number, reason: string) => eventAt(seconds, "team.left", { holder: "h", token: 1, reason })

function report(
  tasks: readonly Task[],
  events: readonly Event[],
  {
    verdicts = [],
    exceptions = [],
    ...change
  }: Partial<Omit<TeamView, "tasks">> & Partial<Omit<ReportFacts, "view">> = {},
): Report {
  return makeReport({ view: makeView({ tasks, events, lead: null, ...change }), verdicts, exceptions })
}

function verdict(change: Partial<Verdict>): Verdict {
  const none = { subject: null, checks: [], issues: [], by: "gate", timestamp: "2026-03-02T09:00:00.000Z" }
  return { scope: "final", status: "passed", ...none, ...change }
}

const notesOf = ({ tasks }: Report, id: string) => tasks.find((each) => each.id === id)?.notes

describe("the report", () => {
  it("tells when it ran, for how long and how it ended", () => {
    const tasks = [task("1", done)]
    const events = [led('{"template":"build-team"}'), claimed(1, "1", "w1"), resolved(5, "1", "w1")]
    const over = report(tasks, [...events, left(10, "done")], { now: BEGIN + 99_000 })
    expect(over).toMatchObject({ outcome: "done", template: "build-team", durationMs: 10_000, done: 1, total: 1 })
    expect(over).toMatchObject({ startedAt: "2026-03-02T09:00:00.000Z", endedAt: "2026-03-02T09:00:10.000Z" })
    const lead = { holder: "h", leaseUntil: BEGIN + 500_000 }
    const running = report(tasks, events, { lead, now: BEGIN + 20_000 })
    expect(running).toMatchObject({ outcome: "running", endedAt: null, durationMs: 20_000 })
    expect(report([], [])).toMatchObject({ outcome: "waiting", startedAt: null, durationMs: null, template: null })
    expect(report(tasks, [led("not json")])).toMatchObject({ template: null })
  })

  it("marks tasks and notes what was special about them", () => {
    const setback = eventAt(2, "task.setback", {
      ...{ task: "3", attempt: 1, worker: "w1", agent: null, kind: "crashed", reason: "exit code 7", advice: null },
    })
    const tasks = [
      task("1", done),
      task("test-1", { ...done, work: { ...NO_WORK, cascadeOf: "1" as TaskId, cascadeDepth: 1 } }),
      task("review-1", { work: { ...NO_WORK, cascadeOf: "1" as TaskId, cascadeDepth: 1 } }),
      task("3", { ...done, attempt: 2 }),
      task("fix-3-1", { status: "failed" }),
      task("finding-1-3", { status: "in_progress" }),
      task("finding-1-whole", { status: "skipped" }),
      task("7", { status: "paused", pauseReason: "out of money" }),
    ]
    const made = report(tasks, [
      ...[claimed(1, "3", "w1"), setback, eventAt(2, "task.released", { task: "3", owner: "w1", reason: "" })],
      ...[claimed(3, "3", "w2"), resolved(9, "3", "w2")],
      eventAt(10, "task.merge_failed", { task: "3", attempt: 1, reason: "conflict", fix: "fix-3-1" }),
      eventAt(11, "task.status_changed", { task: "fix-3-1", from: "in_progress", to: "failed", reason: "no way" }),
    ])
    expect(made.tasks.map(({ mark }) => mark)).toEqual(["DONE", "DONE", "OPEN", "DONE", "FAIL", "BUSY", "SKIP", "HOLD"])
    expect(notesOf(made, "1")).toEqual([])
    expect(notesOf(made, "test-1")).toEqual(["cascade: test for #1"])
    expect(notesOf(made, "review-1")).toEqual(["cascade: review for #1"])
    expect(notesOf(made, "3")).toEqual(["reassigned from w1", "attempt 2", "set back: crashed"])
    expect(notesOf(made, "fix-3-1")).toEqual(["fix of #3", "failed: no way"])
    expect(notesOf(made, "finding-1-3")).toEqual(["fix of #3 after review"])
    expect(notesOf(made, "finding-1-whole")).toEqual(["fix after review"])
    expect(notesOf(made, "7")).toEqual(["paused: out of money"])
    expect(made.tasks.find(({ id }) => id === "3")).toMatchObject({ worker: "w2", workMs: 7000 })
    expect(made.cascade).toEqual({
      ...{ total: 2, done: 1 },
      tasks: [
        { id: "test-1", of: "1", status: "resolved" },
        { id: "review-1", of: "1", status: "open" },
      ],
    })
  })

  it("F050: names program, model and role of each worker, task and run", () => {
    const made = report(
      [task("1", { ...done, role: "backend" })],
      [
        ...[workerStarted(0, "w1", "backend"), claimed(1, "1", "w1")],
        ...[runStarted(2, "1-1-1", { task: "1", worker: "w1", agent: "claude", model: "opus" })],
        ...[runEnded(12, "1-1-1", { task: "1", worker: "w1", agent: "claude" })],
        ...[runStarted(13, "1-1-2", { task: "1", worker: "w1", agent: "claude", model: "opus" })],
        ...[runStarted(14, "1-1-3", { task: "1", worker: "w1", agent: "codex", model: null })],
      ],
    )
    const agents = [
      { agent: "claude", model: "opus", runs: 2 },
      { agent: "codex", model: null, runs: 1 },
    ]
    expect(made.workers).toMatchObject([{ id: "w1", role: "backend", agents }])
    expect(made.tasks).toMatchObject([{ id: "1", role: "backend", agents }])
    expect(made.runs).toMatchObject([
      { id: "1-1-1", task: "1", worker: "w1", role: "backend", agent: "claude", model: "opus", durationMs: 10_000 },
      { id: "1-1-2", reason: null, durationMs: null },
      { id: "1-1-3", agent: "codex", model: null },
    ])
  })

  it("counts what workers did, and how much of their time they had nothing to do", () => {
    const made = report(
      [task("1", done), task("2", { status: "in_progress" })],
      [
        ...[workerStarted(0, "w1", "backend"), workerStarted(0, "w2", null)],
        ...[claimed(10, "1", "w1"), resolved(40, "1", "w1"), claimed(50, "2", "w2")],
        eventAt(60, "worker.exited", { worker: "w1", reason: "crashed", detail: null }),
        runStarted(70, "plan-1", { task: null, worker: "planner" }),
      ],
      { now: BEGIN + 100_000 },
    )
    expect(made.workers).toEqual([
      { id: "w1", role: "backend", agents: [], done: 1, busyMs: 30_000, idleShare: 0.5, crashes: 1, setbacks: 0 },
      { id: "w2", role: null, agents: [], done: 0, busyMs: 50_000, idleShare: 0.5, crashes: 0, setbacks: 0 },
    ])
    expect(made.idleShare).toBe(0.5)
    // Of somebody who works by hand nobody knows how long they were there.
    const byHand = report([task("1", done)], [claimed(0, "1", "ann"), resolved(9, "1", "ann")])
    expect(byHand.workers).toMatchObject([{ id: "ann", done: 1, busyMs: 9000, idleShare: null }])
    expect(byHand.idleShare).toBeNull()
  })

  it("sums up cost by agent, worker and task, and tells what is guessed or unknown", () => {
    const made = report(
      [task("1"), task("2")],
      [
        ...[runStarted(0, "1-1-1"), runEnded(1, "1-1-1", { dollars: 0.5 })],
        ...[runStarted(0, "1-1-2"), runEnded(1, "1-1-2", { dollars: 0.25, dollars_are_estimated: true })],
        ...[runStarted(2, "2-1-1", { agent: "codex", model: null, worker: "w2" })],
        runEnded(3, "2-1-1", { dollars: null, input_tokens: 5, output_tokens: 5 }),
        ...[runStarted(4, "2-1-2", { agent: "script", model: null, worker: "w2" })],
        runEnded(5, "2-1-2", { dollars: null, input_tokens: 0, output_tokens: 0 }),
      ],
    )
    const both = { runs: 2, tokens: 24_690, dollars: 0.75, isEstimated: true, unknown: 0 }
    expect(made.cost.total).toEqual({ runs: 4, tokens: 24_700, dollars: 0.75, isEstimated: true, unknown: 1 })
    expect(made.cost.byAgent).toMatchObject([
      { name: "claude sonnet", ...both },
      { name: "codex", dollars: 0, unknown: 1 },
      { name: "script", unknown: 0, tokens: 0 },
    ])
    expect(made.cost.byWorker.map(({ name, runs }) => [name, runs])).toEqual([
      ["w1", 2],
      ["w2", 2],
    ])
    expect(made.cost.byTask).toMatchObject([{ name: "1", ...both }, { name: "2" }])
  })

  it("sums up the words that teamwork itself added, where they were counted", () => {
    const words = { sent_tokens: 1000, own_tokens: 600 }
    const made = report(
      [task("1")],
      [runStarted(0, "1-1-1", words), runStarted(1, "1-1-2", words), runStarted(2, "1-1-3")],
    )
    expect(made.cost.ownWords).toEqual({ runs: 2, tokens: 1200, sentTokens: 2000 })
  })

  it("finds the chain that took longest, fixes and follow-ups included", () => {
    const tasks = [
      ...[task("1", done), task("2", done, "1"), task("3", done), task("4", done, "3")],
      task("fix-3-1", done),
      task("test-9", { ...done, work: { ...NO_WORK, cascadeOf: "fix-3-1" as TaskId, cascadeDepth: 1 } }),
    ]
    const worked = (id: string, from: number, to: number) => [claimed(from, id, "w1"), resolved(to, id, "w1")]
    const made = report(tasks, [
      ...[led(), ...worked("1", 0, 10), ...worked("2", 10, 20), ...worked("3", 20, 35), ...worked("4", 35, 36)],
      eventAt(36, "task.merge_failed", { task: "3", attempt: 1, reason: "conflict", fix: "fix-3-1" }),
      ...[...worked("fix-3-1", 40, 44), ...worked("test-9", 44, 46), left(50, "done")],
    ])
    expect(made.criticalPath.tasks.map(({ id, workMs }) => [id, workMs])).toEqual([
      ["3", 15_000],
      ["fix-3-1", 4000],
      ["test-9", 2000],
    ])
    expect(made.criticalPath).toMatchObject({ workMs: 21_000, share: 0.42 })
    expect(report([], []).criticalPath).toEqual({ tasks: [], workMs: 0, share: null })
  })

  it("F003: tells how many tests were red before and are now", () => {
    const baseline = { before: 3, now: 1, broken: [], asked: [], flaky: null }
    const final = verdict({ checks: [{ name: "tests_pass", status: "passed", baseline }] })
    expect(report([], [], { verdicts: [final] }).results).toContainEqual({
      ...{ what: "tests", status: "passed", detail: "red before: 3, now 1", before: 3, now: 1 },
    })
  })

  it("tells how build, tests and review ended last", () => {
    const check = (name: string, status: "passed" | "failed" | "skipped", evidence?: string) => ({
      name,
      status,
      evidence,
    })
    const wave = verdict({
      ...{ scope: "wave", subject: "1", status: "failed" },
      checks: [
        check("build_succeeds", "passed"),
        check("tests_pass", "failed", "npm test exited with 1\nlong"),
        check("tests_pass", "passed"),
      ],
    })
    const first = report([], [], { verdicts: [wave] })
    expect(first.results).toEqual([
      { what: "build", status: "passed", detail: null, before: null, now: null },
      { what: "lint", status: null, detail: null, before: null, now: null },
      { what: "tests", status: "failed", detail: "npm test exited with 1", before: null, now: null },
      { what: "final", status: null, detail: null, before: null, now: null },
      { what: "review", status: null, detail: null, before: null, now: null },
    ])
    const later = [
      ...[wave, verdict({ checks: [check("tests_pass", "passed"), check("lint_passes", "skipped", "switched off")] })],
      verdict({ scope: "cross-agent", status: "failed", by: "codex", issues: ["a.ts: wrong", "b.ts: wrong"] }),
    ]
    expect(report([], [], { verdicts: later })).toMatchObject({
      results: [
        {},
        { status: "skipped", detail: "switched off" },
        { status: "passed", detail: null },
        { what: "final", status: "passed", detail: null },
        { what: "review", status: "failed", detail: "by codex, a.ts: wrong, and 1 more" },
      ],
      notes: [],
    })
  })

  it("notes what gates could not judge or only warned of, once for all places, as said last", () => {
    const merged = { name: "work_merged", status: "skipped", evidence: "not known" } as const
    const wave = (subject: string, change: Partial<Verdict>) => verdict({ scope: "wave", subject, ...change })
    const verdicts = [
      wave("1", { issues: ["warning: old"], checks: [] }),
      ...[wave("1", { checks: [merged] }), wave("2", { checks: [merged], issues: ["warning: a hack"] })],
      verdict({ status: "failed", issues: ["error: wrong"] }),
      verdict({ scope: "task", subject: "1", checks: [merged] }),
    ]
    expect(report([], [], { verdicts }).notes).toEqual([
      "work_merged skipped: not known (wave 1, wave 2)",
      "warning: a hack (wave 2)",
    ])
  })

  it("F019: notes files in which additions of several tasks were put together by a rule", () => {
    const data = {
      task: "2",
      attempt: 1,
      commit: "c",
      paths: ["a.ts", "package.json"],
      how: [UNITED, "merged by meaning"],
    }
    const made = report([task("1", done), task("2", done)], [eventAt(1, "task.shared_files_merged", data)])
    expect(made.tasks.map(({ notes }) => notes)).toEqual([[], [`look at a.ts: ${UNITED}`]])
  })

  it("notes how often a gate sent work back", () => {
    const made = report(
      [task("1", done), task("2", done)],
      [
        ...[runStarted(0, "1-1-1"), runStarted(1, "1-1-2", { turn: 2 }), runStarted(2, "2-1-1")],
        ...[runStarted(3, "2-1-2", { turn: 2 }), runStarted(4, "2-1-3", { turn: 3 })],
      ],
    )
    expect(made.tasks.map(({ notes }) => notes)).toEqual([
      ["sent back once by its gate"],
      ["sent back 2 times by its gate"],
    ])
  })

  describe("what is left to do", () => {
    const leftOf = (made: Report) => made.left.map(({ command }) => command)

    it("names tasks, workers, questions and pauses, each with its command", () => {
      const exception: Exception = {
        ...{ number: 2, taskId: "5" as TaskId, attempt: 1, pattern: "package.json", reason: "new dependency" },
        ...{ askedBy: "w1", askedAt: "", status: "asked", decidedBy: null, decidedAt: null, decision: null },
      }
      const exceptions = [exception, { ...exception, attempt: 2 }, { ...exception, status: "granted" as const }]
      const made = report(
        [task("5", { status: "in_progress" }), task("6", { status: "failed" }), task("7", { status: "paused" })],
        [
          eventAt(1, "task.status_changed", {
            task: "6",
            from: "in_progress",
            to: "failed",
            reason: "tests fail\nmore",
          }),
        ],
        {
          exceptions,
          team: { ...sampleView().team, status: "paused", pauseReason: "budget of 5 dollars" },
          workers: [makeWorker("w3" as WorkerId, { status: "quarantined" })],
        },
      )
      expect(made.outcome).toBe("paused")
      expect(made.left).toEqual([
        { what: "the team is paused: budget of 5 dollars", command: "teamwork resume" },
        { what: "task 6 failed: tests fail", command: "teamwork task reopen 6" },
        { what: "task 7 is paused", command: "teamwork resume --task 7" },
        { what: "worker w3 is quarantined", command: "teamwork resume --worker-id w3" },
        { what: "task 5 asks to write package.json: new dependency", command: "teamwork ownership grant 5 2" },
      ])
    })

    it("names what waits for a decision once, with what can be decided", () => {
      const question = (number: number, taskId: TaskId | null): Question => ({
        ...{ kind: "escalation", number, taskId, what: `escalation ${number}: money\nmore`, isTold: true },
        command: `teamwork decide ${number} retry|skip`,
      })
      const made = report([task("6", { status: "failed" }), task("7", { status: "paused" })], [], {
        questions: [question(1, "6" as TaskId), question(2, "7" as TaskId), question(3, null)],
        team: { ...sampleView().team, status: "paused" },
      })
      expect(made.left).toEqual(
        [1, 2, 3].map((number) => ({
          ...{ what: `escalation ${number}: money`, command: `teamwork decide ${number} retry|skip` },
        })),
      )
    })

    it("says how to go on with a run that was cut off, and nothing while somebody leads", () => {
      const tasks = [task("1", done), task("2")]
      expect(report(tasks, [led(), left(5, "interrupted")]).left).toEqual([
        { what: "1 of 2 tasks are not done", command: "teamwork run --resume" },
      ])
      const failed = [task("1", done), task("2"), task("3", { status: "failed" }), task("4", { status: "skipped" })]
      expect(report(failed, [led(), left(5, "interrupted")]).left.at(-1)).toEqual({
        ...{ what: "2 of 4 tasks are not done", command: "teamwork run --resume" },
      })
      expect(leftOf(report(tasks, [led()], { lead: { holder: "h", leaseUntil: BEGIN + 9 } }))).toEqual([])
      expect(leftOf(report(tasks, []))).toEqual([])
    })

    it("says how to verify and to deliver what is done", () => {
      const merged = eventAt(5, "task.merged", { task: "1", attempt: 1, commit: "c" })
      const complete = { ...sampleView().team, phase: "COMPLETE" as const, status: "completed" as const }
      const moved = (seconds: number) => eventAt(seconds, "target.delivered", { target: "main", from: "a", to: "b" })
      const tasks = [task("1", done)]
      const verdicts = [verdict({ status: "failed", issues: ["npm test exited with 1"] })]
      expect(report(tasks, [led(), merged, left(7, "failed")], { verdicts }).left).toEqual([
        { what: "the final gate failed: npm test exited with 1", command: "teamwork project verify" },
      ])
      expect(leftOf(report(tasks, [merged], { team: complete }))).toEqual(["teamwork deliver"])
      expect(leftOf(report(tasks, [merged, moved(6)], { team: complete }))).toEqual([])
      expect(leftOf(report(tasks, [moved(4), merged], { team: complete }))).toEqual(["teamwork deliver"])
      const undone = eventAt(8, "target.undone", { target: "main", from: "b", to: "a" })
      expect(leftOf(report(tasks, [merged, moved(6), undone], { team: complete }))).toEqual(["teamwork deliver"])
    })
  })
})
