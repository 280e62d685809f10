// The end of a team from the command line: put away without losing anything, or kept where that fails.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, type Data, git, makeBench } from "./bench.ts"
import { prepareRepository } from "./command-cases.ts"
import { END, HAS_TMUX, openPane, WHY_NO_TMUX } from "./pane.ts"

setDefaultTimeout(60_000)

const PLAN = {
  goal: "Two files",
  tasks: [
    { id: "1", title: "Add one", files: ["one.txt"], acceptance: ["it is there"], run: ["echo 1 > one.txt"] },
    {
      id: "2",
      title: "Write the guide",
      files: ["guide.md"],
      acceptance: ["it is there"],
      run: ["echo '# Guide' > guide.md"],
    },
  ],
}
const RUN = ["run", "plan.json", "--workers", "1", "--no-review", "--no-cascade"]

function makeTeam(): Bench {
  const bench = makeBench()
  prepareRepository(bench)
  git(bench.cwd, "config", "user.name", "Test")
  git(bench.cwd, "config", "user.email", "test@example.com")
  writeFileSync(join(bench.cwd, "plan.json"), JSON.stringify(PLAN))
  return bench
}

const statusOf = async (bench: Bench) => (await bench.ok("project", "get")).status
const session = (folder: string) => JSON.parse(readFileSync(join(folder, "team-session.json"), "utf8"))

describe("archive", () => {
  it("removes worktrees and branches of workers, and keeps what they hold", async () => {
    using bench = makeTeam()
    expect((await bench.run(RUN)).exitCode).toBe(0)
    const { path } = await bench.ok<{ path: string }>("worktree", "create", "--worker-id", "w9")
    writeFileSync(join(path, "unmerged.txt"), "mine\n")
    git(path, "add", "--all")
    git(path, "-c", "user.name=T", "-c", "user.email=t@t", "commit", "--quiet", "-m", "Unmerged")
    const head = git(path, "rev-parse", "HEAD")
    writeFileSync(join(path, "uncommitted.txt"), "mine too\n")
    const done = await bench.ok<{ pins: string[]; summary: string }>("archive")
    expect(done).toMatchObject({ action: "archive", removed: [path], artifacts: ["guide.md", "one.txt"], warnings: [] })
    expect(existsSync(path)).toBe(false)
    expect(git(bench.cwd, "branch", "--list", "teamwork/shop/main/w*")).toBe("")
    const kept = done.pins.map((ref) => git(bench.cwd, "rev-parse", ref))
    expect(kept).toContain(head)
    expect(done.pins.some((ref) => git(bench.cwd, "ls-tree", "--name-only", ref).includes("uncommitted.txt"))).toBe(
      true,
    )
    expect(done.summary).toContain(
      "## document\n\n- 2: Write the guide\n  - `guide.md`\n\n## Kept in git\n\n- refs/teamwork/",
    )
    expect(await statusOf(bench)).toBe("completed")
    // Once more is no harm.
    expect(await bench.ok("archive")).toMatchObject({ action: "archive", removed: [] })
  })

  it("that fails keeps the team, with a warning and nothing lost", async () => {
    using bench = makeTeam()
    expect((await bench.run(RUN)).exitCode).toBe(0)
    const { path } = await bench.ok<{ path: string }>("worktree", "create", "--worker-id", "w9")
    const inTheWay = "refs/teamwork/shop/main/workers/w9/1/head/in-the-way"
    git(bench.cwd, "update-ref", inTheWay, "HEAD")
    const { exitCode, stdout, stderr } = await bench.run(["archive", "--format", "table"])
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: "Kept shop/main; go on with: teamwork resume, then: teamwork run --resume\n",
    })
    expect(stderr).toStartWith("Warning: shop/main was not put away, and is kept: git could not pin the work")
    expect(existsSync(path)).toBe(true)
    expect(await statusOf(bench)).toBe("paused")
    const out = join(bench.cwd, "..", "out")
    await bench.ok("export", "--to", out)
    expect(session(out)).toMatchObject({ status: "paused", completion_action: "keep" })
    git(bench.cwd, "update-ref", "-d", inTheWay)
    await bench.ok("resume")
    expect(await bench.ok("archive")).toMatchObject({ action: "archive", removed: [path] })
  })

  it("is refused while something is left to do, and changes nothing", async () => {
    using bench = makeTeam()
    await bench.ok("plan", "plan.json", "--yes")
    const before = bench.dump()
    expect(await bench.refused("archive.refused", "archive")).toBe(
      "shop/main is not done (1, 2); finish them with: teamwork run, or keep the team with: teamwork keep",
    )
    expect(bench.dump()).toEqual(before)
  })
})

describe("export --archive", () => {
  it("hands the results over with the team's files, then puts the team away", async () => {
    using bench = makeTeam()
    expect((await bench.run(RUN)).exitCode).toBe(0)
    const out = join(bench.cwd, "..", "out")
    expect(await bench.ok("export", "--to", out, "--archive")).toMatchObject({ action: "export" })
    expect(readFileSync(join(out, "deliverables/code/files/one.txt"), "utf8")).toBe("1\n")
    expect(readFileSync(join(out, "deliverables/document/DOCUMENT.md"), "utf8")).toContain("### Guide\n")
    expect(readFileSync(join(out, "completion/export.md"), "utf8")).toContain(`Handed over to ${out}`)
    expect(session(out)).toMatchObject({ status: "completed", completion_action: "export" })
  })

  it("to a place that cannot be written keeps the team", async () => {
    using bench = makeTeam()
    expect((await bench.run(RUN)).exitCode).toBe(0)
    const out = join(bench.cwd, "..", "out")
    mkdirSync(join(out, "deliverables"), { recursive: true })
    writeFileSync(join(out, "deliverables", "mine.txt"), "mine")
    const { exitCode, stderr } = await bench.run(["export", "--to", out, "--archive"])
    expect(exitCode).toBe(1)
    expect(stderr).toContain("was not put away, and is kept")
    expect(readFileSync(join(out, "deliverables", "mine.txt"), "utf8")).toBe("mine")
    expect(await statusOf(bench)).toBe("paused")
  })

  it("and --watch exclude each other", async () => {
    using bench = makeTeam()
    expect(await bench.refused("usage", "export", "--archive", "--watch")).toContain("use one of them")
  })
})

describe("completion.action", () => {
  it.each([
    ["archive", "completed", "\nArchived shop/main: 2 files delivered, 0 worktrees removed\n"],
    ["keep", "paused", "\nKept shop/main; go on with: teamwork resume, then: teamwork run --resume\n"],
    ["export", "completed", "\nExported and archived shop/main: 2 files delivered, 0 worktrees removed\n"],
    ["interactive", "completed", "\nshop/main is done; see: teamwork report\n"],
  ])("%s leaves the team %s after its run", async (action, status, end) => {
    using bench = makeTeam()
    const { exitCode, stdout } = await bench.run(RUN, { env: { TEAMWORK_COMPLETION_ACTION: action } })
    expect(exitCode).toBe(0)
    expect(stdout).toEndWith(end)
    expect(await statusOf(bench)).toBe(status)
    const written = JSON.parse(readFileSync(join(bench.home, "shop/main/team-session.json"), "utf8"))
    expect(written.completion_action).toBe(action)
    expect(existsSync(join(bench.home, "shop/main/deliverables"))).toBe(action === "export")
  })
})

describe.skipIf(!HAS_TMUX)(`a person at a terminal${WHY_NO_TMUX}`, () => {
  it("is told at the end of a run what can become of the team", async () => {
    using bench = makeTeam()
    using pane = openPane(bench, 160, `teamwork ${RUN.join(" ")}`)
    await pane.until((screen) => screen.includes(END))
    expect(pane.screen()).toContain(
      "shop/main is done; see: teamwork report\nPut it away with: teamwork archive; keep it with: teamwork keep; hand it over with: teamwork export --to DIR --archive\n",
    )
  })
})

describe("deliverables --to", () => {
  it("writes over its own, and over nothing else", async () => {
    using bench = makeTeam()
    expect((await bench.run(RUN)).exitCode).toBe(0)
    const { written } = await bench.ok<{ written: string[] }>("deliverables", "--to", "out")
    expect(written).toEqual(["DELIVERABLES.md", "code/README.md", "code/files/one.txt", "document/DOCUMENT.md"])
    await bench.ok("deliverables", "--to", "out")
    mkdirSync(join(bench.cwd, "mine"))
    writeFileSync(join(bench.cwd, "mine", "a.txt"), "a")
    expect(await bench.refused("input.invalid", "deliverables", "--to", "mine")).toContain(
      "is not empty; name a new folder",
    )
    expect(await bench.refused("input.invalid", "deliverables", "--to", "plan.json")).toContain("is not a folder")
  })
})

describe("a preset", () => {
  it("of the repository is listed and used; an unknown one is refused with the known ones", async () => {
    using bench = makeTeam()
    mkdirSync(join(bench.cwd, ".teamwork", "presets"), { recursive: true })
    writeFileSync(
      join(bench.cwd, ".teamwork", "presets", "night.yml"),
      "summary: At night\nschedule: eager\nworkers: [1]\n",
    )
    expect(await bench.refused("preset.bad_file", "presets")).toContain("night.yml:3: workers: is not a text")
    writeFileSync(
      join(bench.cwd, ".teamwork", "presets", "night.yml"),
      "summary: At night\nschedule: eager\nworkers: 1\n",
    )
    expect((await bench.ok<Data[]>("presets")).at(-1)).toMatchObject({ name: "night", source: "repository" })
    expect(await bench.ok("plan", "plan.json", "--preset", "night")).toMatchObject({
      preset: "night",
      schedule: "eager",
      workers: "1",
    })
    const before = bench.dump()
    const known = "there are pm-team, teamwork, forge, coordinate, night"
    expect(await bench.refused("preset.not_found", "plan", "plan.json", "--preset", "nite", "--yes")).toBe(
      `there is no preset "nite"; ${known}`,
    )
    writeFileSync(join(bench.cwd, "plan.json"), JSON.stringify({ ...PLAN, preset: "pm_team" }))
    expect(await bench.refused("plan.invalid", "plan", "plan.json", "--yes")).toContain(
      `preset: there is no preset "pm_team"; did you mean pm-team? ${known}`,
    )
    expect(await bench.refused("usage", "run", "--preset", "night")).toContain("--preset is for a plan or a goal")
    expect(bench.dump()).toEqual(before)
  })

  it("forge makes a goal a plan of its shape, or of the one that is asked for", async () => {
    using bench = makeTeam()
    const forge = await bench.ok("plan", "Let customers pay", "--preset", "forge", "--dry-run")
    expect(forge).toMatchObject({ preset: "forge", template: "build-team", workers: "3" })
    const debug = await bench.ok("plan", "It is slow", "--preset", "forge", "--template", "debug-team", "--dry-run")
    expect(debug).toMatchObject({ preset: "forge", template: "debug-team" })
  })
})
