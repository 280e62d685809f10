// A team as files and back, the way people use it: export, import, and what doctor says about hand edits.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, type Data, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"
import { prepareShop } from "./command-cases.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

async function makeShop(): Promise<Bench> {
  const bench = makeBench()
  await prepareShop(bench)
  return bench
}

/** Every file below a folder with its content. */
function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(folder, path), "latin1")]))
}

/** Rows with their JSON read: the order of names inside it has no meaning. */
function parsed(rows: readonly unknown[] = []): unknown[] {
  const read = (value: unknown) => (typeof value === "string" && value.startsWith("{") ? JSON.parse(value) : value)
  return rows.map((row) => Object.fromEntries(Object.entries(row as Data).map(([key, value]) => [key, read(value)])))
}

const V2 = {
  "project.json": {
    project: "shop",
    team: "old",
    goal: "Sell things",
    phase: "EXECUTION",
    created_at: "2026-01-02T03:04:05Z",
    updated_at: "2026-01-02T04:00:00Z",
    stats: { total: 2, open: 0, in_progress: 1, resolved: 1 },
  },
  "tasks/1.json": {
    id: "1",
    title: "Schema",
    description: "",
    role: "backend",
    status: "resolved",
    evidence: ["done"],
  },
  "tasks/2.json": {
    id: "2",
    title: "Page",
    role: "frontend",
    status: "in_progress",
    blocked_by: ["1"],
    claimed_by: "s1",
  },
}

function writeOld(folder: string, files: Record<string, unknown> = V2): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true })
    writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content))
  }
}

describe("export", () => {
  it("writes the team's own folder in the home, and the second time nothing (R001)", async () => {
    using bench = await makeShop()
    await bench.ok("loop-state", "--start", "--terminal-id", "t1")
    const folder = join(bench.home, "shop", "main")
    const first = await bench.ok("export")
    expect(first).toMatchObject({ project: "shop", team: "main", folder, removed: 0, edited: [] })
    expect(existsSync(join(bench.home, ".loop-state", "t1.json"))).toBe(true) // R009
    const before = contents(folder)
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining([
        "project.json",
        "waves.json",
        "tasks/1.json",
        "inboxes/w1.json",
        "swarm/swarm.json",
        "swarm/workers/w1.json",
        "WHITEBOARD.md",
        "shop.md",
        "agent-status.json",
        "team-session.json",
        "messages.jsonl",
        "events.jsonl",
      ]),
    )
    expect(await bench.ok("export")).toMatchObject({ written: 0, removed: 0 })
    expect(contents(folder)).toEqual(before)
  })

  it("writes only what changed, and removes files of tasks that are gone", async () => {
    using bench = await makeShop()
    await bench.ok("export", "--to", "team")
    await bench.ok("task", "delete", "4", "--force")
    const again = await bench.ok("export", "--to", "team")
    expect(again.removed).toBe(1)
    expect(existsSync(join(bench.cwd, "team/tasks/4.json"))).toBe(false)
    expect(again.unchanged).toBeGreaterThan(3)
  })

  it("keeps a hand edit, says so, and never reads it back", async () => {
    using bench = await makeShop()
    await bench.ok("export", "--to", "team")
    const file = join(bench.cwd, "team/tasks/4.json")
    const edited = readFileSync(file, "utf8").replace("Manual", "Novel")
    writeFileSync(file, edited)
    const doctor = await bench.run(["doctor"])
    expect(doctor.stdout).toMatch(
      /changed by hand: tasks\/4\.json; the store was not changed; write the files again with/,
    )
    const result = await bench.run(["export", "--to", "team"])
    expect(result.exitCode).toBe(0)
    expect(result.stderr).toBe(
      "Warning: tasks/4.json was changed by hand; the change is kept as edited/tasks/4.json, and the store was not changed\n",
    )
    expect(readFileSync(join(bench.cwd, "team/edited/tasks/4.json"), "utf8")).toBe(edited)
    expect(readFileSync(file, "utf8")).toContain("Manual")
    expect(await bench.ok("task", "get", "4")).toMatchObject({ title: "Manual" })
    expect((await bench.run(["doctor"])).stdout).not.toContain("by hand")
  })

  it("is mended by doctor --fix", async () => {
    using bench = await makeShop()
    await bench.ok("export", "--to", "team")
    const file = join(bench.cwd, "team/project.json")
    const before = readFileSync(file, "utf8")
    writeFileSync(file, "{}")
    rmSync(join(bench.cwd, "team/waves.json"))
    const { findings } = await bench.ok<{ findings: Data[] }>("doctor", "--fix")
    expect(findings.filter((finding) => String(finding.check).startsWith("export"))).toMatchObject([
      { status: "warning", fixed: true, detail: expect.stringContaining("missing: waves.json") },
    ])
    expect(readFileSync(file, "utf8")).toBe(before)
    expect(readFileSync(join(bench.cwd, "team/edited/project.json"), "utf8")).toBe("{}")
  })

  it("is forgotten by doctor once its folder is gone", async () => {
    using bench = await makeShop()
    await bench.ok("export", "--to", "team")
    rmSync(join(bench.cwd, "team"), { recursive: true })
    expect((await bench.run(["doctor"])).stdout).not.toContain("export ")
  })

  it("writes nothing over files that are not its own, unless forced, and then keeps them", async () => {
    using bench = await makeShop()
    writeOld(join(bench.cwd, "team"))
    const before = contents(join(bench.cwd, "team"))
    const message = await bench.refused("export.foreign_files", "export", "--to", "team")
    expect(message).toContain("project.json")
    expect(message).toContain("teamwork import")
    expect(contents(join(bench.cwd, "team"))).toEqual(before)
    await bench.ok("export", "--to", "team", "--force")
    expect(readFileSync(join(bench.cwd, "team/replaced/project.json"), "latin1")).toBe(before["project.json"] ?? "")
  })

  it("follows the team with --watch until it is interrupted", async () => {
    using bench = await makeShop()
    await using live = bench.start(["export", "--to", "team", "--watch", "--format", "table"])
    await live.untilLine("out", (line) => line.includes("written"))
    await bench.ok("task", "update", "4", "--title", "Handbook")
    const file = join(bench.cwd, "team/tasks/4.json")
    await live.untilLine("out", (line) => line.includes("written") && readFileSync(file, "utf8").includes("Handbook"))
    expect(await live.stop("SIGINT")).toBe(0)
    expect(readFileSync(join(bench.cwd, "team/WHITEBOARD.md"), "utf8")).toContain("Handbook")
    expect(await bench.ok("export", "--to", "team")).toMatchObject({ written: 0, edited: [] })
  })

  it("says in one line what is wrong with the folder", async () => {
    using bench = await makeShop()
    writeFileSync(join(bench.cwd, "file"), "")
    await bench.refused("export.failed", "export", "--to", "file")
    await bench.refused("export.failed", "export", "--to", "file/below")
    await bench.refused("team.not_found", "export", "--team", "none", "--to", "x")
    expect(existsSync(join(bench.cwd, "x"))).toBe(false)
  })
})

describe("import", () => {
  it("brings an export into a fresh home, from where it exports to the same bytes", async () => {
    using bench = await makeShop()
    await bench.ok("export", "--to", "team")
    using other = makeBench()
    cpSync(join(bench.cwd, "team"), join(other.cwd, "team"), { recursive: true })
    const report = await other.ok<{ teams: Data[] }>("import", "team")
    expect(report).toMatchObject({ teams: [{ layout: "export", result: "imported" }], skipped: [], changed: [] })
    await other.ok("export", "--to", "again")
    expect(contents(join(other.cwd, "again"))).toEqual(contents(join(bench.cwd, "team")))
    const [mine, theirs] = [bench.dump(), other.dump()]
    for (const table of ["task", "need", "wave", "worker", "message", "evidence", "verdict", "event"]) {
      expect({ table, rows: parsed(theirs[table]) }).toEqual({ table, rows: parsed(mine[table]) })
    }
  })

  it("brings in an old folder with its history, and the second time changes nothing", async () => {
    using bench = makeBench()
    writeOld(join(bench.cwd, "old"))
    const dry = await bench.ok("import", "old", "--dry-run")
    expect(dry).toMatchObject({ dry_run: true, teams: [{ project: "shop", team: "old", counts: { tasks: 2 } }] })
    expect(bench.dump().team).toEqual([])
    expect(await bench.text("import", "old")).toMatch(
      /^Imported shop\/old from .*\/old \(teamwork-v2\): 2 tasks \(1 resolved\), 1 evidence/,
    )
    expect(await bench.ok("task", "get", "2", "--team", "old")).toMatchObject({ status: "open", claimed_by: null })
    expect(await bench.ok("task", "get", "1", "--team", "old")).toMatchObject({
      status: "resolved",
      evidence: [{ type: "note", trust: "reported", text: "done" }],
    })
    const { events } = await bench.ok<{ events: Data[] }>("events", "tail", "--team", "old")
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(["team.created", "task.released", "team.imported"]),
    )
    const before = bench.dump()
    expect(await bench.text("import", "old")).toMatch(/^Unchanged shop\/old/)
    expect(bench.dump()).toEqual(before)
    await bench.ok("task", "claim", "2", "--team", "old", "--owner", "w1")
    writeFileSync(join(bench.cwd, "old/tasks/3.json"), '{"id":"3","title":"New","status":"open"}')
    const later = bench.dump()
    expect(await bench.text("import", "old")).toMatch(/the store keeps what it has/)
    expect(bench.dump()).toEqual(later)
  })

  it("leaves out broken files by name, and refuses a team whose main file is broken", async () => {
    using bench = makeBench()
    writeOld(join(bench.cwd, "good"), { ...V2, "tasks/7.json": '{"id": "7", "ti' })
    const text = await bench.text("import", "good")
    expect(text).toMatch(/left out tasks\/7\.json: /)
    writeOld(join(bench.cwd, "bad"), { ...V2, "project.json": '{"project": "sh' })
    const before = bench.dump()
    const refused = await bench.run(["import", "bad"])
    expect(refused.exitCode).toBe(1)
    expect(refused.json()).toMatchObject({ data: { teams: [], refused: [{ file: "." }] } })
    expect(bench.dump()).toEqual(before)
  })

  it("never touches another team of the same name; --as gives it another one", async () => {
    using bench = await makeShop()
    writeOld(join(bench.cwd, "old"), { ...V2, "project.json": { ...V2["project.json"], team: "main" } })
    const before = bench.dump()
    const result = await bench.run(["import", "old", "--format", "table"])
    expect(result).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("--as PROJECT/TEAM") })
    expect(bench.dump()).toEqual(before)
    expect(await bench.text("import", "old", "--as", "shop/before")).toMatch(/^Imported shop\/before/)
    expect(await bench.ok("project", "get", "--team", "before")).toMatchObject({ goal: "Sell things" })
  })

  it("says why nothing came in, also where it was to get another name", async () => {
    using bench = await makeShop()
    mkdirSync(join(bench.cwd, "cut/tasks"), { recursive: true })
    writeFileSync(join(bench.cwd, "cut/project.json"), '{"project": "sho')
    writeFileSync(join(bench.cwd, "cut/tasks/1.json"), "{}")
    const before = bench.dump()
    expect(await bench.refused("input.invalid", "import", "cut", "--as", "shop/before")).toMatch(
      /^project\.json is not complete JSON; .* nothing of this team can be imported without it$/,
    )
    expect(bench.dump()).toEqual(before)
  })

  it("brings one team in twice, under two names", async () => {
    using bench = await makeShop()
    await bench.ok("export", "--to", "team")
    expect(await bench.text("import", "team", "--as", "shop/copy")).toMatch(/^Imported shop\/copy/)
    expect(await bench.ok("mailbox", "read", "--team", "copy", "--inbox", "w1")).toHaveLength(1)
    await bench.ok("mailbox", "read", "--team", "copy", "--inbox", "w1", "--mark-read")
    expect(await bench.ok("mailbox", "read", "--inbox", "w1", "--unread-only")).toHaveLength(1)
  })

  it("says in one line why it cannot", async () => {
    using bench = makeBench()
    mkdirSync(join(bench.cwd, "empty"))
    expect(await bench.refused("import.unreadable", "import", "nowhere")).toContain("does not exist")
    expect(await bench.refused("import.nothing_found", "import", "empty")).toContain("no team in a format")
    writeOld(join(bench.cwd, "old"))
    await bench.refused("usage", "import", "old", "--as", "nonsense")
    await bench.refused("usage", "import", "old", "--as", "../x/y")
  })
})

describe("the first call in a home that holds old teams (R233)", () => {
  it("offers to bring them in, in one line and once", async () => {
    using bench = makeBench()
    writeOld(join(bench.home, "shop/old"))
    const first = await bench.run(["project", "list"])
    expect(first.stderr).toBe(
      `Note: ${bench.home} holds 1 team in files; bring them in with: teamwork import ${bench.home}\n`,
    )
    expect((await bench.run(["project", "list"])).stderr).toBe("")
    expect(await bench.text("import")).toMatch(/^Imported shop\/old/)
  })

  it("says nothing in an empty home", async () => {
    using bench = makeBench()
    expect((await bench.run(["project", "list"])).stderr).toBe("")
  })
})
