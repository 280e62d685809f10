import { describe, expect, it } from "bun:test"
import { makeTask } from "../../../test/support/tasks.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import { UNGUARDED } from "../../kernel/team.ts"
import { type Screen, width } from "../../lib/text/table.ts"
import { toWire } from "../../lib/text/wire-names.ts"
import type { Message } from "../../messages/message.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { Evidence } from "../../tasks/evidence.ts"
import { renderEvidence, renderMessages, renderTask, renderVerdicts, taskLine } from "../../tasks/views/task-view.ts"
import { renderTeams } from "../../teams/views/teams-view.ts"
import type { SwarmReport, TeamReport } from "../status.ts"
import { describeEvent, renderEvents } from "./events-view.ts"
import { renderSwarm, renderTasks, renderTeam, renderWaves, shortTime } from "./status-view.ts"
import { renderWhiteboard } from "./whiteboard-view.ts"

const TIME = "2026-01-02T03:04:05.678Z"
const EVIL = "日本語\u001b[2J\u0007 🎉 and a long tail ".repeat(12)
const PLAIN: Screen = { columns: 80, color: false }

function makeEvidence(change: Partial<Evidence> = {}): Evidence {
  return {
    number: 1,
    taskId: "1" as TaskId,
    attempt: 1,
    type: "note",
    trust: "reported",
    text: "looked at it",
    facts: {},
    blockedPattern: null,
    by: "w1",
    timestamp: TIME,
    withdrawnAt: null,
    ...change,
  }
}

const TEAM: TeamReport = {
  project: "shop",
  team: "main",
  run: 1,
  goal: EVIL,
  phase: "EXECUTION",
  status: "paused",
  pauseReason: EVIL,
  mode: "FULL_AUTO",
  schedule: "waves",
  ...UNGUARDED,
  createdAt: TIME,
  updatedAt: TIME,
  stats: {
    total: 4,
    open: 1,
    in_progress: 1,
    in_review: 0,
    paused: 0,
    resolved: 1,
    failed: 1,
    skipped: 0,
    progress: 25,
  },
  currentWave: 1,
  waves: [
    { id: 1, status: "in_progress", total: 3, done: 1 },
    { id: 2, status: "planning", total: 1, done: 0 },
  ],
  workers: { total: 2, working: 1 },
  questions: [
    {
      ...{ kind: "escalation", number: 1, taskId: "6" as TaskId, what: EVIL, isTold: false },
      command: "teamwork decide 1 retry|skip",
    },
  ],
  tasks: [
    makeTask({ title: EVIL, status: "in_progress", claimedBy: "w1", claimedAt: TIME, wave: 1 }),
    makeTask({ id: "2" as TaskId, title: "Blocked", unmet: 1, blockedBy: ["1" as TaskId], wave: 1 }),
    makeTask({ id: "3" as TaskId, title: "Later", wave: 2 }),
    makeTask({ id: "4" as TaskId, title: "Ready", wave: 1 }),
    makeTask({ id: "5" as TaskId, title: "Broken", status: "failed", wave: 1 }),
    makeTask({ id: "6" as TaskId, title: "Waiting", status: "paused", pauseReason: "a\nb", wave: 1 }),
  ],
}

const SWARM: SwarmReport = {
  session: "teamwork-shop",
  status: "running",
  paused: false,
  currentWave: 1,
  createdAt: TIME,
  workers: [
    {
      id: "w1" as WorkerId,
      role: "backend",
      sessionId: null,
      pane: null,
      worktree: null,
      branch: null,
      status: "working",
      currentTask: "1" as TaskId,
      tasksCompleted: ["9" as TaskId],
      lastHeartbeat: TIME,
      createdAt: TIME,
      unread: 2,
    },
  ],
}

const EVENT = {
  seq: 1,
  cursor: "1",
  type: "task.created" as const,
  version: 1,
  timestamp: TIME,
  by: "person",
  data: { task: "1", title: EVIL, blocked_by: [], reason: null, added: ["2"] },
}

const MESSAGE: Message = {
  id: "m",
  from: "w1",
  to: "orchestrator",
  type: "text",
  payload: { message: EVIL },
  timestamp: TIME,
  deliveredAt: null,
  read: false,
}

const VERDICT: Verdict = {
  scope: "wave",
  subject: "1",
  status: "failed",
  checks: [{ name: "build", status: "failed", evidence: EVIL }],
  issues: [EVIL],
  by: "w1",
  timestamp: TIME,
}

describe("every table", () => {
  const tables: Record<string, (screen: Screen) => string> = {
    team: (screen) => renderTeam(TEAM, screen),
    tasks: (screen) => renderTasks(TEAM.tasks ?? [], screen),
    swarm: (screen) => renderSwarm(SWARM, screen),
    evidence: (screen) => renderEvidence([makeEvidence({ text: EVIL })], screen),
    messages: (screen) =>
      renderMessages([MESSAGE, { ...MESSAGE, type: "idle_notification", payload: { worker_id: EVIL } }], screen),
    verdicts: (screen) => renderVerdicts([VERDICT], screen),
    events: (screen) => renderEvents([EVENT], screen),
    teams: (screen) =>
      renderTeams([{ ...TEAM, repositories: [{ folder: EVIL, isLinked: true, exists: false }] }], screen),
    waves: (screen) =>
      renderWaves(
        {
          version: "1.0",
          totalWaves: 1,
          currentWave: 1,
          waves: [
            {
              id: 1,
              status: "in_progress",
              tasks: Array.from({ length: 100 }, (_, index) => String(index) as TaskId),
              startedAt: TIME,
              verifiedAt: null,
            },
          ],
        },
        screen,
      ),
  }
  for (const [name, render] of Object.entries(tables)) {
    it(`of ${name} fits 80 and 200 columns and passes no control characters on`, () => {
      for (const columns of [80, 200]) {
        const plain = render({ columns, color: false })
        for (const line of plain.split("\n")) expect(width(line)).toBeLessThanOrEqual(columns)
        expect(plain.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
        // Colour changes nothing but the colour.
        expect(Bun.stripANSI(render({ columns, color: true }))).toBe(plain)
      }
    })
  }

  it("says so when there is nothing to show", () => {
    expect(renderTasks([], PLAIN)).toBe("No tasks.")
    expect(renderEvidence([], PLAIN)).toBe("No evidence.")
    expect(renderMessages([], PLAIN)).toBe("No messages.")
    expect(renderVerdicts([], PLAIN)).toBe("No verdicts.")
    expect(renderEvents([], PLAIN)).toBe("No events.")
    expect(renderTeams([], PLAIN)).toStartWith("No projects yet.")
    expect(renderWaves({ version: "1.0", totalWaves: 0, currentWave: 0, waves: [] }, PLAIN)).toStartWith(
      "No waves yet.",
    )
    expect(renderSwarm({ ...SWARM, workers: [] }, PLAIN)).toEndWith("No workers yet.")
  })
})

describe("a task", () => {
  it("is shown with all that is known of it", () => {
    const task = makeTask({
      description: "first\nsecond",
      blockedBy: ["7" as TaskId, "8" as TaskId],
      unmet: 2,
      wave: 3,
      claimedBy: "w1",
      claimedAt: TIME,
      leaseUntil: TIME,
      claimToken: 4,
      assignee: "w1" as WorkerId,
      files: ["src/**"],
      acceptance: ["it works"],
      checks: ["npm test"],
      result: "fine",
      status: "in_progress",
    })
    expect(renderTask({ ...task, evidence: [makeEvidence()] }, PLAIN).split("\n")).toEqual([
      "Task 1: Paint",
      "status       in_progress, waits for 2 of its needs",
      "role         backend, standard",
      "needs        7, 8",
      "wave         3",
      "held by      w1 since 2026-01-02 03:04:05Z, token 4, until 2026-01-02 03:04:05Z",
      "meant for    w1",
      "attempt      1",
      "files        src/**",
      "accept when  it works",
      "check        npm test",
      "result       fine",
      "",
      "first",
      "second",
      "",
      "#  TRUST     TYPE  WHEN                  BY  WHAT",
      "1  reported  note  2026-01-02 03:04:05Z  w1  looked at it",
    ])
  })

  it("cannot clear the screen with its texts", () => {
    const evil = "\u001b[2Jgone\u0007"
    const task = makeTask({
      title: evil,
      description: evil,
      result: evil,
      files: [evil],
      acceptance: [evil],
      checks: [evil],
    })
    const shown = renderTask({ ...task, evidence: [] }, PLAIN) + taskLine(task)
    expect(shown.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
  })

  it("is one line with its holder", () => {
    expect(taskLine(makeTask())).toBe("Task 1 is open: Paint")
    expect(taskLine(makeTask({ status: "in_progress", claimedBy: "w1" }))).toBe("Task 1 is in_progress (w1): Paint")
  })

  it("is blocked in a list while it waits for needs", () => {
    expect(renderTasks([makeTask({ unmet: 1 })], PLAIN)).toContain("blocked")
  })
})

describe("evidence", () => {
  it("shows the facts of each type and what was withdrawn", () => {
    const shown = renderEvidence(
      [
        makeEvidence({ type: "command", facts: { command: "npm test", exitCode: 0 }, text: "" }),
        makeEvidence({ type: "file", facts: { path: "a.ts", action: "created" }, text: "new" }),
        makeEvidence({ type: "test", facts: { passed: 3, failed: 1 }, text: "" }),
        makeEvidence({ type: "command", trust: "observed", facts: { command: "make check" }, text: "" }),
        makeEvidence({ withdrawnAt: TIME }),
      ],
      PLAIN,
    )
    expect(shown).toContain("npm test -> 0")
    expect(shown).toMatch(/observed .* make check\n/)
    expect(shown).toContain("created a.ts; new")
    expect(shown).toContain("3 passed, 1 failed")
    expect(shown).toContain("(withdrawn) looked at it")
  })
})

describe("an event", () => {
  it("is when, who, what and the facts that say something", () => {
    const event = { ...EVENT, data: { task: "1", title: "a  b\nc", blocked_by: [], reason: null, added: ["2"] } }
    expect(describeEvent(event)).toBe('2026-01-02 03:04:05Z  person  task.created  task=1 title=a b c added=["2"]')
    expect(describeEvent({ ...EVENT, type: "team.resumed", data: {} })).toBe(
      "2026-01-02 03:04:05Z  person  team.resumed",
    )
  })
})

describe("the whiteboard", () => {
  it("sorts tasks by what keeps them, and is harmless Markdown", () => {
    const board = renderWhiteboard({ team: TEAM, swarm: SWARM, events: [EVENT] })
    expect(board).toStartWith("# shop/main\n")
    expect(board).toContain("## Ready\n\n- **4** Ready (backend)\n\n")
    expect(board).toContain("- **2** Blocked: waits for 1\n- **3** Later: waits for wave 2\n")
    expect(board).toContain("- **6** Waiting: a b\n")
    expect(board).toMatch(/## Waits for a person\n\n- .*: `teamwork decide 1 retry\|skip`\n/)
    expect(renderTeam(TEAM, PLAIN)).toContain("\nDecide: teamwork decide 1 retry|skip  ")
    expect(board).toContain("## Failed\n\n- **5** Broken\n")
    expect(board).toContain("- wave 1: in_progress, 1/3")
    expect(board).toContain("- **w1** backend: working on 1, 1 done")
    expect(board.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
  })

  it("counts a task of a later wave as ready when the team does not wait for waves", () => {
    const board = renderWhiteboard({ team: { ...TEAM, schedule: "eager" }, swarm: SWARM, events: [] })
    expect(board).toContain("- **3** Later (backend)")
    expect(board).not.toContain("## Lately")
  })
})

describe("toWire", () => {
  it("gives snake_case names, at every depth", () => {
    expect(toWire({ claimedBy: "w1", nested: [{ leaseUntil: null }], FULL_AUTO: 1 })).toEqual({
      claimed_by: "w1",
      nested: [{ lease_until: null }],
      FULL_AUTO: 1,
    })
    expect(toWire("claimedBy")).toBe("claimedBy")
  })

  it("passes on what belongs to others as it is", () => {
    expect(toWire({ payload: { someKey: 1 }, data: { someKey: 2 } })).toEqual({
      payload: { someKey: 1 },
      data: { someKey: 2 },
    })
  })

  it("makes what evidence says part of the entry", () => {
    expect(
      toWire(makeEvidence({ type: "command", facts: { command: "x", exitCode: 0, outputHash: "h" } })),
    ).toMatchObject({
      type: "command",
      command: "x",
      exit_code: 0,
      output_hash: "h",
      timestamp: TIME,
    })
  })
})

describe("shortTime", () => {
  it("is date and time to the second", () => {
    expect(shortTime(TIME)).toBe("2026-01-02 03:04:05Z")
    expect(shortTime(null)).toBe("-")
  })
})
