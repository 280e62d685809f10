import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { SAMPLE_TEAM } from "../../../test/support/sample-team.ts"
import { arbitrarySnapshot, filesOf, folderOf, type WholeTeam } from "../../../test/support/snapshots.ts"
import { AppError } from "../../kernel/errors.ts"
import type { FoundTeam } from "../layouts/found-team.ts"
import type { SnapshotMessage, SnapshotTask, TeamSnapshot } from "../snapshot.ts"
import type { OutFile } from "./folder.ts"
import { parseExport } from "./parse.ts"

const { snapshot: SNAPSHOT, history: HISTORY } = SAMPLE_TEAM
const [MESSAGE] = SNAPSHOT.messages as [SnapshotMessage]

/** The sample's export with some of its files changed; `undefined` takes one away. */
function parseWith(
  changes: Record<string, string | Uint8Array | undefined>,
  whole: WholeTeam = SAMPLE_TEAM,
): FoundTeam {
  const files = new Map(filesOf(whole).map((file) => [file.path, file.content]))
  for (const [path, content] of Object.entries(changes)) {
    if (content === undefined) files.delete(path)
    else files.set(path, content)
  }
  return parseExport(folderOf(Array.from(files, ([path, content]): OutFile => ({ path, content }))))
}

/** A file of the sample's export as it would be with another content. */
function changed(path: string, change: (content: Record<string, unknown>) => unknown): Record<string, string> {
  const file = filesOf(SAMPLE_TEAM).find((each) => each.path === path)
  return { [path]: JSON.stringify(change(JSON.parse(String(file?.content)))) }
}

function textOf(path: string): string {
  return String(filesOf(SAMPLE_TEAM).find((each) => each.path === path)?.content)
}

function without<Key extends keyof TeamSnapshot>(key: Key, value: TeamSnapshot[Key]): TeamSnapshot {
  return { ...SNAPSHOT, [key]: value }
}

describe("an export", () => {
  it("is read back as it was, whatever the team", () => {
    fc.assert(
      fc.property(arbitrarySnapshot(), (whole) => {
        const found = parseExport(folderOf(filesOf(whole)))
        expect(found).toEqual({ layout: "export", path: "", ...whole, skipped: [], changed: [] })
      }),
    )
  })

  it("keeps the order in which tasks were created, with gaps in their places", () => {
    const found = parseWith({
      ...changed("tasks/1.json", (task) => ({ ...task, teamwork: { ...(task.teamwork as object), place: 40 } })),
      ...changed("tasks/3.json", (task) => ({ ...task, teamwork: { ...(task.teamwork as object), place: 12 } })),
    })
    expect(found.snapshot.tasks.map((task) => task.id as string)).toEqual(["2", "3", "1"])
  })

  it("does not read what is made from the rest, nor what a mirror keeps for itself", () => {
    const found = parseWith({
      "WHITEBOARD.md": "{",
      "shop.md": "{",
      "agent-status.json": "{",
      "team-session.json": "{",
      "swarm/swarm.json": "{",
      ".teamwork-export.jsonl": "{",
      "edited/tasks/1.json": "{",
      "replaced/x": "{",
      "worktrees/w2/package.json": "{",
    })
    expect(found).toEqual({ layout: "export", path: "", ...SAMPLE_TEAM, skipped: [], changed: [] })
  })
})

describe("project.json", () => {
  const failure = (content: string | undefined) => {
    try {
      parseWith({ "project.json": content })
    } catch (error) {
      if (error instanceof AppError) return error
    }
    throw new Error("no AppError")
  }
  const withTeamwork = (change: object) =>
    changed("project.json", (from) => ({ ...from, teamwork: { ...(from.teamwork as object), ...change } }))[
      "project.json"
    ]

  it("must be there and be whole", () => {
    expect(failure(undefined).message).toBe("project.json cannot be used: cannot be read (ENOENT)")
    expect(failure('{"project":').message).toBe("project.json cannot be used: is not valid JSON")
    expect(failure("[]").message).toBe("project.json cannot be used: is not an object")
    const wrong = changed("project.json", (from) => ({ ...from, project: "../x" }))["project.json"]
    expect(failure(wrong).message).toBe("project.json cannot be used: project is not a valid id")
    expect(failure(withTeamwork({ mode: "LAZY" })).message).toContain("mode is not one of FULL_AUTO, SUPERVISED")
  })

  it("must not be of a newer format", () => {
    const error = failure(withTeamwork({ format: 2 }))
    expect(error.code).toBe("input.invalid")
    expect(error.message).toContain("format 2")
    expect(error.message).toContain("update teamwork")
  })
})

describe("a file that cannot be used", () => {
  const teamwork = (change: object) => (from: Record<string, unknown>) => ({
    ...from,
    teamwork: { ...(from.teamwork as object), ...change },
  })
  const task1 = "tasks/1.json"
  const pauseReason = "needs task 1, which was not imported"
  const paused = { status: "paused", pausedFrom: "open", pauseReason } as const
  const withoutTask1: TeamSnapshot = {
    ...SNAPSHOT,
    tasks: SNAPSHOT.tasks
      .slice(1)
      .map((task) => ({ ...task, ...(task.status === "open" ? paused : {}), blockedBy: [] })),
  }
  const cases: [name: string, Record<string, string | Uint8Array>, what: string, TeamSnapshot][] = [
    ["a task that is no JSON", { [task1]: "{" }, "is not valid JSON", withoutTask1],
    ["a task that is no text", { [task1]: new Uint8Array([0xff, 0xfe]) }, "is not UTF-8 text", withoutTask1],
    ["an empty task", { [task1]: "" }, "is not valid JSON", withoutTask1],
    [
      "a task of the old format",
      changed(task1, ({ teamwork: _, ...from }) => from),
      "teamwork is missing",
      withoutTask1,
    ],
    ["a task of a wrong type", changed(task1, (from) => ({ ...from, title: 3 })), "title is not a text", withoutTask1],
    [
      "a task with NUL",
      changed(task1, (from) => ({ ...from, title: "a\0" })),
      "title has a NUL character",
      withoutTask1,
    ],
    [
      "a task of no role",
      changed(task1, (from) => ({ ...from, role: "king" })),
      "role is not one of frontend, backend, devops, test, docs, security, review, worker",
      withoutTask1,
    ],
    [
      "a task at no time",
      changed(task1, (from) => ({ ...from, created_at: "yesterday" })),
      "created_at is not a time like 2026-01-31T12:00:00.000Z",
      withoutTask1,
    ],
    [
      "a task on no day",
      changed(task1, (from) => ({ ...from, created_at: "2026-02-30T12:00:00.000Z" })),
      "created_at is a day that does not exist",
      withoutTask1,
    ],
    [
      "a task of no attempt",
      changed(task1, teamwork({ attempt: 0 })),
      "attempt is not a whole number from 1 on",
      withoutTask1,
    ],
    [
      "a task with a wrong need",
      changed(task1, (from) => ({ ...from, blocked_by: ["../2"] })),
      "an entry of blocked_by is not a valid id",
      withoutTask1,
    ],
    [
      "a task with wrong evidence",
      changed(task1, (from) => ({ ...from, evidence: ["it works"] })),
      "an entry of evidence is not an object",
      withoutTask1,
    ],
    [
      "a task with another's name",
      changed(task1, (from) => ({ ...from, id: "9" })),
      "is not named after its content, which would make it 9.json",
      withoutTask1,
    ],
    [
      "waves",
      changed("waves.json", (from) => ({ ...from, waves: [{ id: 0, status: "verified" }] })),
      "id is not a whole number from 1 on",
      without("waves", []),
    ],
    [
      "a worker",
      changed("swarm/workers/w2.json", teamwork({ availability: "bored" })),
      "availability is not one of spawning, idle, working, paused, quarantined, dead, stopped",
      without("workers", SNAPSHOT.workers.slice(0, 1)),
    ],
    ["an inbox", { "inboxes/orchestrator.json": "null" }, "is not an object", SNAPSHOT],
    [
      "an inbox of another",
      { "inboxes/w9.json": textOf("inboxes/orchestrator.json") },
      "is not named after its content, which would make it orchestrator.json",
      SNAPSHOT,
    ],
    [
      "a verification",
      changed("verification/wave-1.json", (from) => ({ ...from, wave_id: 2 })),
      "is named after another wave",
      SNAPSHOT,
    ],
    [
      "a loop state",
      changed(".loop-state/pane-3.json", (from) => ({ ...from, active: "yes" })),
      "active is not true or false",
      without("loops", []),
    ],
    [
      "a loop state of another team",
      changed(".loop-state/pane-3.json", (from) => ({ ...from, team: "other" })),
      "belongs to another team",
      without("loops", []),
    ],
    [
      "a text that is none",
      { "wisdom/learnings.md": new Uint8Array([0xc3]) },
      "is not UTF-8 text",
      without("documents", SNAPSHOT.documents.slice(0, 1)),
    ],
    [
      "a file that does not belong",
      { "notes.txt": "x" },
      "is no file of the format, nor named by documents.json",
      SNAPSHOT,
    ],
    [
      "a task in the wrong place",
      { "tasks/a/b.json": "{}" },
      "is no file of the format, nor named by documents.json",
      SNAPSHOT,
    ],
  ]
  for (const [name, change, what, rest] of cases) {
    it(`is named and left out: ${name}`, () => {
      const found = parseWith(change)
      expect(found.skipped).toEqual([{ file: Object.keys(change)[0] ?? "", what }])
      expect(found.snapshot).toEqual(rest)
      expect(found.history).toEqual(HISTORY)
    })
  }

  it("is named when it cannot be opened", () => {
    const folder = folderOf(filesOf(SAMPLE_TEAM))
    const found = parseExport({
      paths: folder.paths,
      read(path) {
        if (path === "tasks/3.json") throw Object.assign(new Error("EACCES: /home/x"), { code: "EACCES" })
        return folder.read(path)
      },
    })
    expect(found.skipped).toEqual([{ file: "tasks/3.json", what: "cannot be read (EACCES)" }])
    expect(found.snapshot).toEqual(without("tasks", SNAPSHOT.tasks.slice(0, 2)))
  })
})

describe("documents.json", () => {
  const entries = (change: (entry: Record<string, unknown>) => unknown) =>
    changed("documents.json", (from) => ({ documents: (from.documents as Record<string, unknown>[]).map(change) }))

  it("leads to no file outside", () => {
    const found = parseWith(
      entries((entry) => (entry.path === "wisdom/learnings.md" ? { ...entry, file: "../../secret" } : entry)),
    )
    expect(found.skipped).toEqual([
      { file: "documents.json", what: 'names the file "../../secret", which is not there' },
      { file: "wisdom/learnings.md", what: "is no file of the format, nor named by documents.json" },
    ])
  })

  it("may have entries that cannot be used, and others that can", () => {
    const found = parseWith(
      entries((entry) => (entry.path === "wisdom/learnings.md" ? { ...entry, encoding: "latin1" } : entry)),
    )
    expect(found.skipped).toEqual([{ file: "wisdom/learnings.md", what: "encoding is not one of utf8, base64" }])
    expect(found.snapshot).toEqual(without("documents", SNAPSHOT.documents.slice(0, 1)))
  })

  it("names each path once", () => {
    const found = parseWith(entries((entry) => ({ ...entry, path: "same.md" })))
    expect(found.snapshot.documents.map((document) => document.path)).toEqual(["same.md"])
    expect(found.skipped).toEqual([{ file: "wisdom/learnings.md", what: "has the path of another document" }])
  })

  it("is missed: without it documents are named, not guessed", () => {
    const found = parseWith({ "documents.json": undefined })
    expect(found.skipped.map((note) => note.file)).toEqual(["documents/tasks%2Fold-plan.md", "wisdom/learnings.md"])
    expect(found.snapshot).toEqual(without("documents", []))
  })
})

describe("logs", () => {
  const events = textOf("events.jsonl")
  const lines = events.trimEnd().split("\n") as [string, string, string]

  it("may break off in the last line, even inside of a letter", () => {
    const torn = Buffer.concat([Buffer.from(`${lines[0]}\n${lines[1].slice(0, -3)}`), Buffer.from("é").subarray(0, 1)])
    const found = parseWith({ "events.jsonl": torn })
    expect(found.skipped).toEqual([{ file: "events.jsonl", what: "line 2, which is cut off: is not UTF-8 text" }])
    expect(found.history).toEqual(HISTORY.slice(0, 1))
  })

  it("may lack nothing but the last line end", () => {
    const found = parseWith({ "events.jsonl": events.trimEnd() })
    expect(found).toMatchObject({ skipped: [], history: HISTORY })
  })

  it("may have lines that cannot be used", () => {
    const odd = [
      "nothing",
      "[]",
      lines[1].replace("task.created", "task.painted"),
      lines[1].replace("task.created", "constructor"),
      lines[1].replace('"title":"Catalogue"', '"title":1'),
      lines[1].replace('"place":2', '"place":"2"'),
      lines[1].replace('"place":2', '"place":1'),
    ]
    const found = parseWith({ "events.jsonl": [lines[0], ...odd, lines[1], lines[2], ""].join("\n") })
    expect(found.history).toEqual(HISTORY)
    expect(found.skipped.map((note) => note.what)).toEqual([
      "line 2: is not valid JSON",
      "line 3: is not an object",
      'line 4: is of the unknown type "task.painted"',
      'line 5: is of the unknown type "constructor"',
      "line 6: does not fit its type: event task.created: title is not a text",
      "line 7: place is not a whole number from 1 on",
      "line 8: has the place 1 of another",
    ])
  })

  it("that are all wrong are named by a few lines", () => {
    const found = parseWith({ "messages.jsonl": "x\n".repeat(1000) })
    expect(found.skipped).toHaveLength(21)
    expect(found.skipped.at(-1)).toEqual({ file: "messages.jsonl", what: "980 more lines cannot be used either" })
  })

  it("may hold what is nested too deep to be written again", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
    const log = textOf("messages.jsonl").replace(`"worker_id":"w1"`, `"worker_id":${deep}`)
    const found = parseWith({ "messages.jsonl": log, "inboxes/orchestrator.json": undefined })
    expect(found.skipped).toEqual([{ file: "messages.jsonl", what: "line 1: payload is nested too deep" }])
  })

  it("may tell an event twice or late", () => {
    const found = parseWith({ "events.jsonl": [lines[2], lines[0], lines[0], lines[1], ""].join("\n") })
    expect(found).toMatchObject({ skipped: [], history: HISTORY })
  })

  it("may be missing, and then the rest is there", () => {
    const found = parseWith({
      "events.jsonl": undefined,
      "messages.jsonl": undefined,
      "verification/verdicts.jsonl": undefined,
    })
    // The inbox has the message, and the file of the wave has the verdict.
    expect(found).toEqual({ layout: "export", path: "", snapshot: SNAPSHOT, history: [], skipped: [], changed: [] })
  })

  it("of verdicts name a bad line", () => {
    const found = parseWith({
      "verification/verdicts.jsonl": textOf("verification/verdicts.jsonl").replace('"passed"', '"won"'),
      "verification/wave-1.json": undefined,
    })
    expect(found.skipped).toEqual([
      { file: "verification/verdicts.jsonl", what: "line 1: status is not one of passed, failed, skipped" },
    ])
    expect(found.snapshot).toEqual(without("verdicts", []))
  })

  it("may tell a message again when it was read", () => {
    const unread = { ...MESSAGE, id: "m2", read: false, readAt: null, deliveredAt: null }
    const whole = { ...SAMPLE_TEAM, snapshot: without("messages", [unread, MESSAGE]) }
    const log = String(filesOf(whole).find((file) => file.path === "messages.jsonl")?.content)
    const read = { ...unread, read: true, readAt: MESSAGE.readAt, deliveredAt: MESSAGE.readAt }
    const again = String(
      filesOf({ ...SAMPLE_TEAM, snapshot: without("messages", [read]) }).find((file) => file.path === "messages.jsonl")
        ?.content,
    )
    const found = parseWith({ "messages.jsonl": log + again, "inboxes/orchestrator.json": undefined })
    expect(found.snapshot).toEqual(without("messages", [read, MESSAGE]))
    // Or only the inbox tells it.
    const inbox = String(
      filesOf({ ...SAMPLE_TEAM, snapshot: without("messages", [read, MESSAGE]) }).find((file) =>
        file.path.startsWith("inboxes/"),
      )?.content,
    )
    const other = parseWith({ "messages.jsonl": log, "inboxes/orchestrator.json": inbox })
    expect(other.snapshot).toEqual(without("messages", [read, MESSAGE]))
  })
})

describe("what does not fit together", () => {
  const need = (id: string, needs: string[]) => changed(`tasks/${id}.json`, (task) => ({ ...task, blocked_by: needs }))
  const needsOf = (found: FoundTeam) =>
    Object.fromEntries(found.snapshot.tasks.map((task) => [task.id as string, task.blockedBy as readonly string[]]))

  it("is mended when a need is not there", () => {
    const found = parseWith(need("2", ["1", "7"]))
    expect(needsOf(found)).toEqual({ 1: [], 2: ["1"], 3: ["1"] })
    expect(found.changed).toEqual([{ file: "tasks/2.json", what: "task 2 needs task 7, which was not imported" }])
  })

  it("is mended when needs go in a circle", () => {
    const found = parseWith({ ...need("1", ["3", "1"]), ...need("3", ["2"]), ...need("2", ["1"]) })
    expect(needsOf(found)).toEqual({ 1: [], 2: ["1"], 3: ["2"] })
    expect(found.changed.map((note) => note.file)).toEqual(["tasks/1.json", "tasks/1.json"])
  })

  it("is mended for needs that are named twice", () => {
    expect(needsOf(parseWith(need("3", ["2", "1", "2"])))).toMatchObject({ 3: ["1", "2"] })
  })

  it("is told when an old reader changed the status", () => {
    const found = parseWith(changed("tasks/3.json", (task) => ({ ...task, status: "resolved" })))
    expect(found.changed).toEqual([
      { file: "tasks/3.json", what: 'its status is resolved, but that in "teamwork", which counts, is open' },
    ])
    expect(found.snapshot).toEqual(SNAPSHOT)
  })

  it("is told when two waves have one id", () => {
    const found = parseWith(
      changed("waves.json", (from) => ({ ...from, waves: (from.waves as unknown[]).concat(from.waves) })),
    )
    expect(found.snapshot).toEqual(SNAPSHOT)
    expect(found.changed).toHaveLength(1)
  })

  it("takes times of other zones as the moment they mean", () => {
    const found = parseWith(changed("tasks/3.json", (task) => ({ ...task, created_at: "2026-03-02T11:01:00+02:00" })))
    expect(found.snapshot).toEqual(SNAPSHOT)
  })

  it("follows long chains of needs", () => {
    const [task] = SNAPSHOT.tasks as [SnapshotTask]
    const tasks = Array.from({ length: 20_000 }, (_, index) => ({
      ...task,
      evidence: [],
      id: `t${index}` as SnapshotTask["id"],
      blockedBy: index === 19_999 ? [] : [`t${index + 1}` as SnapshotTask["id"]],
    }))
    const whole = { history: [], snapshot: { ...SNAPSHOT, tasks, waves: [] } }
    const found = parseExport(folderOf(filesOf(whole)))
    expect(found.changed).toEqual([])
    expect(found.snapshot.tasks).toHaveLength(20_000)
  })
})
