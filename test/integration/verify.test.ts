// Gates on real repositories with real commands (R130, R133, R134, R136, R137): what passes, what does not, and that
// nothing runs twice on one tree.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { ofType } from "../../src/kernel/events.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { listVerdicts } from "../../src/quality/operations/record-verdict.ts"
import type { Verdict } from "../../src/quality/verdict.ts"
import { testCommit } from "../../src/quality/verify/test-commit.ts"
import type { Verifier } from "../../src/quality/verify/verifier.ts"
import { type TaskVerification, verifyTask } from "../../src/quality/verify/verify-task.ts"
import { verifyFinal, verifyProject, verifyWave } from "../../src/quality/verify/verify-team.ts"
import { renderVerdict } from "../../src/quality/views/verdict-view.ts"
import { teamStatus } from "../../src/reporting/operations/team-status.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { addEvidence, listEvidence, withdrawEvidence } from "../../src/tasks/operations/record-evidence.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { calculateWaves, updateWave } from "../../src/tasks/operations/wave-status.ts"
import { listEvents } from "../../src/teams/operations/list-events.ts"
import { getTask, refusal, run, TEAM } from "../support/stores.ts"
import { COUNT, setUpVerifier, statuses, type VerifierSetup } from "../support/verifier.ts"

setDefaultTimeout(30_000)

const manifest = (scripts: Record<string, string>) => `${JSON.stringify({ scripts })}\n`

/** The verdict on task 1, at what is checked out, since `base`. */
async function judge(
  world: VerifierSetup,
  more: Partial<TaskVerification> = {},
  change: Partial<Verifier> = {},
): Promise<Verdict> {
  return verifyTask(await world.verifier(change), { ...TEAM, taskId: parseTaskId("1"), ...more })
}

async function judgeWave(world: VerifierSetup, wave: number, change: Partial<Verifier> = {}): Promise<Verdict> {
  return verifyWave(await world.verifier(change), { ...TEAM, wave })
}

const failedOf = ({ checks }: Verdict) => checks.filter((check) => check.status === "failed").map((check) => check.name)
const evidenceOf = (world: VerifierSetup) => run(world.context, listEvidence, { id: "1" })

/** A world with task 1, whose base is pinned and whose work is one commit. */
async function makeTask(checks: readonly string[], files: Record<string, string | null> = { "b.txt": "b\n" }) {
  const world = await setUpVerifier()
  const base = world.repository.run("rev-parse", "HEAD")
  await world.create("1", { check: checks })
  const head = Object.keys(files).length === 0 ? base : world.repository.commit("Work", files)
  await world.pin("1", base, head)
  return { ...world, base, head }
}

describe("the gate of a task", () => {
  it("passes committed work whose commands succeed, and names the commit and tree it judged", async () => {
    await using world = await makeTask(["test -f b.txt", "grep b b.txt"])
    const verdict = await judge(world)
    expect(verdict).toMatchObject({ scope: "task", subject: "1", status: "passed", by: "gate", issues: [] })
    expect(verdict.commit).toBe(world.head)
    expect(verdict.tree).toBe(world.repository.run("rev-parse", "HEAD^{tree}"))
    expect(await run(world.context, listVerdicts, {})).toEqual([verdict])
    expect(verdict.checks.filter((check) => check.name === "acceptance_passes")).toMatchObject([
      {
        status: "passed",
        command: "test -f b.txt",
        evidence: "test -f b.txt exited with 0",
        durationMs: expect.any(Number),
      },
      { status: "passed", command: "grep b b.txt" },
    ])
  })

  it("tells that it begins, with what it is about to run, before its verdict", async () => {
    await using world = await makeTask(["test -f b.txt"])
    await judge(world)
    const { events } = await run(world.context, listEvents, { limit: 100 })
    const [begun, ended] = [ofType(events, "gate.started"), ofType(events, "verdict.recorded")]
    expect(begun).toMatchObject([
      {
        ...{ by: "gate", type: "gate.started", version: 1 },
        data: { scope: "task", subject: "1", task: "1", commit: world.head, checks: ["test -f b.txt"] },
      },
    ])
    expect(begun[0]?.seq).toBeLessThan(ended[0]?.seq ?? 0)
  })

  it("names the first test that failed, also when the same tree is judged again", async () => {
    const test = `import assert from "node:assert"
import { test } from "node:test"
test("opens", () => {})
test("sells what is in stock", () => {
  assert.strictEqual(2, 3, "sold 2 of 3")
})
`
    await using world = await makeTask(["node --test --test-reporter=tap"], { "shop.test.mjs": test })
    const failure = { test: "sells what is in stock", file: "shop.test.mjs", line: 5, message: "sold 2 of 3" }
    const check = { name: "acceptance_passes", status: "failed", firstFailure: failure }
    expect((await judge(world)).checks).toContainEqual(expect.objectContaining(check))
    const again = await judge(world)
    expect(again.checks).toContainEqual(expect.objectContaining(check))
    expect(await run(world.context, listVerdicts, {})).toContainEqual(again)
    expect(renderVerdict(again, { columns: 200, color: false })).toContain(
      "\n  First: sells what is in stock (shop.test.mjs:5): sold 2 of 3\n",
    )
  })

  it("records what it ran as attested evidence on the commit, once", async () => {
    await using world = await makeTask(["echo seen; exit 0"])
    await judge(world)
    await judge(world)
    const entries = await evidenceOf(world)
    expect(entries).toMatchObject([
      {
        ...{ type: "command", trust: "attested", by: "gate", attempt: 1 },
        facts: { command: "echo seen; exit 0", exitCode: 0, output: "seen\n", commit: world.head, isDirty: false },
      },
    ])
    expect(entries[0]?.facts.outputHash).toBe(new Bun.CryptoHasher("sha256").update("seen\n").digest("hex"))
    await run(world.context, withdrawEvidence, { id: "1", number: 1 })
    await judge(world)
    expect(await evidenceOf(world)).toHaveLength(2)
  })

  it("fails when a command does, with the end of its output and where all of it is", async () => {
    await using world = await makeTask(["echo broken >&2; exit 4", "true"])
    const verdict = await judge(world)
    expect(failedOf(verdict)).toEqual(["acceptance_passes"])
    const check = verdict.checks.find((each) => each.status === "failed")
    expect(check?.evidence).toBe("echo broken >&2; exit 4 exited with 4\nbroken")
    expect(readFileSync(check?.outputFile ?? "", "utf8")).toBe("broken\n")
    expect(verdict.issues).toEqual([
      `error: echo broken >&2; exit 4 exited with 4; all of its output: ${check?.outputFile}`,
    ])
    expect(await evidenceOf(world)).toMatchObject([{ facts: { exitCode: 4 } }, { facts: { exitCode: 0 } }])
  })

  it("stops a command at its time limit, and says so", async () => {
    await using world = await makeTask(["sleep 60"])
    const { runner } = await world.verifier()
    const verdict = await judge(world, {}, { runner: { ...runner, timeoutMs: 200 } })
    expect(failedOf(verdict)).toEqual(["acceptance_passes"])
    expect(verdict.issues[0]).toStartWith(
      "error: sleep 60 was stopped after 0.2 s, its time limit; all of its output: ",
    )
    expect(await evidenceOf(world)).toMatchObject([{ facts: { exitCode: 124 } }])
  })

  it("fails work that is not committed, naming the files, and runs nothing", async () => {
    await using world = await makeTask([COUNT])
    world.repository.write({ "b.txt": "changed", "-rf $(x);\n": "new" })
    const verdict = await judge(world)
    expect(statuses(verdict)).toMatchObject({ work_committed: "failed", acceptance_passes: "skipped" })
    expect(verdict.issues).toEqual(
      expect.arrayContaining([
        "error: b.txt has changes that are not committed",
        "error: -rf $(x);\n has changes that are not committed",
      ]),
    )
    expect(world.count()).toBe(0)
  })

  it("judges a named commit whatever lies in the checkout, in a folder of its own", async () => {
    await using world = await makeTask([`pwd; test ! -e dirt && ${COUNT}`])
    world.repository.write({ dirt: "x" })
    const verdict = await judge(world, { commit: world.head })
    expect(verdict).toMatchObject({ status: "passed", commit: world.head })
    const [entry] = await evidenceOf(world)
    expect(entry?.facts.output).toStartWith(join(world.home, "checkouts"))
    expect(readdirSync(join(world.home, "checkouts"))).toEqual([])
    expect(world.repository.run("worktree", "list").split("\n")).toHaveLength(1)
  })

  it.each([
    ["commits nothing", {}, "changes_present", /nothing was committed since/],
    [
      "adds a blocked word",
      { "b.ts": "x\nthrow 'TODO: rest'\n" },
      "no_blocked_patterns",
      /b\.ts:2 says "TODO": throw 'TODO: rest'/,
    ],
  ] as const)("fails a task that %s", async (_, files, name, issue) => {
    await using world = await makeTask(["true"], files)
    const verdict = await judge(world)
    expect(failedOf(verdict)).toEqual([name])
    expect(verdict.issues).toEqual([expect.stringMatching(issue)])
  })

  it("looks at added lines only", async () => {
    await using world = await setUpVerifier({ "old.ts": "// TODO: old\nx\n" })
    const base = world.repository.run("rev-parse", "HEAD")
    await world.create("1", { check: ["true"] })
    world.repository.commit("Work", { "old.ts": "// TODO: old\ny\n", "notes.md": "TODO\n" })
    expect(await judge(world, { base })).toMatchObject({ status: "passed", issues: [] })
  })

  it("fails a link out of the tree, and tells of deleted tests and modes", async () => {
    await using world = await makeTask(["true"], { "run.sh": "", "x.test.ts": "x" })
    expect(await judge(world, { base: world.base })).toMatchObject({ status: "passed" })
    symlinkSync("/etc/passwd", join(world.repository.path, "link"))
    world.repository.write({ "x.test.ts": null })
    chmodSync(join(world.repository.path, "run.sh"), 0o755)
    world.repository.commit("More")
    const verdict = await judge(world, { base: world.head })
    expect(failedOf(verdict)).toEqual(["files_owned", "no_suspicious_changes"])
    expect(verdict.issues).toEqual([
      'error: "link" is a link to "/etc/passwd", outside of the repository',
      "error: link is a link out of the tree, to /etc/passwd",
      "warning: run.sh changed its mode from 100644 to 100755",
      "warning: x.test.ts is a test, and was deleted",
    ])
  })

  it("fails rewritten history, and tells of merges", async () => {
    await using world = await makeTask(["true"])
    const { repository } = world
    repository.run("checkout", "-q", "--orphan", "rewritten")
    repository.commit("All new", { "c.txt": "c" })
    expect(failedOf(await judge(world))).toEqual(["history_kept"])
    repository.run("checkout", "-q", "main")
    repository.run("checkout", "-q", "-b", "side", "HEAD~1")
    repository.commit("Side", { "side.txt": "x" })
    repository.run("checkout", "-q", "main")
    repository.run("merge", "-q", "--no-edit", "side")
    const merge = repository.run("rev-parse", "--short=12", "HEAD")
    expect(await judge(world)).toMatchObject({ status: "passed", issues: [`warning: commit ${merge} is a merge`] })
  })

  it("lets a task that only looks commit nothing", async () => {
    await using world = await setUpVerifier()
    const base = world.repository.run("rev-parse", "HEAD")
    await world.create("1", { role: "review", check: ["true"] })
    expect(await judge(world, { base })).toMatchObject({ status: "passed" })
    await world.create("2", { agentType: "explorer", check: ["true"] })
    expect(await judge(world, { base, taskId: parseTaskId("2") })).toMatchObject({ status: "passed" })
  })

  it("holds a task to its own files", async () => {
    await using world = await makeTask(["true"])
    await run(world.context, updateTask, { id: "1", files: ["src/"] })
    const verdict = await judge(world)
    expect(failedOf(verdict)).toEqual(["files_owned"])
    expect(verdict.issues).toEqual([
      expect.stringContaining('error: "b.txt" does not belong to task 1, which owns src/'),
    ])
  })

  it("asks for evidence, and for none that says what is no proof", async () => {
    await using world = await makeTask([])
    expect(failedOf(await judge(world))).toEqual(["evidence_complete"])
    await run(world.context, addEvidence, { id: "1", addEvidence: ["it should work"] })
    const verdict = await judge(world)
    expect(failedOf(verdict)).toEqual(["evidence_complete"])
    expect(verdict.issues).toEqual(['error: evidence 1 of task 1 says "should work": it should work'])
    await run(world.context, withdrawEvidence, { id: "1", number: 1 })
    await run(world.context, addEvidence, { id: "1", addEvidence: ["12 tests pass"] })
    expect(await judge(world)).toMatchObject({ status: "passed" })
  })

  it("does not count the evidence of an earlier attempt", async () => {
    await using world = await makeTask([])
    await world.resolve("1")
    expect(await judge(world)).toMatchObject({ status: "passed" })
    await run(world.context, reopenTask, { id: "1" })
    expect(failedOf(await judge(world, { base: world.base }))).toEqual(["evidence_complete"])
  })

  it("holds a task without commands to the project's tests", async () => {
    await using world = await makeTask([], { "package.json": manifest({ test: COUNT, build: "exit 1" }) })
    await run(world.context, updateTask, { id: "1", files: ["package.json"], grantShared: true })
    expect(await judge(world)).toMatchObject({ status: "passed" })
    expect(await evidenceOf(world)).toMatchObject([{ trust: "attested", facts: { command: "npm run test" } }])
    expect(world.count()).toBe(1)
  })

  it("starts where the branch left the integration branch, once it was brought up to date", async () => {
    await using world = await makeTask(["true"])
    const { repository } = world
    repository.run("checkout", "-q", "-b", "others", world.base)
    const others = repository.commit("Others", { "others.ts": "throw 'TODO: not ours'\n" })
    world.integrate(others)
    repository.run("checkout", "-q", "main")
    repository.run("merge", "-q", "--no-edit", "others")
    const verdict = await judge(world)
    expect(verdict.status).toBe("passed")
    expect(verdict.checks.find((check) => check.name === "changes_present")?.evidence).toBe(
      `1 file changed since ${others.slice(0, 12)}`,
    )
    // Merged meanwhile: then the pin is all there is.
    world.integrate(repository.run("rev-parse", "HEAD"))
    expect(failedOf(await judge(world))).toEqual(["no_blocked_patterns"])
  })

  it("does not pass what it cannot see, because nobody knows where the task started", async () => {
    await using world = await setUpVerifier()
    await world.create("1", { check: ["true"] })
    const verdict = await judge(world)
    expect(statuses(verdict)).toMatchObject({ changes_present: "failed", no_blocked_patterns: "skipped" })
    expect(verdict).toMatchObject({ status: "failed", issues: [expect.stringContaining("name it with --base")] })
  })

  it("keeps the claim of its owner, and is refused to anybody else", async () => {
    await using world = await makeTask(["true"])
    await run(world.context, claimTask, { id: "1", owner: "w1" })
    expect((await refusal(judge(world, { owner: "w2" }))).code).toBe("claim.lost")
    expect((await refusal(judge(world, { owner: "w1", token: 9 }))).code).toBe("claim.lost")
    expect(await judge(world, { owner: "w1" })).toMatchObject({ status: "passed" })
    expect((await evidenceOf(world))[0]).toMatchObject({ by: "gate" })
    expect(await getTask(world.context.store, world.key, "1")).toMatchObject({ status: "in_progress", claimedBy: "w1" })
  })

  it("refuses what is no commit, no task or no repository with commits, and changes nothing", async () => {
    await using world = await makeTask(["true"])
    for (const commit of ["nowhere", "--all", "; rm -rf x", "$(touch y)"])
      expect((await refusal(judge(world, { commit }))).code).toBe("gate.no_commit")
    expect((await refusal(judge(world, { base: "-x" }))).code).toBe("gate.no_commit")
    expect((await refusal(judge(world, { taskId: parseTaskId("9") }))).code).toBe("task.not_found")
    world.repository.run("checkout", "-q", "--orphan", "empty")
    expect((await refusal(judge(world))).message).toContain("has no commits yet")
    expect(await run(world.context, listVerdicts, {})).toEqual([])
    expect(existsSync(join(world.repository.path, "y"))).toBe(false)
  })

  it("passes titles, ids and paths to no shell", async () => {
    await using world = await setUpVerifier()
    const base = world.repository.run("rev-parse", "HEAD")
    const odd = "$(touch pwned); touch pwned `touch pwned`"
    await world.create("1", { title: `-rf ${odd}`, check: ["test -f 'b.txt'"], files: [odd, "b.txt", "-rf", "two*"] })
    world.repository.commit(odd, { "b.txt": "x", [odd]: "x", "-rf": "x", "two\nlines": "x" })
    expect(await judge(world, { base })).toMatchObject({ status: "passed", issues: [] })
    expect(readdirSync(world.repository.path).sort()).toEqual(
      [odd, "-rf", ".git", "a.txt", "b.txt", "two\nlines"].sort(),
    )
  })

  it("tells of files that its commands leave behind", async () => {
    await using world = await makeTask(["echo x > report.txt"])
    expect(await judge(world)).toMatchObject({
      ...{ status: "passed", issues: ["warning: report.txt was written by the commands, and is not committed"] },
    })
  })
})

describe("on an unchanged tree", () => {
  it("no command is run, in the checkout and outside of it", async () => {
    await using world = await makeTask([COUNT, `${COUNT}; exit 1`])
    const first = await judge(world)
    expect({ status: first.status, count: world.count() }).toEqual({ status: "failed", count: 3 })
    const again = await judge(world)
    expect({ status: again.status, count: world.count() }).toEqual({ status: "failed", count: 3 })
    expect(again.checks.find((check) => check.name === "acceptance_passes")?.evidence).toMatch(
      /; it ran on this very tree before, at \d{4}-/,
    )
    // The same tree as another commit.
    world.repository.run("commit", "-q", "--amend", "-m", "Other words")
    await judge(world)
    expect(world.count()).toBe(3)
    world.repository.run("checkout", "-q", "-b", "elsewhere", "HEAD~1")
    await judge(world, { commit: "main" })
    expect(world.count()).toBe(3)
  })

  it("a checkout with ignored files proves nothing for others, but others do for it", async () => {
    await using world = await setUpVerifier({ ".gitignore": "ignored\nnode_modules\n" })
    await world.create("1", { role: "review", check: [`${COUNT}; test -e ignored`] })
    world.repository.write({ ignored: "not part of the tree" })
    expect(await judge(world)).toMatchObject({ status: "passed" })
    expect(await judge(world)).toMatchObject({ status: "passed" })
    expect(world.count()).toBe(1)
    world.repository.run("checkout", "-q", "-b", "elsewhere")
    world.repository.commit("Elsewhere", { "b.txt": "" })
    expect(await judge(world, { commit: "main" })).toMatchObject({ status: "failed" })
    expect(world.count()).toBe(3)
    // Commands that make files which git ignores are not run again because of them.
    await world.create("2", { role: "review", check: [`${COUNT}; touch ignored`] })
    world.repository.write({ ignored: null })
    const second = { taskId: parseTaskId("2") }
    expect(await judge(world, second)).toMatchObject({ status: "passed" })
    expect(await judge(world, second)).toMatchObject({ status: "passed" })
    expect(world.count()).toBe(4)
    // Unless it is what they work with.
    world.repository.write({ "node_modules/.package-lock.json": "{}" })
    expect(await judge(world, second)).toMatchObject({ status: "passed" })
    expect(world.count()).toBe(5)
  })

  it("commands are run when asked to", async () => {
    await using world = await makeTask([COUNT])
    const { runner } = await world.verifier()
    await judge(world)
    await judge(world, {}, { runner: { ...runner, again: true } })
    expect(world.count()).toBe(2)
  })

  it("a changed file makes them run", async () => {
    await using world = await makeTask([COUNT])
    await judge(world)
    world.repository.commit("More", { "c.txt": "c" })
    await judge(world)
    expect(world.count()).toBe(2)
  })
})

/** Tasks 1 and 2 in wave 1, 3 in wave 2, each a branch of its own; merged into the integration branch. */
async function makeWaves(files: Record<string, string>, changes: readonly Record<string, string>[]) {
  const world = await setUpVerifier(files)
  const { repository } = world
  const base = repository.run("rev-parse", "HEAD")
  await world.create("1")
  await world.create("2")
  await world.create("3", { blockedBy: ["1"] })
  await run(world.context, calculateWaves, {})
  const heads: string[] = []
  for (const [index, change] of changes.entries()) {
    repository.run("checkout", "-q", "-B", "work", base)
    const head = repository.commit(`Task ${index + 1}`, change)
    await world.pin(String(index + 1), base, head)
    heads.push(head)
  }
  repository.run("checkout", "-q", "-B", "merged", base)
  for (const head of heads) repository.run("merge", "-q", "--no-edit", "--no-ff", "-X", "ours", head)
  const merged = repository.run("rev-parse", "HEAD")
  world.integrate(merged)
  repository.run("checkout", "-q", "main")
  return { ...world, base, merged }
}

const PROJECT = { "package.json": manifest({ test: COUNT, build: COUNT, lint: "true" }) }

describe("the gate of a wave", () => {
  it("judges the integration branch, and opens the next wave", async () => {
    await using world = await makeWaves(PROJECT, [{ "a.ts": "1\n" }, { "b.ts": "2\n" }])
    await world.resolve("1")
    await world.resolve("2")
    const verdict = await judgeWave(world, 1)
    expect(verdict).toMatchObject({ scope: "wave", subject: "1", status: "passed", issues: [], commit: world.merged })
    expect(verdict.checks.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      "all_tasks_resolved: passed",
      "work_committed: passed",
      "work_merged: passed",
      "no_file_conflicts: passed",
      "build_succeeds: passed",
      "lint_passes: passed",
      "tests_pass: passed",
    ])
    expect(await run(world.context, teamStatus, {})).toMatchObject({
      currentWave: 2,
      waves: [{ status: "verified" }, {}],
    })
    expect(world.count()).toBe(2)
    expect((await refusal(judgeWave(world, 1))).code).toBe("wave.transition")
  })

  it("fails with unresolved tasks without running anything, and passes later", async () => {
    await using world = await makeWaves(PROJECT, [{ "a.ts": "1\n" }, { "b.ts": "2\n" }])
    await world.resolve("1")
    const verdict = await judgeWave(world, 1)
    expect(statuses(verdict)).toMatchObject({
      all_tasks_resolved: "failed",
      build_succeeds: "skipped",
      tests_pass: "skipped",
    })
    expect(verdict.issues).toEqual(["error: task 2 is open, not resolved"])
    expect(world.count()).toBe(0)
    expect(await run(world.context, teamStatus, {})).toMatchObject({ waves: [{ status: "failed" }, {}] })
    await world.resolve("2")
    expect(await judgeWave(world, 1)).toMatchObject({ status: "passed" })
  })

  it("fails when two tasks changed the same function, and warns of the same file", async () => {
    const text = (one: string, two: string) =>
      `export function one() {\n  a\n  b\n  c\n  ${one}\n}\n\nexport function two() {\n  a\n  b\n  c\n  ${two}\n}\n`
    const files = { ...PROJECT, "f.ts": text("x", "x"), "g.ts": text("x", "x") }
    await using world = await makeWaves(files, [
      { "f.ts": text("1", "x"), "g.ts": text("1", "x") },
      { "f.ts": text("2", "x"), "g.ts": text("x", "2") },
    ])
    await world.resolve("1")
    await world.resolve("2")
    const verdict = await judgeWave(world, 1)
    expect(failedOf(verdict)).toEqual(["no_file_conflicts"])
    expect(verdict.issues).toEqual([
      "error: critical: f.ts: tasks 1 and 2 changed the same part: export function one() {",
      "warning: g.ts: tasks 1 and 2 changed the same file",
    ])
  })

  it("fails with the build, the tests or the linter, each told apart", async () => {
    const files = { "package.json": manifest({ test: "test ! -f a.ts", build: "true", lint: "test ! -f b.ts" }) }
    await using world = await makeWaves(files, [{ "a.ts": "1\n" }, { "b.ts": "2\n" }])
    await world.resolve("1")
    await world.resolve("2")
    expect(failedOf(await judgeWave(world, 1)).sort()).toEqual(["lint_passes", "tests_pass"])
  })

  it("F001 F003: holds nothing against anybody that was red or not installed before", async () => {
    const files = { "package.json": manifest({ test: `${COUNT}; exit 1`, build: "true", lint: "no-such-linter" }) }
    await using world = await makeWaves(files, [{ "a.ts": "1\n" }, { "b.ts": "2\n" }])
    await world.resolve("1")
    await world.resolve("2")
    const verdict = await judgeWave(world, 1)
    expect(verdict.status).toBe("passed")
    expect(statuses(verdict)).toMatchObject({
      build_succeeds: "passed",
      lint_passes: "skipped",
      tests_pass: "skipped",
    })
    expect(verdict.issues).toEqual([
      expect.stringContaining("warning: npm run lint exited with 127: no-such-linter was not found"),
      expect.stringContaining("warning: npm run test exited with 1; it was red before the work began"),
    ])
    // Twice on the base and once on the work: what was red before is not run again to tell flaky from broken.
    expect(world.count()).toBe(3)
  })

  it("runs what is configured, and leaves out what is switched off", async () => {
    await using world = await makeWaves(PROJECT, [{ "a.ts": "1\n" }, { "b.ts": "2\n" }])
    await world.resolve("1")
    await world.resolve("2")
    const { settings } = await world.verifier()
    const kinds = {
      build: { isEnabled: false, lines: [] },
      lint: { isEnabled: true, lines: ["echo own | grep own", "true"] },
      test: { isEnabled: false, lines: ["exit 1"] },
    }
    const verdict = await judgeWave(world, 1, { settings: { ...settings, kinds } })
    expect(
      verdict.checks.slice(4).map(({ name, status, command, evidence }) => [name, status, command ?? evidence]),
    ).toEqual([
      ["lint_passes", "passed", "echo own | grep own"],
      ["lint_passes", "passed", "true"],
      ["build_succeeds", "skipped", "switched off by gates.enableBuild"],
      ["tests_pass", "skipped", "switched off by gates.enableTest"],
    ])
    expect(world.count()).toBe(0)
  })

  it("fails when work is neither in the commit nor in its fix, which is", async () => {
    await using world = await makeWaves(PROJECT, [{ "a.ts": "1\n" }, { "b.ts": "2\n" }])
    const head = world.repository.run("rev-parse", `${world.merged}^2`)
    world.integrate(world.repository.run("rev-parse", `${world.merged}^`))
    await world.create("fix-2-1")
    await world.pin("fix-2-1", world.base, head)
    await world.pin(
      "2",
      world.base,
      world.repository.run("commit-tree", `${world.base}^{tree}`, "-p", world.base, "-m", "Other"),
    )
    for (const id of ["1", "2", "fix-2-1"]) await world.resolve(id)
    const missing = await judgeWave(world, 1)
    expect(missing.issues).toEqual(
      ["2", "fix-2-1"].map((id) => expect.stringContaining(`error: the work of task ${id}, `)),
    )
    world.integrate(world.merged)
    expect((await judgeWave(world, 1)).issues).toEqual([expect.stringMatching(/^error: the work of task 2, /)])
  })

  it("fails when the work of a task is not in the commit", async () => {
    await using world = await makeWaves(PROJECT, [{ "a.ts": "1\n" }, { "b.ts": "2\n" }])
    await world.resolve("1")
    await world.resolve("2")
    world.integrate(world.repository.run("rev-parse", `${world.merged}^`))
    const verdict = await judgeWave(world, 1)
    expect(failedOf(verdict)).toEqual(["work_merged"])
    expect(verdict.issues).toEqual([
      expect.stringMatching(/^error: the work of task 2, [0-9a-f]{12}, is not part of the commit$/),
    ])
  })

  it("comes after the waves before it", async () => {
    await using world = await makeWaves(PROJECT, [])
    expect((await refusal(judgeWave(world, 2))).message).toContain("wave 1 is in_progress and comes first")
    expect((await refusal(judgeWave(world, 7))).code).toBe("wave.not_found")
    expect(await run(world.context, listVerdicts, {})).toEqual([])
  })
})

describe("testing a commit for a merge", () => {
  it("tells what fails and how, records nothing, and runs a failure twice and never again (I13)", async () => {
    await using world = await setUpVerifier({
      "package.json": manifest({ test: `${COUNT}; cat a.txt; test -f b.txt` }),
      "a.txt": "a\n",
    })
    const first = world.repository.run("rev-parse", "HEAD")
    const second = world.repository.commit("Mend", { "b.txt": "b\n" })
    const verifier = await world.verifier()
    const failed = await testCommit(verifier, TEAM, first)
    expect(failed).toMatchObject({ status: "failed", issues: [expect.stringContaining("npm run test exited with 1")] })
    expect(failed.output).toMatch(/^npm run test exited with 1\n[\s\S]*\na$/)
    expect(await testCommit(verifier, TEAM, second)).toMatchObject({ status: "passed", output: "" })
    await testCommit(verifier, TEAM, first)
    expect(world.count()).toBe(3)
    await testCommit({ ...verifier, runner: { ...verifier.runner, again: true } }, TEAM, first)
    expect(world.count()).toBe(5)
    expect(await run(world.context, listVerdicts, {})).toEqual([])
  })

  it("is skipped where there is nothing to run", async () => {
    await using world = await setUpVerifier()
    expect(await testCommit(await world.verifier(), TEAM, "HEAD")).toMatchObject({ status: "skipped", output: "" })
  })
})

describe("the final gate", () => {
  async function makeFinished(
    changes: readonly Record<string, string>[] = [{ "a.ts": "1\n" }, { "b.ts": "2\n" }, { "c.ts": "3\n" }],
  ) {
    const world = await makeWaves(PROJECT, changes)
    for (const [id, wave] of [
      ["1", 0],
      ["2", 1],
      ["3", 2],
    ] as const) {
      await world.resolve(id)
      await verifyTask(await world.verifier(), {
        ...TEAM,
        taskId: parseTaskId(id),
        commit: world.merged,
        base: world.base,
      })
      if (wave > 0) await run(world.context, updateWave, { wave, status: "verified" })
    }
    return world
  }
  const judgeAll = async (world: VerifierSetup) => verifyFinal(await world.verifier(), TEAM)

  it("passes finished work, completes the project, and runs nothing that ran on this tree", async () => {
    await using world = await makeFinished()
    expect(world.count()).toBe(1) // the tests, for three tasks at one tree
    const verdict = await judgeAll(world)
    expect(verdict).toMatchObject({ scope: "final", subject: null, status: "passed", issues: [], commit: world.merged })
    expect(Object.keys(statuses(verdict))).toEqual([
      ...["all_tasks_resolved", "all_waves_verified", "needs_met", "work_committed", "work_merged"],
      ...[
        "no_suspicious_changes",
        "no_blocked_patterns",
        "evidence_complete",
        "build_succeeds",
        "lint_passes",
        "tests_pass",
      ],
    ])
    expect(world.count()).toBe(2) // the build
    expect(await run(world.context, teamStatus, {})).toMatchObject({ phase: "COMPLETE" })
    expect(await judgeAll(world)).toMatchObject({ status: "passed" })
    expect(world.count()).toBe(2)
  })

  it("looks at everything the run added, since its first task started", async () => {
    await using world = await makeFinished([{ "a.ts": "1\n" }, { "b.ts": "2\n" }, { "c.ts": "x\nthrow 'FIXME'\n" }])
    const verdict = await judgeAll(world)
    expect(failedOf(verdict)).toEqual(["no_blocked_patterns"])
    expect(verdict.issues).toEqual([`error: c.ts:2 says "FIXME": throw 'FIXME'`])
    expect(await run(world.context, teamStatus, {})).toMatchObject({ phase: "EXECUTION" })
    expect(await verifyFinal(await world.verifier(), { ...TEAM, base: world.merged })).toMatchObject({
      status: "passed",
    })
  })

  it("wants two entries of evidence for each task, one of them attested", async () => {
    await using world = await makeFinished()
    const entries = await evidenceOf(world)
    const number = entries.find((entry) => entry.trust === "attested")?.number ?? 0
    await run(world.context, withdrawEvidence, { id: "1", number })
    const verdict = await judgeAll(world)
    expect(failedOf(verdict)).toEqual(["evidence_complete"])
    expect(verdict.issues).toEqual([
      expect.stringContaining("task 1 has only 1 of 2 entries of evidence"),
      expect.stringContaining("task 1 has nothing that teamwork saw succeed"),
    ])
  })

  it("wants every task resolved and every wave verified", async () => {
    await using world = await makeWaves(PROJECT, [{ "a.ts": "1\n" }])
    const verdict = await judgeAll(world)
    expect(failedOf(verdict)).toEqual(["all_tasks_resolved", "all_waves_verified", "needs_met", "evidence_complete"])
    expect(world.count()).toBe(0)
  })
})

describe("verifying the project", () => {
  it("judges the wave that is due, and everything after the last", async () => {
    await using world = await makeWaves(PROJECT, [{ "a.ts": "1\n" }, { "b.ts": "2\n" }, { "c.ts": "3\n" }])
    const next = async () => verifyProject(await world.verifier(), TEAM)
    await world.resolve("1")
    expect(await next()).toMatchObject({ scope: "wave", subject: "1", status: "failed" })
    await world.resolve("2")
    expect(await next()).toMatchObject({ scope: "wave", subject: "1", status: "passed" })
    await world.resolve("3")
    expect(await next()).toMatchObject({ scope: "wave", subject: "2", status: "passed" })
    expect(await next()).toMatchObject({ scope: "final", status: "failed" })
  })

  it("judges everything where there are no waves, at what is checked out and committed", async () => {
    await using world = await makeTask(["true"])
    await world.resolve("1")
    await judge(world)
    world.repository.write({ dirt: "x" })
    const next = async () => verifyProject(await world.verifier(), TEAM)
    expect(failedOf(await next())).toEqual(["work_committed"])
    world.repository.write({ dirt: null })
    expect(await next()).toMatchObject({ scope: "final", status: "passed", commit: world.head })
  })
})
