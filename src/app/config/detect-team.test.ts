import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { detectTeam, findRepositoryRoot } from "./detect-team.ts"

let root = ""
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "detect-team-")))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Ignores the git settings of the user who runs the tests. */
function git(cwd: string, ...args: string[]): string {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@example.invalid",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@example.invalid",
  }
  const run = Bun.spawnSync(["git", "-c", "protocol.file.allow=always", ...args], { cwd, env })
  if (run.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${run.stderr.toString()}`)
  return run.stdout.toString().trim()
}

function folder(...parts: string[]): string {
  const path = join(root, ...parts)
  mkdirSync(path, { recursive: true })
  return path
}

function repository(...parts: string[]): string {
  const path = folder(...parts)
  git(path, "init", "--quiet", "--initial-branch=trunk")
  git(path, "commit", "--quiet", "--allow-empty", "-m", "first")
  return path
}

test("a repository, from its root and from below", async () => {
  const path = repository("plain", "app")
  mkdirSync(join(path, "src", "deep"), { recursive: true })
  expect(await detectTeam(path)).toEqual({ project: "app", team: "trunk" })
  expect(await detectTeam(join(path, "src", "deep"))).toEqual({ project: "app", team: "trunk" })
  expect(await findRepositoryRoot(join(path, "src", "deep"))).toBe(path)
})

test("inside .git it is still the repository", async () => {
  const path = repository("inside", "app")
  expect(await detectTeam(join(path, ".git", "refs"))).toEqual({ project: "app", team: "trunk" })
  expect(await findRepositoryRoot(join(path, ".git"))).toBe(path)
})

test("a repository without commits", async () => {
  const path = folder("unborn", "fresh")
  git(path, "init", "--quiet", "--initial-branch=start")
  expect(await detectTeam(path)).toEqual({ project: "fresh", team: "start" })
})

test("a branch with slashes and letters of any kind", async () => {
  const path = repository("slash", "app")
  git(path, "switch", "--quiet", "-c", "feature/login/form")
  expect((await detectTeam(path)).team).toBe("feature-login-form")
  git(path, "switch", "--quiet", "-c", "фикс/é-1")
  expect((await detectTeam(path)).team).toMatch(/^e-1-[0-9a-f]{6}$/)
  git(path, "switch", "--quiet", "-c", "ветка")
  expect((await detectTeam(path)).team).toMatch(/^branch-[0-9a-f]{6}$/)
})

/** As teamwork keeps it: a ref to an object with the name. */
function nameTarget(path: string, ref: string, branch: string): void {
  writeFileSync(`${path}/.git/named`, `refs/heads/${branch}\n`)
  git(path, "update-ref", ref, git(path, "hash-object", "-w", "--no-filters", ".git/named"))
}

test("F009 two branches that fold to one name have two teams", async () => {
  const path = repository("fold", "app")
  const teamOn = async (branch: string) => {
    git(path, "switch", "--quiet", branch)
    return (await detectTeam(path)).team
  }
  git(path, "branch", "feature/x")
  expect(await teamOn("feature/x")).toBe("feature-x")
  git(path, "branch", "feature-x")
  expect(await teamOn("feature-x")).toBe("feature-x")
  expect(await teamOn("feature/x")).toMatch(/^feature-x-[0-9a-f]{6}$/)
  git(path, "pack-refs", "--all")
  expect(await teamOn("feature/x")).toMatch(/^feature-x-[0-9a-f]{6}$/)
  // Once a team delivers to a branch, the name is that branch's.
  nameTarget(path, "refs/teamwork/app/feature-x/integration/target", "feature/x")
  expect(await teamOn("feature/x")).toBe("feature-x")
  expect(await teamOn("feature-x")).toMatch(/^feature-x-[0-9a-f]{6}$/)
  git(path, "gc", "--quiet", "--prune=now")
  expect(await teamOn("feature/x")).toBe("feature-x")
  expect(await teamOn("feature-x")).toMatch(/^feature-x-[0-9a-f]{6}$/)
  // One that delivers to another branch altogether has its name from elsewhere.
  nameTarget(path, "refs/teamwork/app/feature-x/integration/target", "trunk")
  expect(await teamOn("feature-x")).toBe("feature-x")
})

test("a branch keeps the team that an earlier version made for it", async () => {
  const path = repository("kept", "app")
  git(path, "switch", "--quiet", "-c", "фикс/é-1")
  git(path, "symbolic-ref", "refs/teamwork/app/1/integration/target", "refs/heads/фикс/é-1")
  expect((await detectTeam(path)).team).toBe("1")
})

test("a worker's branch names the team", async () => {
  const path = repository("worker", "app")
  git(path, "switch", "--quiet", "-c", "teamwork/shop/alpha/w1")
  expect(await detectTeam(path)).toEqual({ project: "shop", team: "alpha" })
  // As earlier versions named it.
  git(path, "switch", "--quiet", "-c", "teamwork/beta/w1")
  expect(await detectTeam(path)).toEqual({ project: "app", team: "beta" })
  git(path, "switch", "--quiet", "-c", "teamwork/gamma")
  expect((await detectTeam(path)).team).toBe("teamwork-gamma")
})

test("a detached head has the team main", async () => {
  const path = repository("detached", "app")
  git(path, "checkout", "--quiet", "--detach")
  expect(await detectTeam(path)).toEqual({ project: "app", team: "main" })
})

test("a linked worktree belongs to the main repository's project, with its own branch", async () => {
  const path = repository("linked", "app")
  const worktree = join(root, "linked", "elsewhere", "wt")
  git(path, "worktree", "add", "--quiet", "-b", "teamwork/app/alpha/w2", worktree)
  mkdirSync(join(worktree, "src"))
  expect(await detectTeam(join(worktree, "src"))).toEqual({ project: "app", team: "alpha" })
  expect(await findRepositoryRoot(join(worktree, "src"))).toBe(worktree)
  expect(await detectTeam(path)).toEqual({ project: "app", team: "trunk" })
  git(worktree, "checkout", "--quiet", "--detach")
  expect(await detectTeam(worktree)).toEqual({ project: "app", team: "main" })
})

test("a submodule is a project of its own", async () => {
  const library = repository("sub", "library")
  const outer = repository("sub", "outer")
  git(outer, "submodule", "--quiet", "add", library, "parts/inner")
  const inner = join(outer, "parts", "inner")
  git(inner, "switch", "--quiet", "-c", "sub-branch")
  expect(await detectTeam(inner)).toEqual({ project: "inner", team: "sub-branch" })
  expect(await findRepositoryRoot(inner)).toBe(inner)
  expect(await detectTeam(join(outer, "parts"))).toEqual({ project: "outer", team: "trunk" })
})

test("a bare repository, and a worktree of one", async () => {
  const source = repository("bare", "source")
  const bare = join(root, "bare", "app.git")
  git(source, "clone", "--quiet", "--bare", source, bare)
  expect(await detectTeam(bare)).toEqual({ project: "app", team: "trunk" })
  expect(await detectTeam(join(bare, "refs"))).toEqual({ project: "app", team: "trunk" })
  expect(await findRepositoryRoot(bare)).toBeUndefined()
  const worktree = join(root, "bare", "checkout")
  git(bare, "worktree", "add", "--quiet", "-b", "topic", worktree)
  expect(await detectTeam(worktree)).toEqual({ project: "app", team: "topic" })
})

test("a bare repository hidden in the project's folder", async () => {
  const source = repository("hidden", "source")
  const project = folder("hidden", "app")
  git(source, "clone", "--quiet", "--bare", source, join(project, ".bare"))
  writeFileSync(join(project, ".git"), "gitdir: ./.bare\n")
  git(project, "worktree", "add", "--quiet", "-b", "topic", join(project, "topic"))
  expect(await detectTeam(join(project, "topic"))).toEqual({ project: "app", team: "topic" })
  expect(await detectTeam(project)).toEqual({ project: "app", team: "trunk" })
})

test("a repository whose git folder is kept elsewhere", async () => {
  const path = folder("separate", "app")
  git(path, "init", "--quiet", "--initial-branch=trunk", "--separate-git-dir", join(root, "separate", "store.git"))
  expect(await detectTeam(path)).toEqual({ project: "app", team: "trunk" })
})

test("names become safe ids", async () => {
  expect((await detectTeam(repository("names", "my app (ü)"))).project).toMatch(/^my-app-u-[0-9a-f]{6}$/)
  expect((await detectTeam(repository("names", "my app (2)"))).project).toBe("my-app--2-")
  expect((await detectTeam(repository("names", ".config"))).project).toBe("config")
  expect((await detectTeam(repository("names", "日本語"))).project).toMatch(/^project-[0-9a-f]{6}$/)
  expect((await detectTeam(repository("names", "😀x"))).project).toMatch(/^x-[0-9a-f]{6}$/)
  expect((await detectTeam(repository("names", "a".repeat(100)))).project).toBe("a".repeat(64))
})

test("outside git the folder's name is the project", async () => {
  const path = folder("no git", "some folder")
  expect(await detectTeam(path)).toEqual({ project: "some-folder", team: "main" })
  expect(await findRepositoryRoot(path)).toBeUndefined()
  expect(await detectTeam("/")).toEqual({ project: "project", team: "main" })
})

test("a folder that does not exist", async () => {
  const path = repository("links", "app")
  expect(await detectTeam(join(path, "gone"))).toEqual({ project: "app", team: "trunk" })
})

test("damaged git files give the fallbacks", async () => {
  const broken = folder("broken", "app")
  writeFileSync(join(broken, ".git"), "nonsense")
  expect(await detectTeam(broken)).toEqual({ project: "app", team: "main" })
  const empty = folder("broken", "empty")
  mkdirSync(join(empty, ".git"))
  expect(await detectTeam(empty)).toEqual({ project: "empty", team: "main" })
  const moved = folder("broken", "moved")
  writeFileSync(join(moved, ".git"), "gitdir: /nowhere/at/all\n")
  expect(await detectTeam(moved)).toEqual({ project: "moved", team: "main" })
  const reftable = repository("broken", "reftable")
  writeFileSync(join(reftable, ".git", "HEAD"), "ref: refs/heads/.invalid\n")
  expect(await detectTeam(reftable)).toEqual({ project: "reftable", team: "main" })
})

test("git files with Windows line ends", async () => {
  const path = repository("crlf", "app")
  writeFileSync(join(path, ".git", "HEAD"), "ref: refs/heads/topic\r\n")
  expect(await detectTeam(path)).toEqual({ project: basename(path), team: "topic" })
})
