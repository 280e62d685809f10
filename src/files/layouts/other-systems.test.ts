// The three formats that have their state in one file: sessions, projects and forge teams.
import { describe, expect, it } from "bun:test"
import { memoryFolder } from "../../../test/support/folders.ts"
import { CONTEXT, parseFixture } from "../../../test/support/layouts.ts"
import type { FoundTeam, Layout } from "./found-team.ts"
import { parseTeam } from "./layouts.ts"

function parse(layout: Layout, files: Record<string, unknown>): FoundTeam {
  return parseTeam(memoryFolder(files), { layout, path: "" }, CONTEXT)
}

const paths = (found: FoundTeam) => found.snapshot.documents.map((document) => document.path)
const notes = (list: FoundTeam["skipped"]) => list.map((note) => `${note.file} ${note.what}`)
const entries = (found: FoundTeam) =>
  found.history.flatMap((event) => (event.type === "history.imported" ? event.data.entry : []))
const short = (found: FoundTeam) =>
  found.snapshot.tasks.map((task) => `${task.id} ${task.status} [${task.blockedBy.join(" ")}] ${task.title}`)

describe("a session with generated roles", () => {
  const found = parseFixture("tc-session/sample")

  it("is a paused team with the tasks of its graph", () => {
    expect(found.snapshot.team).toMatchObject({
      project: "here",
      team: "TC-guide-2025-04-02",
      goal: "Write a guide for newcomers",
      phase: "EXECUTION",
      status: "paused",
    })
    expect(short(found)).toEqual([
      "RESEARCH-001 resolved [] Ask newcomers",
      "DOC-001 open [RESEARCH-001] Outline",
      "DOC-002 open [DOC-001] DOC-002 (docs)",
    ])
    expect(found.snapshot.tasks).toMatchObject([
      { role: "worker", agentType: "researcher", description: "What did they miss?" },
      { role: "docs", agentType: "docs", previousOwner: "agent-7" },
      { role: "docs", previousOwner: null },
    ])
    expect(found.history.at(-1)).toMatchObject({ type: "task.released", data: { task: "DOC-001", owner: "agent-7" } })
  })

  it("keeps its message log, but for the line that was cut off", () => {
    expect(found.snapshot.messages).toMatchObject([
      {
        from: "researcher",
        to: "orchestrator",
        type: "text",
        payload: { message: "Five interviews done", original_type: "research_done", ref: "artifacts/interviews.md" },
        read: true,
      },
      { from: "orchestrator", to: "docs", payload: { message: "Go" } },
    ])
    expect(notes(found.changed)[0]).toStartWith(".msg/messages.jsonl line 3 is not complete JSON")
  })

  it("keeps every file", () => {
    expect(paths(found)).toEqual([
      "artifacts/interviews.md",
      "artifacts/logo.bin",
      "discussions/1.md",
      "explorations/cache-index.json",
      "imported/.msg/messages.jsonl",
      "imported/.msg/meta.json",
      "imported/task-analysis.json",
      "imported/team-session.json",
      "role-specs/researcher.md",
      "wisdom/learnings.md",
    ])
  })

  it.each([
    ["nodes-edges", ["A-1 open [] A-1", "B-1 open [A-1] Second"]],
    ["task-list", ["A-1 resolved [] First", "B-1 resolved [A-1] Second", "C-9 resolved [] C-9"]],
    ["records", ["A-1 open [] First", "B-1 open [A-1] Second", "C-1 paused [B-1] C-1"]],
    ["crash", []],
  ])("may have its graph as %s", (name, tasks) => {
    expect(short(parseFixture(`tc-session/${name}`))).toEqual(tasks)
  })

  it("tells what it could not use", () => {
    expect(notes(parseFixture("tc-session/records").changed)).toEqual([
      'team-session.json a task was left out: it has the id "../D", which is not allowed',
      'team-session.json has the session id "TC c/d", which is not allowed; it is TC-c-d now',
      "team-session.json task C-1 needs task Z-9, which was not imported",
    ])
    const crash = parseFixture("tc-session/crash")
    expect(crash.skipped.map((note) => note.file)).toEqual(["task-analysis.json"])
    expect(notes(crash.changed)).toContain("team-session.json the status sleeping is not known; the team is active")
    expect(parseFixture("tc-session/task-list").snapshot.team).toMatchObject({ phase: "COMPLETE", status: "completed" })
  })

  it("gives a task to the role with the longest prefix", () => {
    const roles = [
      { name: "writer", prefix: "DOC" },
      { name: "reviewer", prefix: "DOC-R" },
    ]
    const session = {
      session_id: "s",
      roles,
      pipeline: { dependency_graph: { "doc-r1": [], "DOC-2": "doc-r1", X: 1 } },
    }
    const { snapshot } = parse("tc-session", { "team-session.json": session })
    expect(snapshot.tasks.map((task) => task.agentType)).toEqual(["reviewer", "writer", null])
    expect(snapshot.tasks[1]?.blockedBy as readonly string[]).toEqual(["doc-r1"])
  })
})

describe("a project with executors and QA", () => {
  const found = parseFixture("pm-project/sample")

  it("has a task for each of them, QA last", () => {
    expect(found.snapshot.team).toMatchObject({ project: "landing-page", team: "main", mode: "SUPERVISED" })
    expect(found.snapshot.team).toMatchObject({ goal: "A page that explains itself", phase: "EXECUTION" })
    expect(short(found)).toEqual([
      "copywriter resolved [] Write the text",
      "frontend open [] Build the page",
      "designer paused [] Work of designer",
      "qa open [copywriter designer frontend] Work of qa",
    ])
    expect(found.snapshot.tasks).toMatchObject([
      { role: "worker", agentType: "copywriter", claimedBy: "ex-1", completedAt: "2025-05-05T11:00:00.000Z" },
      { role: "frontend", description: "Build the page\nwith the text", previousOwner: "ex-2" },
      { pauseReason: "waits for the colours" },
      { role: "review", agentType: "qa" },
    ])
  })

  it("keeps its log, in order and at its own times", () => {
    expect(entries(found)).toEqual([
      'requirement understood {"questions":2}',
      'approval: approved {"role":"copywriter"}',
      "frontend timed out: no answer for 10 minutes",
      "copywriter was VERIFIED in phase completion at 100 %",
      "frontend was RUNNING in phase execution at 60 %",
      "designer was PAUSED in phase plan_design at 30 %",
      "qa was QA_PLANNING in phase requirement at 10 %",
      "pm was RUNNING",
    ])
    expect(found.history[1]).toMatchObject({ timestamp: "2025-05-05T08:05:00.000Z", by: "person" })
    expect(found.history[2]).toMatchObject({ by: "pm-1" })
    expect(found.history[0]?.type).toBe("team.created")
  })

  it("keeps what it delivered, its issues and its views", () => {
    expect(paths(found)).toEqual([
      "artifacts/index.html",
      "imported/WHITEBOARD.md",
      "imported/agent-status.json",
      "imported/landing-page.md",
      "imported/state.json",
      "issues/1.md",
    ])
  })

  it("may list its members by role, and be done", () => {
    const done = parseFixture("pm-project/by-role")
    expect(done.snapshot.team).toMatchObject({ project: "by-role", phase: "COMPLETE", status: "completed" })
    expect(short(done)).toEqual(["backend resolved [] Endpoint", "qa resolved [backend] Work of qa"])
  })

  it("may have tasks of its own", () => {
    const listed = parseFixture("pm-project/with-tasks")
    expect(listed.snapshot.team).toMatchObject({ goal: "Lists", phase: "PLANNING" })
    expect(short(listed)).toEqual(["1 resolved [] First", "2 open [1] Second", "3 open [] third"])
    expect(entries(listed)).toEqual(["kicked off", "qa was RUNNING"])
    expect(notes(listed.changed)).toEqual([
      'state.json task 4 of the list was left out: it has the id "../x", which is not allowed',
      "state.json task 1 is there twice; the first one counts",
    ])
  })

  it("never loses a task because a number is taken", () => {
    const tasks = [{ id: 2, title: "a" }, { title: "b" }, { title: "c" }]
    expect(short(parse("pm-project", { "state.json": { id: "x", tasks } }))).toEqual([
      "2 open [] a",
      "task-2 open [] b",
      "3 open [] c",
    ])
  })

  it("tells members of the same role apart, and merges the two lists of them", () => {
    const state = {
      id: "x",
      team: [{ role: "backend" }, { role: "backend" }, { role: "Project Manager" }],
      agents: { docs: { status: "RUNNING", progress: 40 } },
    }
    expect(short(parse("pm-project", { "state.json": state }))).toEqual([
      "backend open [] Work of backend",
      "backend-2 open [] Work of backend",
      "docs open [] Work of docs",
    ])
  })

  it("takes whoever reached the end for done", () => {
    const agents = { docs: { status: "RUNNING", phase: "completion", progress: 100 } }
    const { snapshot } = parse("pm-project", { "state.json": { id: "x", phase: "completion", agents } })
    expect(snapshot.tasks[0]?.status).toBe("resolved")
    expect(snapshot.team.phase).toBe("COMPLETE")
  })
})

describe("a forge team", () => {
  const found = parseFixture("forge-team/sample")

  it("has the tasks that its workers were given", () => {
    expect(found.snapshot.team).toMatchObject({
      project: "here",
      team: "forge-team-1748772000",
      goal: "Add dark mode",
      phase: "EXECUTION",
      status: "active",
      nextTask: 7,
    })
    expect(short(found)).toEqual([
      "1 resolved [] Task 1 (executor)",
      "2 resolved [] Task 2 (executor)",
      "3 open [] Task 3 (designer)",
      "4 open [] Task 4 (designer)",
      "5 open [] Task 5 (designer)",
      "6 open [] Task 6 (executor)",
    ])
    expect(found.snapshot.tasks[0]).toMatchObject({
      files: ["src/theme/**"],
      agentType: "executor",
      assignee: null,
      claimedBy: "worker-1",
      workerId: "worker-1",
      completedAt: "2025-06-01T10:30:00.000Z",
    } as object)
    expect(found.snapshot.workers.map((worker) => `${worker.id} ${worker.availability}`)).toEqual([
      "worker-1 stopped",
      "worker-2 stopped",
      "worker-3 stopped",
    ])
  })

  it("tells of what is not known exactly, and of failures", () => {
    expect(entries(found)).toEqual([
      "worker-3 failed: out of memory",
      "worker-2 had finished 1 of 3; which ones is not recorded",
    ])
    expect(paths(found)).toEqual(["imported/team-state.json", "imported/worker-3-failure.json"])
  })

  it("may have a list of tasks; those of the host are not among them", () => {
    const listed = parseFixture("forge-team/with-tasks")
    expect(short(listed)).toEqual([
      "1 resolved [] Colours",
      "2 open [1] Switch",
      "3 failed [] Icons",
      "4 open [] Task 4 (executor)",
    ])
    expect(listed.snapshot.team).toMatchObject({ status: "paused", pauseReason: "the team was shut down" })
    expect(listed.snapshot.verdicts).toMatchObject([{ scope: "cross-agent", status: "passed", by: "codex" }])
    expect(listed.snapshot.workers).toHaveLength(1)
    expect(notes(listed.changed)).toContain("team-state.json worker worker-1 is there twice; the first one counts")
  })

  it("may be complete, and have a damaged note", () => {
    const done = parseFixture("forge-team/done")
    expect(done.snapshot.team).toMatchObject({ phase: "COMPLETE", status: "completed" })
    expect(done.skipped.map((note) => note.file)).toEqual(["worker-9-failure.json"])
  })

  it.each([
    [
      { status: "completing", phase: "integration" },
      { status: "completing", phase: "VERIFICATION" },
    ],
    [
      { status: "failed", phase: "executing" },
      { status: "failed", phase: "EXECUTION" },
    ],
    [
      { status: "active", phase: "decomposition" },
      { status: "active", phase: "PLANNING" },
    ],
  ])("with %j is %j", (state, team) => {
    expect(parse("forge-team", { "team-state.json": state }).snapshot.team).toMatchObject(team as object)
  })

  it("counts failures that nobody named", () => {
    const state = parse("forge-team", { "team-state.json": { failedTasks: 2 } })
    expect(entries(state)).toEqual(["2 tasks had failed; which ones is not recorded"])
  })
})
