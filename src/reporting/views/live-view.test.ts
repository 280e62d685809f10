import { describe, expect, it } from "bun:test"
import { BEGIN, eventAt, makeView, makeWorker, runStarted, sampleView } from "../../../test/support/sample-view.ts"
import { makeTask } from "../../../test/support/tasks.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { LiveNotice } from "../../kernel/live-notice.ts"
import { width } from "../../lib/text/table.ts"
import type { Question } from "../../requests/question.ts"
import { applyEvent } from "../history.ts"
import type { TeamView } from "../team-view.ts"
import { type Frame, renderLive } from "./live-view.ts"
import { runLines } from "./run-lines.ts"

const HINT = "Ctrl+C ends the watching"

function frame(view: TeamView, change: Partial<Frame> = {}): string[] {
  const lines = runLines(view.events, { steps: false })
  return renderLive(view, {
    columns: 100,
    rows: 40,
    color: false,
    now: view.now,
    lines,
    hint: HINT,
    notices: new Map(),
    ...change,
  })
}

describe("the live view", () => {
  it("shows team, time, cost, waves, workers, tasks and what eventAt", () => {
    expect(frame(sampleView())).toEqual([
      "shop/main  EXECUTION  1m 40s  about 1m 30s left  $0.25, 12.3k tokens",
      "████████░░░░░░░░░░░░░░░░░░░░░░ 2/7 done   in progress 1   in review 1   open 2   failed 1",
      "Goal: A search page for items",
      "Waves  1 ✓  2 ▶ 0/4  3 · 0/1",
      "",
      "WORKER  ROLE      TASK               STEP   FOR  AGENT          SEEN",
      "w1      backend   3 Search endpoint  agent  35s  claude sonnet    5s",
      "w2      frontend  -                  idle     -  -               19s",
      "",
      "Failed   6 Fonts",
      "Merging  4 Search page",
      "Next     5 Index",
      "Waiting  7 Manual",
      "",
      "[09:00:01] w2 started (frontend)",
      "[09:00:02] task 1 claimed by w1",
      "[09:00:02] task 2 claimed by w2",
      "[09:00:32] task 2 resolved by w2",
      "[09:01:02] task 1 resolved by w1",
      "[09:01:03] wave 1 verified",
      "[09:01:04] task 3 claimed by w1",
      "[09:01:20] task 6 set back by w2 (gate): npm test fails",
      "",
      HINT,
    ])
  })

  it("shows what waits for a person, and how to answer it", () => {
    const question = (number: number): Question => ({
      ...{
        kind: "escalation",
        number,
        taskId: null,
        what: `escalation ${number}: money\n    the last line of a check`,
        isTold: false,
      },
      command: `teamwork decide ${number} go-on|pause`,
    })
    const lines = frame({ ...sampleView(), questions: [question(1)] })
    expect(lines[4]).toBe("Decide   teamwork decide 1 go-on|pause  escalation 1: money")
    const many = frame({ ...sampleView(), questions: [1, 2, 3, 4, 5, 6, 7].map(question) })
    expect(many.filter((line) => line.startsWith("Decide "))).toHaveLength(6)
    expect(many[9]).toBe("Decide   and 2 more: teamwork report")
  })

  it("goes on with the time of the frame", () => {
    const later = frame(sampleView(), { now: BEGIN + 160_000 })
    expect(later[0]).toStartWith("shop/main  EXECUTION  2m 40s  about ")
    expect(later[6]).toContain("  1m 35s  claude sonnet  1m 05s")
  })

  it("gives way from the least to the most important when it is low", () => {
    const all = frame(sampleView())
    for (let rows = 1; rows <= 40; rows++) {
      const shown = frame(sampleView(), { rows })
      expect(shown.length).toBeLessThanOrEqual(Math.max(1, rows - 1))
      expect(shown[0]).toBe(all[0] ?? "")
    }
    expect(frame(sampleView(), { rows: 4 })).toEqual([...all.slice(0, 2), HINT])
    expect(frame(sampleView(), { rows: 13 })).toEqual([
      ...all.slice(0, 2),
      ...all.slice(3, 4),
      ...all.slice(5, 8),
      ...all.slice(9, 13),
      ...["[09:01:20] task 6 set back by w2 (gate): npm test fails", HINT],
    ])
  })

  it("is never wider than the screen, whatever the texts, with and without colours", () => {
    const evil = "日本語\u001b[2J\u0007 🎉 and a long tail ".repeat(12)
    const id = `t-${"x".repeat(60)}` as TaskId
    const view = makeView({
      tasks: [
        makeTask({ id, title: evil, status: "in_progress", wave: 1 }),
        makeTask({ id: "2" as TaskId, title: evil }),
      ],
      events: [runStarted(1, `${id}-1-1`, { model: evil, task: id, worker: "w".repeat(60) })],
      workers: [makeWorker("w".repeat(60), { currentTask: id, status: "working", role: "frontend" })],
      team: { ...sampleView().team, goal: evil, status: "paused", pauseReason: evil },
    })
    for (const color of [true, false])
      for (const columns of [1, 5, 20, 39, 40, 60, 71, 72, 80, 200])
        for (const line of frame(view, { columns, color })) {
          expect(width(line)).toBeLessThanOrEqual(columns)
          expect(line).not.toContain("\u001b[2J")
          expect(line).not.toContain("\n")
        }
  })

  it("leaves out columns where the screen is narrow", () => {
    expect(frame(sampleView(), { columns: 60 }).slice(5, 7)).toEqual([
      "WORKER  TASK               STEP   FOR",
      "w1      3 Search endpoint  agent  35s",
    ])
    expect(frame(sampleView(), { columns: 30 }).slice(5, 7)).toEqual(["WORKER  TASK", "w1      3 Search endpoint"])
  })

  it("colours only what it may", () => {
    expect(frame(sampleView()).join("\n")).not.toContain("\u001b")
    const colored = frame(sampleView(), { color: true })
    expect(colored[0]).toStartWith("\u001b[1mshop/main")
    expect(colored.find((line) => line.includes("6 Fonts"))).toStartWith("\u001b[31mFailed")
    expect(colored.map((line) => Bun.stripANSI(line))).toEqual(frame(sampleView()))
  })

  it("tells that nobody leads, that it is paused, and how it ended", () => {
    const head = (change: Parameters<typeof sampleView>[0], now?: number) =>
      frame(sampleView(change), now === undefined ? {} : { now })[0]
    expect(head({ lead: null })).toStartWith("shop/main  EXECUTION, without a leader  1m 40s")
    expect(head({ lead: { holder: "h", leaseUntil: BEGIN + 120_000 } }, BEGIN + 121_000)).toContain("without a leader")
    const paused = { ...sampleView().team, status: "paused" as const, pauseReason: "out of money" }
    expect(head({ team: paused })).toStartWith("shop/main  EXECUTION, paused: out of money")
    const left = (reason: string) => [
      ...sampleView().events,
      eventAt(90, "team.left", { holder: "here:1", token: 1, reason }),
    ]
    expect(head({ lead: null, events: left("failed") })).toBe(
      "shop/main  EXECUTION, ended: failed  1m 30s  $0.25, 12.3k tokens",
    )
    expect(head({ lead: null, events: left("done") })).toStartWith("shop/main  EXECUTION, done  1m 30s")
  })

  it("shows agents that are asked for no task, and tasks that somebody else holds", () => {
    const task = makeTask({ id: "9" as TaskId, title: "By hand", status: "in_progress", claimedBy: "ann" })
    const view = makeView({
      tasks: [task],
      events: [
        eventAt(1, "task.claimed", { task: "9", token: 1, taken_over_from: null }, "ann"),
        runStarted(5, "review-1", { task: null, worker: "reviewer", agent: "codex", model: null }),
      ],
      now: BEGIN + 65_000,
    })
    const shown = frame(view).join("\n")
    expect(shown).toMatch(/^ann +backend +9 By hand +working +1m 04s +- +1m 04s$/m)
    expect(shown).toMatch(/^reviewer +- +- +agent +1m 00s +codex +-$/m)
  })

  it("shows what the engine merges and judges, and for how long, whatever else does not fit", () => {
    const merging = eventAt(90, "merge.started", { tasks: ["4"], wave: 2 })
    const checks = [`npm test -- ${"x".repeat(200)}`]
    const gate = { scope: "wave", subject: "1", task: null, commit: "a016404189a0dead", checks }
    const view = sampleView()
    for (const event of [merging, eventAt(95, "gate.started", gate)]) applyEvent(view.history, event)
    const lines = frame(view, { columns: 60 }).filter((line) => line.startsWith("Engine"))
    expect(lines[0]).toBe("Engine   merging 4, 10s")
    expect(lines[1]).toMatch(/^Engine {3}gate of wave 1 at a016404189a0: npm test -- x+…, 5s$/)
    expect(lines[1]).toHaveLength(60)
  })

  it("shows what each agent said or did last, cut to the width, where the screen is wide", () => {
    const place = { run: "3-1-1", task: "3" as TaskId, worker: "w1", at: BEGIN }
    const of = (notice: LiveNotice, columns: number) =>
      frame(sampleView(), { columns, notices: new Map([["3-1-1", notice]]) }).filter((line) =>
        /^(?:w1|WORKER) /.test(line),
      )
    const said: LiveNotice = { ...place, type: "agent.said", text: "First.\n\u001b[31mThe column is\tstock_count.\n" }
    const [head, row] = of(said, 140)
    expect(head).toEndWith("SEEN  NOW")
    expect(row).toEndWith("The column is stock_count.")
    const tool: LiveNotice = { ...place, type: "agent.used_tool", tool: "Bash", target: `npm test ${"x".repeat(300)}` }
    expect(of(tool, 140)[1]).toMatch(/ Bash npm test x+…$/)
    expect(width(of(tool, 140)[1] ?? "")).toBeLessThanOrEqual(140)
    expect(of(tool, 90)[0]).toEndWith("SEEN")
    const waiting = { ...place, type: "agent.waiting", reason: "rate-limited" } as const
    expect(of({ ...waiting, until: Date.UTC(2026, 0, 1, 14, 5) }, 140)[1]).toEndWith("limited until 14:05Z")
    expect(of({ ...waiting, reason: "unreachable", until: null }, 140)[1]).toEndWith("unreachable, it tries again")
    expect(frame(sampleView(), { columns: 140 }).find((line) => line.startsWith("WORKER"))).toEndWith("SEEN")
  })

  it("begins the waves before the current one when there are many", () => {
    const tasks = Array.from({ length: 40 }, (_, index) =>
      makeTask({ id: String(index) as TaskId, wave: index + 1, status: index < 30 ? "resolved" : "open" }),
    )
    const line = frame(makeView({ tasks, events: [] }), { columns: 60 }).find((each) => each.startsWith("Waves"))
    expect(line).toStartWith("Waves  …  30 ✓  31 ▶ 0/1  32 · 0/1")
  })

  it("shows an empty team", () => {
    expect(frame(makeView({ tasks: [], events: [], lead: null }))).toEqual([
      "shop/main  EXECUTION",
      "░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0/0 done",
      "Goal: A search page for items",
      "",
      HINT,
    ])
  })
})
