// Which repository a project belongs to, and how projects and teams are named and kept apart: real processes, real git.
import { describe, expect, it } from "bun:test"
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { makeRepository, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, readError, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 3 * TEST_TIMEOUT_MS
const RUN = ["run", "--no-review", "--no-cascade", "--workers", "1"]

interface Repository {
  readonly folder: string
  /** A command in it that must succeed. */
  ok<T = Data>(...args: string[]): Promise<T>
  refused(code: string, ...args: string[]): Promise<string>
  /** Runs a plan of one task, which writes a file of this name. */
  deliver(file: string, ...flags: string[]): Promise<string>
  git(...args: string[]): string
}

function repositoryIn(bench: Bench, path: string, make = true): Repository {
  const folder = join(bench.cwd, path)
  mkdirSync(folder, { recursive: true })
  if (make) makeRepository(folder)
  return {
    folder,
    async ok<T>(...args: string[]) {
      const result = await bench.run(args, { cwd: folder })
      expect({ args, exitCode: result.exitCode, stderr: result.exitCode === 0 ? "" : result.stderr }).toEqual({
        ...{ args, exitCode: 0, stderr: "" },
      })
      return result.json<{ data: T }>().data
    },
    async refused(code, ...args) {
      const error = readError(await bench.run([...args, "--json"], { cwd: folder }))
      expect({ args, code: error.code }).toEqual({ args, code })
      return error.message
    },
    async deliver(file, ...flags) {
      const plan = writePlan(join(bench.cwd, "plan.json"), [
        { id: "1", run: [`echo ${file} > ${file}`], files: [file], checks: ["true"] },
      ])
      const { exitCode, stdout, stderr } = await bench.run([...RUN, plan, ...flags], { cwd: folder })
      expect({ exitCode, stderr: exitCode === 0 ? "" : stdout + stderr }).toEqual({ exitCode: 0, stderr: "" })
      return stdout
    },
    git: (...args) => git(folder, ...args),
  }
}

async function whereIs(repository: Repository, ...flags: string[]): Promise<string> {
  const { project, team } = await repository.ok("setup", ...flags)
  return `${project}/${team}`
}

describe("a repository", () => {
  it(
    "F005 has projects of its own, whatever its folder is called",
    async () => {
      using bench = makeBench()
      const [one, two] = [repositoryIn(bench, "one/api"), repositoryIn(bench, "two/api")]
      expect(await one.deliver("first")).toContain("api/main is done")
      expect(await two.deliver("second")).toContain("api-2/main is done")
      expect([one.git("show", "main:first"), two.git("show", "main:second")]).toEqual(["first", "second"])
      expect(one.git("ls-tree", "--name-only", "main")).not.toContain("second")
      expect(two.git("ls-tree", "--name-only", "main")).not.toContain("first")
      // The names stay, also when the other one is gone.
      rmSync(one.folder, { recursive: true })
      expect(await whereIs(two)).toBe("api-2/main")
      const projects = await two.ok<Data[]>("project", "list")
      expect(projects).toMatchObject([
        { project: "api", team: "main", repositories: [{ folder: one.folder, exists: false, is_linked: false }] },
        { project: "api-2", team: "main", repositories: [{ folder: two.folder, exists: true, is_linked: false }] },
      ])
    },
    LONG_MS,
  )

  it("F005 does not see tasks that were planned in another one", async () => {
    using bench = makeBench()
    const [one, two] = [repositoryIn(bench, "one/api"), repositoryIn(bench, "two/api")]
    await one.ok("project", "create", "--goal", "One")
    await one.ok("task", "create", "--title", "Of one")
    await two.refused("team.not_found", "task", "list")
    await two.ok("project", "create", "--goal", "Two")
    expect(await two.ok("task", "list")).toEqual([] as unknown as Data)
    expect([await whereIs(one), await whereIs(two)]).toEqual(["api/main", "api-2/main"])
  })

  it("is known by its id from all of its worktrees, when it is moved, and as a bare one", async () => {
    using bench = makeBench()
    const api = repositoryIn(bench, "api")
    await api.ok("project", "create", "--goal", "One")
    const id = readFileSync(join(api.folder, ".git/teamwork/id"), "utf8")
    expect(id).toMatch(/^[0-9a-f]{32}\n$/)
    api.git("worktree", "add", "--quiet", "-b", "side", join(bench.cwd, "elsewhere"))
    expect(await whereIs(repositoryIn(bench, "elsewhere", false))).toBe("api/side")
    const moved = join(bench.cwd, "renamed")
    api.git("worktree", "remove", join(bench.cwd, "elsewhere"))
    renameSync(api.folder, moved)
    const now = repositoryIn(bench, "renamed", false)
    expect(await whereIs(now)).toBe("api/main")
    await now.ok("worktree", "list")
    expect(await now.ok<Data[]>("project", "list")).toMatchObject([{ repositories: [{ folder: moved, exists: true }] }])
    git(bench.cwd, "clone", "--quiet", "--bare", moved, join(bench.cwd, "renamed.git"))
    const bare = repositoryIn(bench, "renamed.git", false)
    expect(await whereIs(bare)).toBe("renamed/main")
    await bare.ok("project", "create", "--goal", "Bare")
    expect(existsSync(join(bare.folder, "teamwork/id"))).toBe(true)
  })

  it("that is a copy of another one becomes one of its own", async () => {
    using bench = makeBench()
    const api = repositoryIn(bench, "api")
    await api.ok("project", "create", "--goal", "One")
    cpSync(api.folder, join(bench.cwd, "copies/api"), { recursive: true })
    const copy = repositoryIn(bench, "copies/api", false)
    const ids = () => [api, copy].map(({ folder }) => readFileSync(join(folder, ".git/teamwork/id"), "utf8"))
    expect(new Set(ids()).size).toBe(1)
    expect(await whereIs(copy)).toBe("api-2/main")
    await copy.refused("project.elsewhere", "worktree", "list", "--project", "api")
    await copy.ok("project", "create", "--goal", "Two")
    expect(new Set(ids()).size).toBe(2)
    expect([await whereIs(api), await whereIs(copy)]).toEqual(["api/main", "api-2/main"])
  })

  it("that cannot be written is read, and says so when a team is to work there", async () => {
    using bench = makeBench()
    const api = repositoryIn(bench, "api")
    chmodSync(join(api.folder, ".git"), 0o555)
    const run = (...args: string[]) => bench.run([...args, "--json"], { cwd: api.folder, obeysPermissions: true })
    try {
      expect((await run("setup")).json<{ data: Data }>().data).toMatchObject({ project: "api", team: "main" })
      const error = readError(await run("project", "create", "--goal", "x"))
      expect(error).toMatchObject({ code: "repository.read_only", message: expect.stringContaining("in a clone") })
      expect((await run("project", "list")).json<{ data: Data[] }>().data).toEqual([])
    } finally {
      chmodSync(join(api.folder, ".git"), 0o755)
    }
  })
})

describe("a project of another repository", () => {
  it("is refused where work is meant, with the way out, and can be read and changed", async () => {
    using bench = makeBench()
    const [one, two] = [repositoryIn(bench, "one"), repositoryIn(bench, "two")]
    await one.deliver("first")
    const of = ["--project", "one"]
    for (const args of [
      ["run", "--resume"],
      ["worker", "--once"],
      ["worktree", "create", "--worker-id", "w1"],
      ["swarm", "merge"],
      ["verify", "final"],
      ["deliver"],
      ["undo"],
      ["diff", "1"],
    ]) {
      const message = await two.refused("project.elsewhere", ...args, ...of)
      expect(message).toContain(`project one belongs to the repository in ${one.folder}; go there`)
      expect(message).toContain("teamwork link one")
    }
    expect(existsSync(join(two.folder, ".git/refs/heads/teamwork"))).toBe(false)
    expect(await two.ok<Data[]>("task", "list", ...of)).toHaveLength(1)
    await two.ok("task", "create", "--title", "More", ...of)
    await two.ok("cancel", ...of)
    await two.ok("doctor", ...of)
  })

  it("is attached by a link, and detached again", async () => {
    using bench = makeBench()
    const one = repositoryIn(bench, "one")
    await one.ok("project", "create", "--goal", "One")
    git(bench.cwd, "clone", "--quiet", one.folder, join(bench.cwd, "clone"))
    const clone = repositoryIn(bench, "clone", false)
    expect(await whereIs(clone)).toBe("clone/main")
    expect(await clone.refused("project.not_found", "link", "nothing")).toContain("teamwork project list")
    await clone.refused("project.not_linked", "link", "one", "--remove")
    await clone.refused("input.invalid", "link", "no such/name")
    await clone.ok("link", "one")
    expect(await clone.ok("link", "one")).toMatchObject({ changed: false })
    expect(await whereIs(clone)).toBe("one/main")
    await clone.ok("worktree", "create", "--worker-id", "w1")
    expect(clone.git("branch", "--list", "teamwork/*")).toContain("teamwork/one/main/w1")
    expect(await one.ok<Data[]>("project", "list")).toMatchObject([
      { repositories: [{ folder: one.folder }, { folder: clone.folder, is_linked: true }] },
    ])
    expect(await clone.ok("link", "one", "--remove")).toMatchObject({ changed: true, default_project: null })
    expect(await whereIs(clone)).toBe("clone/main")
    expect(await whereIs(one)).toBe("one/main")
    await clone.refused("project.elsewhere", "worktree", "list", "--project", "one")
    const outside = repositoryIn(bench, "outside", false)
    await outside.refused("workspace.no_repository", "link", "one")
  })
})

describe("two projects with one team name in one repository", () => {
  it(
    "F006 share nothing",
    async () => {
      using bench = makeBench()
      const api = repositoryIn(bench, "api")
      await api.deliver("kept", "--project", "held", "--no-deliver")
      await api.deliver("wanted")
      expect(api.git("ls-tree", "--name-only", "main").split("\n")).toContain("wanted")
      expect(api.git("ls-tree", "--name-only", "main").split("\n")).not.toContain("kept")
      expect(api.git("ls-tree", "--name-only", "teamwork/held/main/integration")).toContain("kept")
      expect(api.git("ls-tree", "--name-only", "teamwork/held/main/integration")).not.toContain("wanted")
      expect(await whereIs(api)).toBe("api/main")
    },
    LONG_MS,
  )
})

describe("names", () => {
  it("F008 after a switch of branches the error names the teams that there are", async () => {
    using bench = makeBench()
    const api = repositoryIn(bench, "api")
    await api.ok("project", "create", "--goal", "One")
    api.git("switch", "--quiet", "-c", "feature-x")
    for (const args of [["project", "status"], ["task", "list"], ["run"]]) {
      const message = await api.refused("team.not_found", ...args)
      expect(message).toContain("team api/feature-x does not exist; the teams of api: main; go on with one of them")
      expect(message).toContain("--team main")
      expect(message).toContain("teamwork run GOAL")
    }
    expect(await api.ok<Data[]>("task", "list", "--team", "main")).toEqual([])
  })

  it("F009 of folders and branches in other scripts stay apart", async () => {
    using bench = makeBench()
    const [one, two] = [repositoryIn(bench, "日本語"), repositoryIn(bench, "中文")]
    const names = [await whereIs(one), await whereIs(two)]
    expect(new Set(names).size).toBe(2)
    expect(names.every((name) => /^project-[0-9a-f]{6}\/main$/.test(name))).toBe(true)
    await one.ok("project", "create", "--goal", "One")
    await two.refused("team.not_found", "project", "get")
    one.git("switch", "--quiet", "-c", "ветка")
    const first = await whereIs(one)
    one.git("switch", "--quiet", "-c", "пример")
    expect(await whereIs(one)).not.toBe(first)
    await one.refused("team.not_found", "project", "get")
  })
})

describe("a store of before", () => {
  it(
    "gives a project to the repository that has its work, and its branches the new names",
    async () => {
      using bench = makeBench()
      const [api, other] = [repositoryIn(bench, "one/api"), repositoryIn(bench, "two/api")]
      await api.deliver("kept", "--no-deliver")
      const tip = api.git("rev-parse", "teamwork/api/main/integration")
      makeOld(bench, api)
      // The other one comes first, and has nothing of it.
      expect(await whereIs(other)).toBe("api-2/main")
      await other.refused("project.elsewhere", "worktree", "list", "--project", "api")
      expect(await whereIs(api)).toBe("api/main")
      const delivered = await bench.run(["deliver", "--json"], { cwd: api.folder })
      expect(delivered.stderr).toContain("Note: the branches teamwork/main/... are now teamwork/api/main/...")
      expect(delivered.exitCode).toBe(0)
      expect(api.git("rev-parse", "teamwork/api/main/integration", "main").split("\n")).toEqual([tip, tip])
      expect(api.git("branch", "--list", "teamwork/main/*")).toBe("")
      expect(await api.deliver("more", "--team", "other")).toContain("api/other is done")
    },
    LONG_MS,
  )

  it("keeps branches that may be another project's, and all that is pinned", async () => {
    using bench = makeBench()
    const api = repositoryIn(bench, "api")
    await api.deliver("kept", "--no-deliver")
    const pins = api.git("for-each-ref", "refs/teamwork/api")
    makeOld(bench, api)
    api.git("update-ref", "refs/teamwork/other/main/1/1/head", "HEAD")
    const result = await bench.run(["worktree", "list"], { cwd: api.folder })
    expect(result.stderr).toContain("teamwork/main/ has branches of several projects (api, other)")
    expect(api.git("branch", "--list", "teamwork/main/*")).toContain("teamwork/main/integration")
    expect(api.git("for-each-ref", "refs/teamwork/api")).toBe(pins)
  })

  it("gives a project without work to the first repository that uses it", async () => {
    using bench = makeBench()
    const [api, other] = [repositoryIn(bench, "one/api"), repositoryIn(bench, "two/api")]
    await api.ok("project", "create", "--goal", "One")
    makeOld(bench, api)
    expect([await whereIs(api), await whereIs(other)]).toEqual(["api/main", "api/main"])
    await other.ok("worktree", "list")
    expect([await whereIs(api), await whereIs(other)]).toEqual(["api-2/main", "api/main"])
  })
})

/** The state after an update from before projects had repositories: none is noted, and branches are named by team. */
function makeOld(bench: Bench, { folder, git: run }: Repository): void {
  bench.tamper("delete from project_repository")
  rmSync(join(folder, ".git/teamwork"), { recursive: true })
  const branches = run("for-each-ref", "--format=%(refname:short)", "refs/heads/teamwork/api/main").split("\n")
  for (const branch of branches.filter(Boolean))
    run("branch", "-m", branch, branch.replace("teamwork/api/", "teamwork/"))
}
