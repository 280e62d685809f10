import { describe, expect, it } from "bun:test"
import {
  claimed,
  eventAt,
  makeView,
  runEnded,
  runStarted,
  sampleView,
  workerStarted,
} from "../../../test/support/sample-view.ts"
import { makeTask } from "../../../test/support/tasks.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { width } from "../../lib/text/table.ts"
import type { Verdict } from "../../quality/verdict.ts"
import { makeReport } from "../report.ts"
import { renderReport, renderReportMarkdown } from "./report-view.ts"

const VERDICT: Verdict = {
  ...{ scope: "wave", subject: "1", status: "passed", by: "gate", timestamp: "2026-03-02T09:01:03.000Z", issues: [] },
  checks: [
    { name: "build_succeeds", status: "skipped", evidence: "there is no command" },
    { name: "tests_pass", status: "passed", evidence: "npm test exited with 0" },
    { name: "no_file_conflicts", status: "skipped", evidence: "what each task changed is not known" },
  ],
}
const SAMPLE = makeReport({ view: sampleView(), verdicts: [VERDICT], exceptions: [] })
const PLAIN = { columns: 80, color: false }

describe("the report", () => {
  it("is text that fits", () => {
    expect(renderReport(SAMPLE, PLAIN)).toBe(`TEAM REPORT  shop/main
Goal           A search page for items
Outcome        running, phase EXECUTION
Started        2026-03-02 09:00:00Z, so far 1m 40s
Tasks          2/7 done, failed 1, in progress 1, in review 1, open 2
Workers        2, idle 36% of their time
Deliverables   code of 2 tasks
Build          skipped: there is no command
Lint           not run
Tests          passed
Final gate     not run
Review         not run
Cost           $0.25, 12.3k tokens in 2 runs
Critical path  1 (1m 00s) > 3 (36s): 1m 36s, 96% of the time

WORKERS
WORKER  ROLE      DONE    BUSY  IDLE  CRASHES  SETBACKS  COST
w1      backend      1  1m 36s    3%        0         0  $0.25, 12.3k tokens
        claude sonnet (2 runs)
w2      frontend     1     30s   70%        0         1  -

TASKS
        TASK               WORKER  ROLE      AGENT            TIME  COST
[DONE]  1 Schema of items  w1      backend   claude sonnet  1m 00s  $0.25
[DONE]  2 Sketch           w2      frontend  -                 30s  -
[BUSY]  3 Search endpoint  w1      backend   claude sonnet     36s  -
[BUSY]  4 Search page      -       frontend  -                   -  -
[OPEN]  5 Index            -       backend   -                   -  -
[FAIL]  6 Fonts            -       frontend  -                   -  -
        [set back: gate]
[OPEN]  7 Manual           -       docs      -                   -  -

COST
AGENT          RUNS  COST
claude sonnet     2  $0.25, 12.3k tokens

NOTES
- no_file_conflicts skipped: what each task changed is not known (wave 1)

LEFT TO DO
- task 6 failed
    teamwork task reopen 6`)
  })

  it("is Markdown", () => {
    const text = renderReportMarkdown(SAMPLE)
    expect(text).toStartWith(
      "# Report of shop/main\n\nA search page for items\n\n- **Outcome:** running, phase EXECUTION\n",
    )
    expect(text).toContain(
      "\n| w1 | backend | 1 | 1m 36s | 3% | 0 | 0 | $0.25, 12.3k tokens | claude sonnet (2 runs) |\n",
    )
    expect(text).toContain("\n| [FAIL] | 6 Fonts | - | frontend | - | - | - | [set back: gate] |\n")
    expect(text).toEndWith("\n## Left to do\n\n- task 6 failed: `teamwork task reopen 6`")
  })

  it("is never wider than the screen and harmless, whatever the texts", () => {
    const evil = "日本語\u001b[2J\u0007 🎉 a|b <b> and a long tail ".repeat(12)
    const id = `t-${"x".repeat(60)}` as TaskId
    const worker = "w".repeat(60)
    const view = makeView({
      tasks: [makeTask({ id, title: evil, status: "failed" })],
      events: [
        ...[workerStarted(0, worker, "frontend"), claimed(1, id, worker)],
        ...[
          runStarted(1, "r", { task: id, worker, model: evil }),
          runEnded(2, "r", { task: id, worker, dollars: null }),
        ],
        eventAt(3, "task.status_changed", { task: id, from: "in_progress", to: "failed", reason: evil }),
      ],
      team: { ...sampleView().team, goal: evil },
      lead: null,
    })
    const verdicts = [
      { ...VERDICT, issues: [evil], checks: [{ name: "tests_pass", status: "failed" as const, evidence: evil }] },
    ]
    const report = makeReport({ view, verdicts, exceptions: [] })
    // Commands are for copying and stay whole.
    const shown = renderReport(report, PLAIN)
      .split("\n")
      .filter((line) => !line.startsWith("    teamwork "))
    for (const line of shown) expect(width(line)).toBeLessThanOrEqual(80)
    expect(shown.join("\n")).not.toContain("\u001b")
    const rows = renderReportMarkdown(report)
      .split("\n")
      .filter((line) => line.startsWith("| "))
    expect(rows).toHaveLength(6)
    for (const row of rows) expect(row).not.toMatch(/[^\\]\|b|<b>/)
    expect(rows.join("")).not.toContain("\u0007")
  })

  it("colours the marks and titles only where it may", () => {
    const colored = renderReport(SAMPLE, { columns: 80, color: true })
    expect(colored).toContain("\u001b[31m[FAIL]\u001b[0m  6 Fonts")
    expect(colored).toStartWith("\u001b[1mTEAM REPORT")
    expect(Bun.stripANSI(colored)).toBe(renderReport(SAMPLE, PLAIN))
  })

  it("says how many words of teamwork's own were sent, where they were counted", () => {
    const ownWords = { runs: 2, tokens: 1200, sentTokens: 2000 }
    const report = { ...SAMPLE, cost: { ...SAMPLE.cost, ownWords } }
    expect(renderReport(report, PLAIN)).toContain("1.2k tokens of teamwork in 2 runs, 60% of what it sent them")
    expect(renderReport(SAMPLE, PLAIN)).not.toContain("Own words")
  })

  it("is short for a team that has done nothing", () => {
    const report = makeReport({ view: makeView({ tasks: [], events: [], lead: null }), verdicts: [], exceptions: [] })
    const text = renderReport(report, PLAIN)
    expect(text).toContain("\nStarted     not yet\nTasks       0/0 done\nWorkers     0\n")
    expect(text).toEndWith("\nCost        no run of an agent")
  })
})
