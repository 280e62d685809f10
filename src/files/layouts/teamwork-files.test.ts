import { describe, expect, it } from "bun:test"
import { memoryFolder } from "../../../test/support/folders.ts"
import { CONTEXT, parseFixture } from "../../../test/support/layouts.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { isId } from "../../kernel/ids.ts"
import { UNGUARDED } from "../../kernel/team.ts"
import type { FoundTeam } from "./found-team.ts"
import { parseTeam } from "./layouts.ts"

const PROJECT = { project: "p", team: "t", goal: "g", created_at: "2025-03-01T08:00:00Z" }
const START = "2025-03-01T08:00:00.000Z"

/** A team of these files, in the newer format. */
function parse(files: Record<string, unknown>, project: Record<string, unknown> = PROJECT): FoundTeam {
  return parseTeam(memoryFolder({ "project.json": project, ...files }), { layout: "teamwork-v2", path: "" }, CONTEXT)
}

/** A team of these tasks, each in its file. */
function parseTasks(...tasks: (Record<string, unknown> & { id: unknown })[]): FoundTeam {
  return parse(Object.fromEntries(tasks.map((task) => [`tasks/${task.id}.json`, { title: "paint", ...task }])))
}

const paths = (found: FoundTeam) => found.snapshot.documents.map((document) => document.path)
const notes = (list: FoundTeam["skipped"]) => list.map((note) => `${note.file} ${note.what}`)

describe("a teamwork v2 team", () => {
  const found = parseFixture("teamwork-v2/sample")
  const { snapshot } = found

  it("keeps its names, its phase and its times, and goes on counting", () => {
    expect(snapshot.team).toEqual({
      project: "shop",
      team: "main",
      run: 1,
      goal: "Search that finds things",
      phase: "EXECUTION",
      status: "active",
      pauseReason: null,
      mode: "FULL_AUTO",
      schedule: "waves",
      ...UNGUARDED,
      createdAt: START,
      updatedAt: "2025-03-01T12:00:00.000Z",
      nextTask: 11,
      nextWorker: 3,
    })
    expect(snapshot.tasks.map((task) => task.id as string)).toEqual(["1", "2", "3", "4", "10"])
    expect(snapshot.tasks.map((task) => task.height)).toEqual([3, 2, 2, 1, 0])
  })

  it("keeps resolved tasks with owner, worker and evidence, which counts as reported", () => {
    const [task] = snapshot.tasks
    expect(task).toMatchObject({
      status: "resolved",
      claimedBy: "session-a",
      workerId: "w1",
      version: 4,
      claimToken: 1,
    })
    expect(task?.completedAt).toBe("2025-03-01T10:00:00.000Z")
    expect(task?.evidence.map(({ type, text, facts }) => ({ type, text, facts }))).toEqual([
      { type: "command", text: "", facts: { command: "npm test", output: "12 passing", exitCode: 0 } },
      { type: "file", text: "", facts: { path: "src/index.ts", action: "created" } },
      { type: "test", text: "", facts: { passed: 12, failed: 0 } },
      { type: "note", text: "rebuilds in a second", facts: {} },
    ])
    for (const entry of task?.evidence ?? []) expect(entry).toMatchObject({ trust: "reported", blockedPattern: null })
  })

  it("opens what was in progress, and says so", () => {
    expect(snapshot.tasks[2]).toMatchObject({
      status: "open",
      claimedBy: null,
      claimedAt: null,
      workerId: null,
      leaseUntil: null,
      previousOwner: "session-a",
      attempt: 1,
      claimToken: 1,
      evidence: [{ type: "note", text: "the route answers" }],
    })
    expect(found.history.at(-1)).toEqual({
      type: "task.released",
      version: 1,
      timestamp: CONTEXT.nowIso,
      by: "person",
      data: { task: "3" as TaskId, owner: "session-a", reason: "imported: its session is gone" },
    })
    expect(notes(found.changed)).toEqual(["tasks/3.json task 3 was in progress with session-a and is open again"])
  })

  it("keeps waves, verdicts, messages and workers", () => {
    expect(snapshot.waves.map((wave) => wave.verdict)).toEqual(["verified", null, null, null])
    expect(snapshot.tasks.map((task) => task.wave)).toEqual([1, 1, 2, 3, 4])
    expect(snapshot.verdicts).toMatchObject([{ scope: "wave", subject: "1", status: "passed", checks: [{}, {}] }])
    expect(snapshot.messages.map(({ to, type, read }) => [to, type, read])).toEqual([
      ["orchestrator", "idle_notification", true],
      ["orchestrator", "text", false],
      ["w1", "shutdown_request", false],
    ])
    expect(snapshot.messages[0]).toMatchObject({ readAt: "2025-03-01T10:00:01.000Z", deliveredAt: expect.any(String) })
    expect(snapshot.workers).toMatchObject([
      { id: "w1", role: "backend", sessionId: "session-a", pane: "%1", branch: "worker-w1", availability: "dead" },
      { id: "w2", role: "frontend", sessionId: null, createdAt: "2025-03-01T09:00:30.000Z" },
    ])
  })

  it("takes only its own loops, which lie two folders up", () => {
    expect(snapshot.loops).toEqual([
      {
        active: true,
        project: "shop",
        team: "main",
        role: "backend",
        startedAt: expect.any(String),
        terminalId: "tty-1",
      },
    ])
  })

  it("keeps files that say more, and leaves locks, temporary files and working copies behind", () => {
    expect(paths(found)).toEqual([
      "imported/swarm/swarm.json",
      "imported/tasks/3.json",
      "imported/verification/wave-1.json",
    ])
    expect(found.skipped).toEqual([])
  })
})

describe("a teamwork v1 team", () => {
  it("has string evidence, no waves, and a phase that follows from its tasks", () => {
    const { snapshot } = parseFixture("teamwork-v1/sample")
    expect(snapshot.team).toMatchObject({ project: "legacy", phase: "EXECUTION" })
    expect(snapshot.tasks[0]?.evidence).toMatchObject([
      { number: 1, type: "note", trust: "reported", text: "3 bulbs changed", by: "session-1" },
      { number: 2, text: "lights are on" },
    ])
    expect(snapshot.tasks[0]?.completedAt).toBe("2024-11-02T08:00:00.000Z")
    expect(snapshot.loops).toMatchObject([{ terminalId: "4711" }])
    expect(parseFixture("teamwork-v1/fresh").snapshot.team.phase).toBe("PLANNING")
  })

  it("opens a task that was released but stayed in progress", () => {
    const { snapshot, history } = parseFixture("teamwork-v1/released")
    expect(snapshot.tasks).toMatchObject([{ status: "open", previousOwner: null }])
    expect(history.at(-1)?.data).toMatchObject({ task: "1", owner: null })
  })
})

describe("the team's own file", () => {
  it("gives way to the folders' names and to defaults", () => {
    const folder = memoryFolder({ "shop/night/project.json": { goal: "g", team: "" } })
    const { team } = parseTeam(folder, { layout: "teamwork-v2", path: "shop/night" }, CONTEXT).snapshot
    expect(team).toMatchObject({ project: "shop", team: "night" })
    expect(parse({}, { goal: "g" }).snapshot.team).toMatchObject({ project: "here", team: "main" })
  })

  it("gets names that are ids", () => {
    const found = parseFixture("teamwork-v2/hostile")
    expect(found.snapshot.team).toMatchObject({ project: "etc", team: "feature-login" })
    expect(notes(found.changed)).toContain(
      'project.json has the team "feature/login", which is not allowed; it is feature-login now',
    )
  })

  it("says which phase and status hold", () => {
    expect(parse({}, { ...PROJECT, phase: "complete" }).snapshot.team).toMatchObject({
      phase: "COMPLETE",
      status: "completed",
    })
    const paused = parse({ "swarm/swarm.json": { paused: true } }, { ...PROJECT, phase: "EXECUTION" }).snapshot.team
    expect(paused).toMatchObject({ status: "paused", pauseReason: "it was paused when it was imported" })
    expect(notes(parse({}, { ...PROJECT, phase: "DREAMING" }).changed)).toEqual([
      "project.json phase is not one of PLANNING, EXECUTION, VERIFICATION, COMPLETE and was left out",
    ])
  })

  it("is kept as a document when it says more", () => {
    expect(paths(parse({}, { ...PROJECT, stats: { total: 0 } }))).toEqual([])
    expect(paths(parse({}, { ...PROJECT, budget: 3 }))).toEqual(["imported/project.json"])
  })
})

describe("task files", () => {
  it("may be damaged, foreign or without a title, and are named then", () => {
    const found = parseFixture("teamwork-v2/crash")
    expect(found.snapshot.tasks.map((task) => task.id as string)).toEqual(["1", "4"])
    expect(found.skipped.map((note) => note.file).sort()).toEqual([
      ".loop-state/77.json",
      "inboxes/w1.json",
      "swarm/workers/w1.json",
      "tasks/2.json",
      "tasks/3.json",
      "verification/final.json",
      "waves.json",
    ])
    expect(notes(parse({ "tasks/9.json": new Error("denied") }).skipped)).toEqual([
      "tasks/9.json cannot be read: denied",
    ])
  })

  it("may have Windows line ends and a byte order mark; documents keep theirs", () => {
    const { snapshot, skipped } = parseFixture("teamwork-v2/windows")
    expect(skipped).toEqual([])
    expect(snapshot.tasks).toMatchObject([{ title: "From Windows", completedAt: "2025-03-01T09:00:00.000Z" }])
    expect(snapshot.documents).toMatchObject([{ path: "imported/notes.md", content: "first line\r\nsecond line\r\n" }])
  })

  it("may have fields of the wrong type", () => {
    const { snapshot, skipped, changed } = parseFixture("teamwork-v2/wrong-types")
    expect(snapshot.tasks).toMatchObject([
      { id: "1", role: "worker", agentType: "wizard", complexity: "standard", blockedBy: ["2"], evidence: [{}] },
      { id: "2", title: "Title from here", status: "open", createdAt: "2025-03-01T09:00:00.000Z" },
      { id: "5", blockedBy: [], status: "paused", pauseReason: "its needs could not be read" },
    ])
    expect(notes(skipped)).toEqual([
      "tasks/3.json does not hold an object",
      "tasks/4.json has no title",
      "swarm/swarm.json does not hold an object",
      "waves.json has version 3; versions 1 and 1.0 are known",
      "inboxes/w1.json holds no list of messages",
    ])
    expect(notes(changed)).toContain("tasks/1.json task 1 has role worker instead of the unknown wizard")
    expect(notes(changed)).toContain("tasks/2.json task 2 had the unknown status dancing and is open")
  })

  it("with the same id: the one that is called like it wins", () => {
    const { snapshot, skipped } = parseFixture("teamwork-v2/duplicates")
    expect(snapshot.tasks.map((task) => task.title)).toEqual(["The one", "Two"])
    expect(notes(skipped)).toContain("tasks/0-copy.json has the same id 1 as tasks/1.json")
    expect(notes(skipped)).toContain("tasks/1-backup.json has the same id 1 as tasks/1.json")
    expect(notes(skipped)).toContain("swarm/workers/w1b.json is a second worker w1")
  })

  it("with ids that are none are left out; texts lose what no store keeps", () => {
    const { snapshot, skipped } = parseFixture("teamwork-v2/hostile")
    expect(snapshot.tasks.map((task) => task.id as string).sort()).toEqual(["3", "4", "5"])
    expect(notes(skipped)).toContain('tasks/x.json has the id "../x", which is not allowed')
    expect(snapshot.tasks.find((task) => (task.id as string) === "5")?.title).toBe("ab \uFFFD")
    expect(snapshot.tasks.find((task) => (task.id as string) === "4")).toMatchObject({
      title: "Two",
      description: "Two\nlines",
      claimedBy: null,
    })
    expect(snapshot.workers).toEqual([])
  })

  it("may be failed, skipped or paused", () => {
    const { snapshot } = parseTasks(
      { id: "1", status: "failed", claimed_by: "w1", updated_at: "2025-03-01T09:00:00Z" },
      { id: "2", status: "skipped" },
      { id: "3", status: "paused", pause_reason: "rain" },
      { id: "4", status: "in_review", claimed_by: "w1" },
      { id: "5", status: "open", claimed_by: "w1" },
    )
    expect(snapshot.tasks).toMatchObject([
      { status: "failed", claimedBy: "w1", completedAt: "2025-03-01T09:00:00.000Z" },
      { status: "skipped", completedAt: START, claimToken: 0 },
      { status: "paused", pausedFrom: "open", pauseReason: "rain" },
      { status: "open", previousOwner: "w1" },
      { status: "open", claimedBy: null, previousOwner: null },
    ])
  })

  it("may hold evidence with more than we know, which stays in its text", () => {
    const { snapshot } = parseTasks({
      id: "1",
      claimed_by: "w1",
      evidence: [
        { type: "command", command: "make", exit_code: "2", shell: "zsh" },
        { type: "screenshot", url: "a.png", text: "looks good" },
        { type: "file", path: "a.ts", action: "renamed" },
        { type: "command", output: "no command" },
        { passed: 3, failed: 1, timestamp: 1740819600 },
        7,
      ],
    })
    expect(snapshot.tasks[0]?.evidence.map(({ number, type, text, facts }) => ({ number, type, text, facts }))).toEqual(
      [
        { number: 1, type: "command", text: '{"shell":"zsh"}', facts: { command: "make", exitCode: 2 } },
        { number: 2, type: "note", text: 'looks good\n{"type":"screenshot","url":"a.png"}', facts: {} },
        { number: 3, type: "file", text: '{"action":"renamed"}', facts: { path: "a.ts" } },
        { number: 4, type: "note", text: '{"type":"command"}', facts: { output: "no command" } },
        { number: 5, type: "test", text: "", facts: { passed: 3, failed: 1 } },
        { number: 6, type: "note", text: "7", facts: {} },
      ],
    )
  })

  it("may be 5,000", () => {
    const tasks = Array.from({ length: 5000 }, (_, index) => ({
      id: String(index + 1),
      blocked_by: index === 0 ? [] : [String(index)],
    }))
    const { snapshot, skipped, changed } = parseTasks(...tasks)
    expect(snapshot.tasks).toHaveLength(5000)
    expect(snapshot.team.nextTask).toBe(5001)
    expect(snapshot.tasks[0]?.height).toBe(4999)
    expect([...skipped, ...changed]).toEqual([])
  })
})

describe("needs", () => {
  it("that were not imported leave the task paused", () => {
    const { snapshot, changed } = parseFixture("teamwork-v2/missing-need")
    expect(snapshot.tasks[0]).toMatchObject({
      blockedBy: ["2"],
      status: "paused",
      pausedFrom: "open",
      pauseReason: "needs task 7, which was not imported",
    })
    expect(notes(changed)).toEqual(["tasks/1.json task 1 needs task 7, which was not imported"])
  })

  it("that go in a circle lose the one that closes it, and that task is paused", () => {
    const { snapshot, changed } = parseFixture("teamwork-v2/cycle")
    expect(snapshot.tasks.map((task) => [task.id as string, task.blockedBy as readonly string[], task.status])).toEqual(
      [
        ["1", [], "paused"],
        ["2", ["1"], "open"],
        ["3", ["2"], "open"],
        ["4", [], "paused"],
        ["5", [], "resolved"],
        ["6", ["5"], "open"],
      ],
    )
    expect(snapshot.tasks[0]?.pauseReason).toBe("its needs went in a circle: 1 -> 3 -> 2 -> 1")
    expect(changed).toHaveLength(3)
  })

  it("may go in a very long circle", () => {
    const ring = Array.from({ length: 50 }, (_, index) => ({ id: `t${index}`, blocked_by: [`t${(index + 1) % 50}`] }))
    const { snapshot } = parseTasks(...ring)
    expect(snapshot.tasks.filter((task) => task.status === "paused")).toHaveLength(1)
    expect(snapshot.tasks.find((task) => task.pauseReason)?.pauseReason?.length).toBeLessThan(200)
  })
})

describe("waves", () => {
  const tasks = { "tasks/1.json": { id: "1", title: "a" }, "tasks/2.json": { id: "2", title: "b", blocked_by: ["1"] } }
  const done = { ...tasks, "tasks/1.json": { id: "1", title: "a", status: "resolved" } }
  const waves = (...list: unknown[]) => ({ "waves.json": { version: "1.0", waves: list } })
  const placed = ({ snapshot }: FoundTeam) => snapshot.tasks.map((task) => task.wave)

  it("may be called open, and have ids as texts", () => {
    const found = parseFixture("teamwork-v2/wave-open")
    expect(found.snapshot.waves.map((wave) => [wave.number, wave.verdict])).toEqual([
      [1, null],
      [2, null],
    ])
    expect(placed(found)).toEqual([1, 2])
    expect([...found.skipped, ...found.changed]).toEqual([])
  })

  it.each([["1"], ["1.0"], [1], [undefined]])("may have version %j", (version) => {
    const found = parse({ ...tasks, "waves.json": { version, waves: [{ id: 1, tasks: ["1", "2"] }] } })
    expect(placed(found)).toEqual([1, 1])
  })

  it("are not there without their file, whatever the tasks say", () => {
    expect(placed(parseTasks({ id: "1", wave: 3 }))).toEqual([null])
  })

  it("that contradict the needs, or have gaps, are left out", () => {
    for (const list of [
      [
        { id: 1, tasks: ["2"] },
        { id: 2, tasks: ["1"] },
      ],
      [
        { id: 1, tasks: ["1"] },
        { id: 3, tasks: ["2"] },
      ],
      [{ id: 2, tasks: ["1", "2"] }],
    ]) {
      const found = parse({ ...tasks, ...waves(...list) })
      expect(found.snapshot.waves).toEqual([])
      expect(placed(found)).toEqual([null, null])
      expect(notes(found.changed)[0]).toContain("make new ones with: teamwork wave calculate")
      expect(paths(found)).toEqual(["imported/waves.json"])
    }
  })

  it("keep verified and failed as long as the tasks agree", () => {
    const verified = waves({ id: 1, status: "verified", tasks: ["1"] }, { id: 2, status: "failed", tasks: ["2"] })
    expect(parse({ ...done, ...verified }).snapshot.waves).toEqual([
      { number: 1, verdict: "verified", startedAt: null, verifiedAt: START },
      { number: 2, verdict: "failed", startedAt: null, verifiedAt: null },
    ])
    const found = parse({ ...tasks, ...verified })
    expect(found.snapshot.waves[0]).toMatchObject({ verdict: null, verifiedAt: null })
    expect(notes(found.changed)).toEqual(["waves.json wave 1 is not verified any more: its task 1 is not done"])
  })

  it("take in tasks without a wave, in front of nothing they need", () => {
    const found = parse({ ...done, ...waves({ id: 1, status: "verified", tasks: ["1"] }) })
    expect(placed(found)).toEqual([1, 2])
    expect(found.snapshot.waves).toHaveLength(2)
    expect(notes(found.changed)).toEqual(["waves.json task 2 was in no wave; it is in wave 2 now"])
  })

  it("name tasks that are not there", () => {
    const found = parse({ ...tasks, ...waves({ id: 1, tasks: ["1", "2", "9"] }, "what", { id: 1 }) })
    expect(notes(found.changed)).toEqual([
      "waves.json wave number 2 of the list has no usable id and was left out",
      "waves.json wave 1 is there twice",
      "waves.json wave 1 names task 9, which was not imported",
    ])
  })
})

describe("verification", () => {
  it("is told by status or verdict, in many spellings", () => {
    const { snapshot, skipped } = parseFixture("teamwork-v2/verdict-key")
    expect(snapshot.verdicts).toEqual([
      {
        scope: "wave",
        subject: "1",
        status: "passed",
        checks: [
          { name: "build", status: "passed" },
          { name: "lint", status: "failed" },
        ],
        issues: ['{"file":"a.ts","problem":"unused"}'],
        by: "person",
        timestamp: "2025-03-01T11:00:00.000Z",
      },
      {
        scope: "final",
        subject: null,
        status: "failed",
        checks: [{ name: "looked at it", status: "skipped" }],
        issues: ["two tests are red"],
        by: "person",
        timestamp: "2025-03-01T11:30:00.000Z",
      },
    ])
    expect(skipped.map((note) => note.file)).toEqual(["verification/notes.json", "verification/wave-2.json"])
  })

  it.each([
    ["passed", "passed"],
    ["PASS", "passed"],
    ["fail", "failed"],
    ["skipped", "skipped"],
  ])("reads %s as %s", (word, status) => {
    const [verdict] = parse({ "verification/final.json": { status: word } }).snapshot.verdicts
    expect(verdict).toMatchObject({ status } as object)
  })
})

describe("inboxes", () => {
  it("may be lists; ids that are none or there twice are made anew, always the same", () => {
    const [first, second] = [parseFixture("teamwork-v2/duplicates"), parseFixture("teamwork-v2/duplicates")]
    const ids = first.snapshot.messages.map((message) => message.id)
    expect(new Set(ids).size).toBe(4)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(second.snapshot.messages).toEqual(first.snapshot.messages)
    expect(ids).toContain("6f1c2a34-9b1d-4c55-8f0e-0a1b2c3d4e5f")
  })

  it("may hold what is no message, and types that we do not have", () => {
    const { snapshot, changed } = parseFixture("teamwork-v2/broken-inbox")
    expect(snapshot.messages.map(({ to, type, payload }) => ({ to, type, payload }))).toEqual([
      {
        to: "orchestrator",
        type: "text",
        payload: { about: "w2", message: '{"about":"w2"}', original_type: "gossip" },
      },
      { to: "orchestrator", type: "text", payload: { message: "{}", original_type: "shutdown_request" } },
      { to: "orchestrator", type: "text", payload: { message: "just a text" } },
    ])
    expect(snapshot.messages[0]).toMatchObject({ read: true, readAt: "2025-03-01T09:30:00.000Z" })
    expect(notes(changed)).toEqual(["inboxes/lead.json message 1 is not an object and was left out"])
  })

  it("have participants whose names are ids", () => {
    const { snapshot, changed } = parseFixture("teamwork-v2/hostile")
    expect(snapshot.messages.every((message) => isId(message.from) && isId(message.to))).toBe(true)
    expect(notes(changed)).toContain('inboxes/w1.json message 1 is from "team-lead@shop", now team-lead-shop')
  })
})

describe("loops", () => {
  it("may lie in the team's own folder, and need not name it there", () => {
    const loop = { active: true, role: "cook", started_at: "2025-03-01T09:00:00Z" }
    const found = parse({ ".loop-state/5.json": loop, ".loop-state/6.json": { ...loop, project: "q", team: "t" } })
    expect(found.snapshot.loops).toEqual([
      { active: true, project: "p", team: "t", role: null, startedAt: "2025-03-01T09:00:00.000Z", terminalId: "5" },
    ])
  })
})

describe("documents", () => {
  it("lie where they lay, or below imported", () => {
    const found = parse({
      "wisdom/learnings.md": "a",
      "role-specs/cook.md": "b",
      "artifacts/a.txt": "c",
      "deliverables/a.txt": "d",
      "deliverables/b.txt": "e",
      "issues/1.md": "f",
      "discussions/1.md": "g",
      "explorations/x/y.json": "h",
      "notes/x.txt": "i",
      "yarn.lock": "j",
    })
    expect(found.snapshot.documents.map(({ path, content }) => `${path} ${content}`)).toEqual([
      "artifacts/a.txt c",
      "artifacts/b.txt e",
      "discussions/1.md g",
      "explorations/x/y.json h",
      "imported/deliverables/a.txt d",
      "imported/notes/x.txt i",
      "imported/yarn.lock j",
      "issues/1.md f",
      "role-specs/cook.md b",
      "wisdom/learnings.md a",
    ])
  })

  it("are kept to the byte when they are no text, and left out when they are too large", () => {
    const binary = new Uint8Array([0xff, 0, 1])
    const found = parse({ "a.bin": binary, "nul.txt": "a\0b", "bom.txt": "\uFEFFx", "big.txt": "x".repeat(5_000_001) })
    const [a, bom, nul] = found.snapshot.documents
    expect(a).toMatchObject({ encoding: "base64", content: Buffer.from(binary).toString("base64"), by: "person" })
    expect(nul).toMatchObject({ encoding: "base64" })
    expect(bom).toMatchObject({ encoding: "utf8", content: "\uFEFFx", createdAt: START })
    expect(notes(found.skipped)).toEqual(["big.txt is larger than 5 MB"])
  })

  it("are not made of leftovers", () => {
    const names = ["tasks/1.json.lock/holder.json", "a.tmp", "a.json.tmp.12", "b~", ".DS_Store", "worktrees/w1/a.ts"]
    expect(paths(parse(Object.fromEntries(names.map((name) => [name, "x"]))))).toEqual([])
  })
})
