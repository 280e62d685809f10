// What work is compared with, on a real repository: where the run started, or what was taken in of the target since.
import { describe, expect, it } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { branchRef, integrationBranch, integrationRef } from "../../src/kernel/branches.ts"
import { AppError } from "../../src/kernel/errors.ts"
import { findLostCommands } from "../../src/quality/verify/find-lost-commands.ts"
import { findRunBase } from "../../src/quality/verify/find-run-base.ts"
import { findStart, judgeBase } from "../../src/quality/verify/judge-base.ts"
import { testCommit } from "../../src/quality/verify/test-commit.ts"
import { TEAM as NAME } from "../support/stores.ts"
import { COUNT, setUpVerifier, type VerifierSetup } from "../support/verifier.ts"

const TEAM = { ...NAME, run: 1 }
const manifest = (test: string) => ({ "package.json": JSON.stringify({ scripts: { test } }) })

/** The run starts at the only commit of main. */
async function begin(files: Record<string, string>): Promise<VerifierSetup & { readonly start: string }> {
  const world = await setUpVerifier(files)
  const start = world.repository.run("rev-parse", "HEAD")
  world.integrate(start)
  world.repository.run("update-ref", integrationRef(TEAM, "start"), start)
  writeFileSync(join(world.repository.path, ".git/target"), "refs/heads/main\n")
  world.repository.run(
    "update-ref",
    integrationRef(TEAM, "target"),
    world.repository.run("hash-object", "-w", ".git/target"),
  )
  return { ...world, start }
}

describe("the base of a run", () => {
  it("is where it started, also when the target has moved on or has the work", async () => {
    await using world = await begin({ "a.txt": "a\n" })
    const { repository } = await world.verifier()
    world.repository.run("checkout", "-q", "-b", "work")
    const work = world.repository.commit("Work", { "b.txt": "b\n" })
    expect(await findRunBase(repository, TEAM, { commit: work })).toBe(world.start)
    world.repository.run("checkout", "-q", "main")
    world.repository.commit("By a person", { "c.txt": "c\n" })
    expect(await findRunBase(repository, TEAM, { commit: work })).toBe(world.start)
    world.repository.run("update-ref", "refs/heads/main", work)
    expect(await findRunBase(repository, TEAM, { commit: work })).toBe(world.start)
    world.repository.run("update-ref", "-d", integrationRef(TEAM, "start"))
    expect(await findRunBase(repository, TEAM, { commit: work, otherwise: "x" })).toBe("x")
    expect(await findRunBase(repository, TEAM, { commit: work })).toBeUndefined()
  })

  it("F003: is the target as it was taken in, whose red tests are held against nobody", async () => {
    await using world = await begin({ ...manifest("test ! -f red.txt"), "a.txt": "a\n" })
    const verifier = await world.verifier()
    world.repository.run("checkout", "-q", "-b", "work")
    const work = world.repository.commit("Work", { "b.txt": "b\n" })
    world.repository.run("checkout", "-q", "main")
    const moved = world.repository.commit("By a person", { "red.txt": "red\n" })
    world.repository.run("checkout", "-q", "work")
    world.repository.run("merge", "-q", "--no-edit", "main")
    const merged = world.repository.run("rev-parse", "HEAD")
    expect(await findRunBase(verifier.repository, TEAM, { commit: merged })).toBe(moved)
    expect(await testCommit(verifier, TEAM, work)).toMatchObject({ status: "passed" })
    expect(await testCommit(verifier, TEAM, merged)).toMatchObject({ status: "skipped" })
  })

  it("is the target for a run that begins, unless merged work waits for its delivery", async () => {
    await using world = await begin({ "a.txt": "a\n" })
    const verifier = await world.verifier()
    const moved = world.repository.commit("By a person", { "c.txt": "c\n" })
    expect(await findStart(verifier, TEAM)).toBe(moved)
    expect(await findStart(verifier, TEAM, "main")).toBe(moved)
    world.repository.run("checkout", "-q", "-b", "work", world.start)
    world.repository.commit("Work", { "b.txt": "b\n" })
    world.repository.run("update-ref", branchRef(integrationBranch(TEAM)), "work")
    expect(await findStart(verifier, TEAM)).toBe(world.start)
  })

  it("F003: is judged lazily by the first gate that fails", async () => {
    await using world = await begin({ ...manifest(`${COUNT}; exit 1`), "a.txt": "a\n" })
    const verifier = await world.verifier()
    world.repository.run("checkout", "-q", "-b", "work")
    const work = world.repository.commit("Work", { "b.txt": "b\n" })
    expect(await testCommit(verifier, TEAM, work)).toMatchObject({ status: "skipped" })
    expect(world.count()).toBe(3)
    const { gates } = await judgeBase(verifier, { commit: world.start })
    expect(gates.map(({ kind, state }) => `${kind} ${state}`)).toEqual(["build absent", "lint absent", "test red"])
    expect(world.count()).toBe(3)
  })

  it("counts as green where it cannot be judged", async () => {
    await using world = await begin({ ...manifest("exit 1"), "a.txt": "a\n" })
    const verifier = await world.verifier()
    world.repository.run("checkout", "-q", "-b", "work")
    const work = world.repository.commit("Work", { "b.txt": "b\n" })
    const repository: typeof verifier.repository = {
      ...verifier.repository,
      checkedOut: (commit, use) =>
        commit === world.start
          ? Promise.reject(new AppError("workspace.setup_failed", "npm ci failed"))
          : verifier.repository.checkedOut(commit, use),
    }
    expect(await testCommit({ ...verifier, repository }, TEAM, work)).toMatchObject({ status: "failed" })
  })
})

describe("work that changes what its gates run", () => {
  it("F003: fails where it removes the only test command, which passed before", async () => {
    await using world = await begin({ ...manifest("true"), "a.txt": "a\n" })
    const found = await lostOf(world, { "package.json": "{}" })
    expect(found.checks).toMatchObject([{ name: "tests_pass", status: "failed", command: "npm run test" }])
    expect(found.issues).toEqual([
      'error: this work removed the command npm run test, which passed before, and there is no other test command; restore it, or name another: teamwork config set gates.test "COMMAND"',
    ])
  })

  it("F003: is warned of where it changes the script, takes another command, or the tests were red", async () => {
    await using world = await begin({ ...manifest("test -f a.txt"), "a.txt": "a\n" })
    expect(await lostOf(world, manifest("true"))).toEqual({
      checks: [],
      issues: ["warning: this work changed what npm run test runs; it is now: true"],
    })
    const gone = "warning: this work removed the command npm run test, so this gate did not run it"
    const make = { "package.json": "{}", Makefile: "test:\n\ttest -f a.txt\n" }
    expect(await lostOf(world, make)).toEqual({ checks: [], issues: [gone] })
    expect(await lostOf(world, { "b.txt": "b\n" })).toEqual({ checks: [], issues: [] })
    await using red = await begin({ ...manifest("false"), "a.txt": "a\n" })
    expect(await lostOf(red, { "package.json": "{}" })).toEqual({ checks: [], issues: [gone] })
  })
})

/** What is found of work on top of the start. */
async function lostOf(world: VerifierSetup & { readonly start: string }, files: Record<string, string>) {
  const verifier = await world.verifier()
  world.repository.run("checkout", "-q", "--detach", world.start)
  const commit = world.repository.commit("Work", files)
  const tree = world.repository.run("rev-parse", `${commit}^{tree}`)
  return findLostCommands(verifier, { commit, tree, isHere: false, uncommitted: [] }, { base: world.start })
}
