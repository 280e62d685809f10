import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { checkFile, schemaNameOf } from "../../../test/support/file-schemas.ts"
import { SAMPLE_TEAM } from "../../../test/support/sample-team.ts"
import { arbitrarySnapshot, factsOf, filesOf, folderOf, type WholeTeam } from "../../../test/support/snapshots.ts"
import type { Document } from "../../kernel/document.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { SetbackKind } from "../../tasks/retry.ts"
import { TASK_STATUSES, type TaskStatus } from "../../tasks/task.ts"
import type { SnapshotMessage, SnapshotTask, TeamSnapshot } from "../snapshot.ts"
import { documentFiles } from "./document-files.ts"
import type { TeamFacts } from "./facts.ts"
import type { OutFile } from "./folder.ts"
import { caseSafeName, fileName } from "./names.ts"
import { overviewFiles } from "./overview.ts"
import {
  allFiles,
  eventLine,
  inboxFiles,
  loopFiles,
  MAX_INBOX,
  messageLine,
  projectFile,
  swarmFile,
  taskFile,
  verdictLine,
  verificationFiles,
  wavesFile,
  workerFiles,
} from "./render.ts"

const FACTS = factsOf(SAMPLE_TEAM)
const [TASK] = SAMPLE_TEAM.snapshot.tasks as [SnapshotTask]
const [MESSAGE] = SAMPLE_TEAM.snapshot.messages as [SnapshotMessage]
const [VERDICT] = SAMPLE_TEAM.snapshot.verdicts as [Verdict]
const [DOCUMENT] = SAMPLE_TEAM.snapshot.documents as [Document]

function withTeam(change: Partial<TeamSnapshot>): TeamFacts {
  return factsOf({ ...SAMPLE_TEAM, snapshot: { ...SAMPLE_TEAM.snapshot, ...change } })
}

function withDocuments(...paths: string[]): TeamFacts {
  return withTeam({ documents: paths.map((path) => ({ ...DOCUMENT, path, content: `of ${path}` })) })
}

function json(file: OutFile | undefined): Record<string, unknown> {
  return JSON.parse(String(file?.content))
}

function named(files: Iterable<OutFile>, path: string): Record<string, unknown> {
  const file = [...files].find((each) => each.path === path)
  if (file === undefined) throw new Error(`no file ${path}`)
  return json(file)
}

describe("the files of an export", () => {
  it("are as their schemas say, whatever the team", () => {
    fc.assert(
      fc.property(arbitrarySnapshot(), (whole) => {
        for (const file of filesOf(whole)) checkFile(file.path, file.content)
      }),
    )
  })

  it("are of every kind that has a schema", async () => {
    const used = new Set(filesOf(SAMPLE_TEAM).flatMap((file) => schemaNameOf(file.path) ?? []))
    const schemas = await Array.fromAsync(new Bun.Glob("*.schema.json").scan("docs/schemas"))
    expect([...used].sort()).toEqual(schemas.map((name) => name.replace(".schema.json", "")).sort())
  })

  it("have schemas that refuse a missing, a misnamed and a wrong field of each kind", () => {
    for (const { path, content } of filesOf(SAMPLE_TEAM)) {
      if (schemaNameOf(path) === undefined) continue
      const whole = JSON.parse(String(content).split(path.endsWith(".jsonl") ? "\n" : "\0")[0] ?? "")
      const entry = Array.isArray(whole) ? whole[0] : whole
      for (const key of Object.keys(entry)) {
        const { [key]: value, ...rest } = entry
        const check = (changed: unknown) => () =>
          checkFile(path, `${JSON.stringify(Array.isArray(whole) ? [changed] : changed)}\n`)
        // Only a team with waves has the first, and only a verdict of our own gates the others.
        if (!["wave", "commit", "tree"].includes(key)) expect(check(rest)).toThrow(path)
        expect(check({ ...rest, [`${key}s`]: value })).toThrow(path)
        expect(check({ ...rest, [key]: [{ odd: value }] })).toThrow(path)
        expect(check(entry)).not.toThrow()
      }
    }
  })

  it("are the same bytes for the same facts, in whatever order a store gives them", () => {
    fc.assert(
      fc.property(arbitrarySnapshot(), (whole) => {
        const { snapshot, history } = whole
        const turned: WholeTeam = {
          snapshot: {
            ...turnKeys(snapshot),
            tasks: snapshot.tasks.map((task) => ({ ...turnKeys(task), blockedBy: task.blockedBy.toReversed() })),
            waves: snapshot.waves.toReversed(),
            workers: snapshot.workers.toReversed(),
            loops: snapshot.loops.toReversed(),
            documents: snapshot.documents.toReversed(),
          },
          history: history.map(turnKeys),
        }
        const bytes = (team: WholeTeam) => new Map(filesOf(team).map((file) => [file.path, file.content]))
        expect(bytes(turned)).toEqual(bytes(whole))
      }),
    )
  })

  it("never meet and never leave the folder, whatever the names", () => {
    fc.assert(
      fc.property(arbitrarySnapshot(), (whole) => {
        const { paths } = folderOf(filesOf(whole))
        for (const path of paths) expect(path).not.toMatch(/^\/|(^|\/)\.{0,2}(\/|$)|[\0\\]/)
        expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length)
        const folders = paths.flatMap((path) =>
          path
            .split("/")
            .slice(0, -1)
            .map((_, at, parts) => parts.slice(0, at + 1).join("/")),
        )
        expect(paths.filter((path) => folders.includes(path))).toEqual([])
      }),
    )
  })

  it("do not hold the logs", () => {
    expect([...allFiles(FACTS)].filter((file) => file.path.endsWith(".jsonl"))).toEqual([])
  })
})

/** The same with the keys of every object the other way around. */
function turnKeys<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(turnKeys) as Value
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, inner]) => [key, turnKeys(inner)])) as Value
}

describe("a task file", () => {
  const shown: Record<Exclude<TaskStatus, "paused">, string> = {
    open: "open",
    in_progress: "in_progress",
    in_review: "in_progress",
    failed: "in_progress",
    resolved: "resolved",
    skipped: "resolved",
  }
  for (const [status, old] of Object.entries(shown)) {
    it(`shows ${status} as ${old}, and keeps the true status`, () => {
      const file = json(taskFile({ ...TASK, status: status as TaskStatus }, 1))
      expect(file).toMatchObject({ status: old, teamwork: { status } })
    })
  }

  it("shows a paused one as what it was", () => {
    const from = (pausedFrom: TaskStatus | null) => json(taskFile({ ...TASK, status: "paused", pausedFrom }, 1))
    for (const status of ["in_progress", "in_review"] as const) {
      expect(from(status)).toMatchObject({ status: "in_progress", teamwork: { status: "paused", paused_from: status } })
    }
    for (const status of ["open", null] as const) expect(from(status)).toMatchObject({ status: "open" })
  })

  it("has the old fields first, in their order", () => {
    const old = `id title description role complexity status blocked_by wave created_at updated_at claimed_by claimed_at
      completed_at evidence version teamwork`
    expect(Object.keys(json(taskFile(TASK, 1)))).toEqual(old.split(/\s+/))
  })

  it("has no wave without waves", () => {
    expect(json(taskFile({ ...TASK, wave: null }, 1))).not.toHaveProperty("wave")
  })

  it("says its place among the tasks", () => {
    expect(json(taskFile(TASK, 7))).toMatchObject({ teamwork: { place: 7 } })
    expect(named(allFiles(FACTS), "tasks/3.json")).toMatchObject({ teamwork: { place: 3 } })
  })

  it("has entries of evidence that are flat", () => {
    expect(json(taskFile(TASK, 1)).evidence).toEqual([
      {
        type: "command",
        command: "npm test",
        output: "12 passed",
        exit_code: 0,
        text: "",
        timestamp: "2026-03-02T09:14:00.000Z",
        number: 1,
        attempt: 1,
        by: "w1",
        trust: "attested",
        blocked_pattern: null,
        withdrawn_at: null,
        output_hash: "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab",
        duration_ms: 1520,
        commit: "3f786850e387550fdab836ed7e6dc881de23001b",
        is_dirty: false,
      },
    ])
  })
})

describe("project.json", () => {
  it("counts the statuses that are shown", () => {
    const tasks = TASK_STATUSES.map((status) => ({
      ...TASK,
      id: status as string as TaskId,
      status,
      pausedFrom: "open" as const,
    }))
    expect(json(projectFile(withTeam({ tasks }))).stats).toEqual({ total: 7, open: 2, in_progress: 3, resolved: 2 })
  })
})

describe("waves.json", () => {
  it("has the statuses that follow from the tasks", () => {
    expect(json(wavesFile(FACTS))).toMatchObject({
      total_waves: 2,
      current_wave: 2,
      waves: [
        { id: 1, status: "verified", tasks: ["1"] },
        { id: 2, status: "in_progress", tasks: ["2", "3"] },
      ],
    })
  })

  it("is not there without waves", () => {
    const facts = withTeam({ waves: [] })
    expect(wavesFile(facts)).toBeUndefined()
    expect([...allFiles(facts)].map((file) => file.path)).not.toContain("waves.json")
  })
})

describe("swarm files", () => {
  it("tell what workers do and did, in the order of completion", () => {
    const work = (id: string, completedAt: string, status: TaskStatus = "resolved") =>
      ({ ...TASK, id, status, completedAt }) as SnapshotTask
    const tasks = [
      work("late", "2026-03-02T11:00:00.000Z"),
      work("early", "2026-03-02T10:00:00.000Z"),
      { ...work("now", "", "in_progress"), completedAt: null },
    ]
    const facts = withTeam({ tasks })
    expect(json(workerFiles(facts)[0])).toMatchObject({
      status: "working",
      current_task: "now",
      tasks_completed: ["early", "late"],
      teamwork: { availability: "idle" },
    })
    expect(json(workerFiles(facts)[1])).toMatchObject({ id: "w2", status: "idle", current_task: null })
    expect(json(swarmFile(facts))).toMatchObject({ session: "teamwork-shop", status: "running", use_worktree: true })
  })

  it("say idle when nobody works, and paused with the team", () => {
    const team = { ...SAMPLE_TEAM.snapshot.team, status: "paused" as const }
    expect(json(swarmFile(withTeam({ team, workers: [] })))).toMatchObject({
      status: "idle",
      paused: true,
      use_worktree: false,
      workers: [],
    })
  })
})

describe("inbox files", () => {
  const many = Array.from({ length: MAX_INBOX + 3 }, (_, index) => ({ ...MESSAGE, id: `m${index}` }))
  const facts = withTeam({ messages: [{ ...MESSAGE, id: "x", to: "../w1" }, ...many] })

  it("hold the newest messages only", () => {
    const { messages } = named(inboxFiles(facts), "inboxes/orchestrator.json") as { messages: { id: string }[] }
    expect(messages).toHaveLength(MAX_INBOX)
    expect([messages[0]?.id, messages.at(-1)?.id]).toEqual(["m3", `m${MAX_INBOX + 2}`])
  })

  it("are one for each recipient, or those that are asked for", () => {
    expect(inboxFiles(facts).map((file) => file.path)).toEqual(["inboxes/..%2Fw1.json", "inboxes/orchestrator.json"])
    expect(inboxFiles(facts, new Set(["../w1", "nobody"])).map((file) => file.path)).toEqual(["inboxes/..%2Fw1.json"])
  })
})

describe("verification files", () => {
  it("have the latest verdict on each wave and on the whole", () => {
    const verdicts: Verdict[] = [
      VERDICT,
      { ...VERDICT, status: "failed", issues: ["broken"] },
      { ...VERDICT, scope: "final", subject: null },
      { ...VERDICT, scope: "task", subject: "1" },
      { ...VERDICT, subject: "../1" },
    ]
    const files = verificationFiles(withTeam({ verdicts }))
    expect(files.map((file) => file.path)).toEqual(["verification/wave-1.json", "verification/final.json"])
    expect(json(files[0])).toMatchObject({ wave_id: 1, status: "failed", tasks_verified: ["1"], issues: ["broken"] })
    expect(json(files[1])).toMatchObject({ status: "passed", tasks_verified: ["1", "2", "3"] })
    expect(json(files[1])).not.toHaveProperty("wave_id")
  })
})

describe("loop files", () => {
  it("are named after the terminal, safely", () => {
    const loops = ["tty/1", ".."].map((terminalId) => ({ ...FACTS.loops[0], terminalId })) as TeamFacts["loops"]
    const paths = loopFiles(withTeam({ loops })).map((file) => file.path)
    expect(paths).toEqual([".loop-state/%2E%2E.json", ".loop-state/tty%2F1.json"])
  })
})

describe("documents", () => {
  const placesOf = (facts: TeamFacts) => {
    const { documents } = named(documentFiles(facts), "documents.json") as {
      documents: { path: string; file: string }[]
    }
    return Object.fromEntries(documents.map((entry) => [entry.path, entry.file]))
  }

  it("lie at their paths, and below documents/ where something is in the way", () => {
    const paths = ["wisdom/a.md", "tasks/9.json", "Project.json", "../up", "/abs", "", "a/../b", "shop.md", "edited/x"]
    expect(placesOf(withDocuments(...paths))).toEqual({
      "wisdom/a.md": "wisdom/a.md",
      "tasks/9.json": "documents/tasks%2F9.json",
      "Project.json": "documents/%50roject.json",
      "../up": "documents/..%2Fup",
      "/abs": "documents/%2Fabs",
      "": "documents/%",
      "a/../b": "documents/a%2F..%2Fb",
      "shop.md": "documents/shop.md",
      "edited/x": "documents/edited%2Fx",
    })
  })

  it("of which one would be a folder of the other do not meet, and the older one stays", () => {
    const [older, newer] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"]
    const documents = [
      { ...DOCUMENT, path: "a", createdAt: newer },
      { ...DOCUMENT, path: "a/b", createdAt: older },
      { ...DOCUMENT, path: "A/B", createdAt: newer },
    ] as Document[]
    expect(placesOf(withTeam({ documents }))).toEqual({
      a: "documents/a",
      "a/b": "a/b",
      "A/B": "documents/%41%2F%42",
    })
  })

  it("that are no text are written as the bytes they are", () => {
    const bytes = new Uint8Array([0, 255, 1, 128])
    const content = Buffer.from(bytes).toString("base64")
    const [file] = documentFiles(withTeam({ documents: [{ ...DOCUMENT, path: "x.bin", content, encoding: "base64" }] }))
    expect(new Uint8Array(file?.content as Uint8Array)).toEqual(bytes)
  })

  it("need no index when there are none", () => {
    expect(documentFiles(withTeam({ documents: [] }))).toEqual([])
  })
})

describe("names of files", () => {
  it("differ when the names do, and lead nowhere", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom("a", "A", ".", "/", "%", "2", "E") }),
    )
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(fileName(one)).toMatch(/^(?!\.+$)[A-Za-z0-9._%-]+$/)
        expect(fileName(one) === fileName(other)).toBe(one === other)
        expect(caseSafeName(one).toLowerCase() === caseSafeName(other).toLowerCase()).toBe(one === other)
      }),
    )
  })

  it("stay short", () => {
    const long = "x".repeat(1000)
    expect(fileName(long)).toHaveLength(200)
    expect(fileName(long)).not.toBe(fileName(`${long}x`))
  })
})

describe("overviews", () => {
  it("are a whiteboard and a page for people", () => {
    const [board, page] = overviewFiles(FACTS)
    expect(board).toMatchObject({ path: "WHITEBOARD.md" })
    expect(String(board?.content)).toContain("- **2** Basket: w2, since")
    expect(String(board?.content)).toContain("- **3** Manual (docs)")
    expect(String(board?.content)).toContain("task.resolved  attempt=1 task=1 token=1")
    expect(page?.path).toBe("shop.md")
    expect(String(page?.content)).toContain("## Wave 2: in_progress\n\n| id | title |")
    expect(String(page?.content)).toContain("| 2 | Basket | frontend | in_review | w2 | 1 |\n")
  })

  it("cannot be broken by what others wrote", () => {
    const team = { ...SAMPLE_TEAM.snapshot.team, goal: "one\n# two\u001b[2J" }
    const [, page] = overviewFiles(withTeam({ team, tasks: [{ ...TASK, title: "a | b\n\\|c" }] }))
    expect(String(page?.content)).toContain("> one\n> # two[2J\n")
    expect(String(page?.content)).toContain("| a \\| b \\\\\\|c |")
  })

  it("of a project called whiteboard do not meet", () => {
    const paths = overviewFiles(withTeam({ team: { ...SAMPLE_TEAM.snapshot.team, project: "Whiteboard" } })).map(
      (file) => file.path,
    )
    expect(paths).toContain("project-Whiteboard.md")
  })

  it("tell when a worker's time was up, and how often the task was begun anew before", () => {
    const setback = (worker: WorkerId, kind: SetbackKind, minute: number) => ({
      ...{ type: "task.setback" as const, version: 1, by: worker, timestamp: `2026-03-02T10:0${minute}:00.000Z` },
      data: {
        task: "1" as TaskId,
        attempt: 1,
        worker,
        agent: "claude",
        kind,
        reason: `${kind} after 30 minutes`,
        advice: null,
      },
    })
    const setbacks = [
      setback("w1" as WorkerId, "timed-out", 1),
      setback("w1" as WorkerId, "crashed", 2),
      setback("w2" as WorkerId, "timed-out", 3),
    ]
    const agents = json(overviewFiles({ ...FACTS, setbacks })[2]) as unknown as { timeoutHistory: unknown }[]
    const reason = "timed-out after 30 minutes"
    expect(agents.map((agent) => agent.timeoutHistory)).toEqual([
      [{ timestamp: "2026-03-02T10:01:00.000Z", reason, restartCount: 0 }],
      [{ timestamp: "2026-03-02T10:03:00.000Z", reason, restartCount: 1 }],
    ])
  })

  it("tell the formats before us where workers stand", () => {
    const agents = json(overviewFiles(FACTS)[2]) as unknown as unknown[]
    expect(agents).toMatchObject([
      { agentId: "w1", role: "backend", status: "RUNNING", phase: "completion", progress: 100, timeoutHistory: [] },
      { agentId: "w2", role: "frontend", status: "PENDING_VERIFICATION", phase: "completion", progress: 100 },
    ])
    const tasks = [{ ...TASK, status: "in_progress" as const }]
    const workers = FACTS.workers.map((worker) => ({ ...worker, availability: "paused" as const }))
    expect(json(overviewFiles(withTeam({ tasks, workers }))[2])).toMatchObject([
      { status: "PAUSED", phase: "execution", progress: 40 },
      { status: "PAUSED", phase: "skill_discovery" },
    ])
    const inQa = [{ ...TASK, status: "in_progress" as const, qa: "validating" as const }]
    expect(json(overviewFiles(withTeam({ tasks: inQa }))[2])).toMatchObject([{ status: "UNDER_VERIFICATION" }, {}])
  })

  it("tell them of the session", () => {
    const documents = [{ ...DOCUMENT, path: "role-specs/docs.md" }]
    expect(json(overviewFiles(withTeam({ documents }))[3])).toEqual({
      session_id: "TC-sell-things-20260302",
      task_description: "Sell things",
      status: "active",
      team_name: "main",
      roles: [
        {
          name: "frontend",
          prefix: "FRONTEND",
          responsibility_type: "implementation",
          inner_loop: false,
          role_spec: null,
        },
        {
          name: "backend",
          prefix: "BACKEND",
          responsibility_type: "implementation",
          inner_loop: false,
          role_spec: null,
        },
        {
          name: "docs",
          prefix: "DOCS",
          responsibility_type: "synthesis",
          inner_loop: false,
          role_spec: "role-specs/docs.md",
        },
      ],
      pipeline: { dependency_graph: { 1: [], 2: ["1"], 3: ["1"] }, tasks_total: 3, tasks_completed: 1 },
      active_workers: [],
      completed_tasks: ["1"],
      completion_action: "interactive",
      created_at: "2026-03-02T09:00:00.000Z",
    })
  })

  it("say how the session ended, and name it after the project when the goal has no letters", () => {
    const session = (change: Partial<TeamSnapshot["team"]>) =>
      json(overviewFiles(withTeam({ team: { ...SAMPLE_TEAM.snapshot.team, ...change } }))[3])
    expect(session({ status: "paused" }).status).toBe("paused")
    expect(session({ phase: "COMPLETE", status: "completed" }).status).toBe("completed")
    expect(session({ status: "cancelled" }).status).toBe("completed")
    expect(session({ status: "completing" }).status).toBe("active")
    expect(session({ goal: "日本" }).session_id).toBe("TC-shop-20260302")
    expect(session({ goal: "word ".repeat(20) }).session_id).toBe("TC-word-word-word-word-word-word-word-word-20260302")
  })
})

describe("lines of the logs", () => {
  it("are one line each, whatever they tell", () => {
    const odd = "a\nb\r\u2028"
    const event = { ...(SAMPLE_TEAM.history[0] as WholeTeam["history"][number]), by: odd }
    for (const line of [
      eventLine(event, 3),
      messageLine({ ...MESSAGE, payload: { message: odd } }),
      verdictLine({ ...VERDICT, by: odd }),
    ]) {
      expect(line).not.toContain("\n")
    }
    expect(JSON.parse(eventLine(event, 3))).toMatchObject({ place: 3, type: "team.created", by: odd })
  })
})
