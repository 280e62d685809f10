// The merge queue on real repositories: what gets onto the integration branch, what does not, and who is told why.
import { describe, expect, it } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Candidate, Gate, GateResult, Scope } from "../../src/delivery/merge-queue/candidate.ts"
import { type BatchReport, mergeBatch, type QueuePorts } from "../../src/delivery/merge-queue/merge-batch.ts"
import type { Repair } from "../../src/delivery/merge-queue/repair-line.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { type Files, type MergeRepository, makeMergeRepository } from "../support/merge-repository.ts"

const BRANCH = "refs/heads/teamwork/house/main/integration"

describe("a batch", () => {
  it("becomes one merge commit per task, tested once, without touching a checkout", async () => {
    using scene = await prepare({ "a.txt": "a\n", "b.txt": "b\n" })
    const candidates = [await scene.work("1", { "a.txt": "A\n" }), await scene.work("2", { "b.txt": "B\n" })]
    const gate = countingGate(() => true)
    const report = await scene.merge(candidates, { gate })
    expect(kinds(report)).toEqual(["merged", "merged"])
    expect(gate.commits).toEqual([report.after])
    expect(await scene.git.read(["rev-parse", BRANCH])).toBe(report.after)
    expect(await scene.read(report.after, "a.txt")).toBe("A\n")
    expect(await scene.read(report.after, "b.txt")).toBe("B\n")
    const subjects = await scene.git.read(["log", "--first-parent", "--format=%s|%an", `${scene.base}..${BRANCH}`])
    expect(subjects).toBe("Merge task 2: Task 2|Test\nMerge task 1: Task 1|Test")
    expect([...(await scene.merges.mergedAttempts(scene.base, report.after)).keys()]).toEqual(["2/1", "1/1"])
    expect(await scene.git.read(["status", "--porcelain"])).toBe("")
  })

  it("is committed under our own name where git knows no other", async () => {
    using scene = await prepare({ a: "a\n" })
    const one = await scene.work("1", { b: "b\n" })
    for (const key of ["user.name", "user.email"]) await scene.git.read(["config", key, ""])
    const report = await scene.merge([one])
    expect(await scene.git.read(["log", "-1", "--format=%an <%ae> %cn", report.after])).toBe(
      "teamwork <teamwork@localhost> teamwork",
    )
  })

  it("leaves a conflict out with both sides as data, and goes on with the rest", async () => {
    using scene = await prepare({ "a.txt": "one\ntwo\nthree\n" })
    const candidates = [
      await scene.work("1", { "a.txt": "one\nTWO\nthree\n" }),
      await scene.work("2", { "a.txt": "one\n2\nthree\n" }),
      await scene.work("3", { "c.txt": "c\n" }),
    ]
    const report = await scene.merge(candidates)
    expect(kinds(report)).toEqual(["merged", "conflict", "merged"])
    expect(report.outcomes[1]?.outcome).toMatchObject({
      with: ["1"],
      conflicts: [{ path: "a.txt", kind: "content", hunks: [{ line: 2, ours: "TWO", theirs: "2" }] }],
    })
    expect(await scene.read(report.after, "a.txt")).toBe("one\nTWO\nthree\n")
  })

  it("tells one kind of conflict from another", async () => {
    using scene = await prepare({ "a.txt": "a\n", "d.txt": "d\n" })
    const candidates = [
      await scene.work("1", { "a.txt": null, "new.txt": "1\n", "d.txt": { mode: "100644", content: "x\0y" } }),
      await scene.work("2", { "a.txt": "changed\n" }),
      await scene.work("3", { "new.txt": "2\n" }),
      await scene.work("4", { "d.txt": { mode: "100644", content: "z\0y" } }),
    ]
    const report = await scene.merge(candidates)
    const conflicts = report.outcomes.flatMap(({ outcome }) => (outcome.kind === "conflict" ? outcome.conflicts : []))
    expect(conflicts.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      "a.txt modify/delete",
      "new.txt add/add",
      "d.txt binary",
    ])
  })

  it("finds the guilty one of eight in a few looks, and merges the other seven", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const candidates: Candidate[] = []
    for (let n = 1; n <= 8; n++) candidates.push(await scene.work(`${n}`, { [`f${n}`]: n === 6 ? "bad\n" : "good\n" }))
    const gate = countingGate(async (commit) => (await scene.read(commit, "f6")) !== "bad\n")
    const report = await scene.merge(candidates, { gate })
    expect(kinds(report)).toEqual(["merged", "merged", "merged", "merged", "merged", "guilty", "merged", "merged"])
    expect(report.outcomes[5]?.outcome).toMatchObject({ with: [], gate: { status: "failed", output: "it broke" } })
    expect(report.gate?.status).toBe("passed")
    expect(await scene.read(report.after, "f6")).toBeUndefined()
    expect(new Set(gate.commits).size).toBeLessThanOrEqual(8)
    expect(new Set(gate.commits).size).toBe(gate.commits.length)
  })

  it("finds two guilty ones", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const candidates: Candidate[] = []
    for (let n = 1; n <= 5; n++) candidates.push(await scene.work(`${n}`, { [`f${n}`]: "x\n" }))
    const isGood = async (commit: string) =>
      (await scene.read(commit, "f2")) === undefined && (await scene.read(commit, "f5")) === undefined
    const report = await scene.merge(candidates, { gate: countingGate(isGood) })
    expect(kinds(report)).toEqual(["merged", "guilty", "merged", "merged", "guilty"])
  })

  it("merges what conflicted only with a guilty one, and not what would have come along with it", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const brought = await scene.work("3", { c: "c\n" })
    const bad = { ...(await scene.work("1", {})), mayContain: [brought.head] }
    const head = await scene.commit([scene.base, brought.head], { "a.txt": "bad\n", c: "c\n" })
    const conflicting = await scene.work("2", { "a.txt": "good\n" })
    const gate = countingGate(async (commit) => (await scene.read(commit, "a.txt")) !== "bad\n")
    const report = await scene.merge([{ ...bad, head }, conflicting, brought], { gate })
    expect(kinds(report)).toEqual(["guilty", "merged", "merged"])
    expect(await scene.read(report.after, "a.txt")).toBe("good\n")
    expect(await scene.merges.contains(report.after, brought.head)).toBe(true)
  })

  it("names the partner of one that fails only in combination", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const candidates: Candidate[] = []
    for (let n = 1; n <= 5; n++) candidates.push(await scene.work(`${n}`, { [`f${n}`]: "x\n" }))
    const isGood = async (commit: string) =>
      (await scene.read(commit, "f2")) === undefined || (await scene.read(commit, "f4")) === undefined
    const report = await scene.merge(candidates, { gate: countingGate(isGood) })
    expect(kinds(report)).toEqual(["merged", "merged", "merged", "guilty", "merged"])
    expect(report.outcomes[3]?.outcome).toMatchObject({ with: ["2"] })
  })

  it("tells what the gate found to fail by chance", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const candidates = [await scene.work("1", { b: "b\n" }), await scene.work("2", { c: "c\n" })]
    const gate = async (commit: string) => ({ ...PASSED, flaky: [`tests failed and then passed on ${commit}`] })
    const report = await scene.merge(candidates, { gate })
    expect(kinds(report)).toEqual(["merged", "merged"])
    expect(report.flaky).toEqual([`tests failed and then passed on ${report.after}`])
  })

  it("blames nobody when the branch fails as it is, and moves nothing", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const report = await scene.merge([await scene.work("1", { b: "b\n" })], { gate: countingGate(() => false) })
    expect(kinds(report)).toEqual(["untested"])
    expect(await scene.git.read(["rev-parse", BRANCH])).toBe(scene.base)
  })

  it("starts again when somebody else was faster, and never moves the branch past a red gate", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const candidates = [await scene.work("1", { b: "b\n" })]
    const rival = await scene.commit([scene.base], { rival: "r\n" })
    let moved = false
    const gate: Gate = async () => {
      if (!moved) await scene.set(BRANCH, rival)
      moved = true
      return PASSED
    }
    const report = await scene.merge(candidates, { gate })
    expect(report.before).toBe(rival)
    expect(await scene.read(report.after, "rival")).toBe("r\n")
    expect(await scene.read(report.after, "b")).toBe("b\n")
  })

  it("gives up after ten lost races without a change", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const candidates = [await scene.work("1", { b: "b\n" })]
    let n = 0
    const gate: Gate = async (commit) => {
      const tip = await scene.git.read(["rev-parse", BRANCH])
      await scene.set(BRANCH, await scene.commit([tip], { [`rival${++n}`]: commit }))
      return PASSED
    }
    await expect(scene.merge(candidates, { gate })).rejects.toMatchObject({ code: "merge.race" })
    expect(await scene.read(BRANCH, "b")).toBeUndefined()
  })

  it("gives the same result the second time: what is merged stays merged, once", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const candidates = [await scene.work("1", { b: "b\n" }), await scene.work("2", { "a.txt": "2\n" })]
    const first = await scene.merge(candidates)
    const gate = countingGate(() => true)
    const second = await scene.merge(candidates, { gate })
    expect(kinds(second)).toEqual(["contained", "contained"])
    expect(second.after).toBe(first.after)
    expect(gate.commits).toEqual([])
  })
})

describe("a worker cannot get onto the branch unnoticed", () => {
  it("what it wrote outside of its files", async () => {
    using scene = await prepare({ "a.txt": "a\n", "b.txt": "b\n" })
    const scope: Scope = async (_, changes) =>
      changes.filter((change) => change.path !== "a.txt").map((change) => `${change.path} is not of this task`)
    const report = await scene.merge([await scene.work("1", { "a.txt": "A\n", "b.txt": "B\n" })], { scope })
    expectRefused(scene, report, [{ code: "scope", message: "b.txt is not of this task" }])
  })

  it("what a merge of its own brought in besides both sides", async () => {
    using scene = await prepare({ "a.txt": "a\n", "secret.txt": "s\n" })
    const one = await scene.work("1", { "a.txt": "A\n" })
    // An evil merge: it says that it only took the branch in, and changes another file.
    const head = await scene.commit([one.head, scene.base], { "secret.txt": "stolen\n" })
    const scope: Scope = async (_, changes) =>
      changes.filter((change) => change.path !== "a.txt").map((change) => change.path)
    expectRefused(scene, await scene.merge([{ ...one, head }], { scope }), [{ code: "scope", message: "secret.txt" }])
  })

  it("that it deleted tests", async () => {
    using scene = await prepare({ "test/a.test.ts": "x\n", "src/b.spec.ts": "y\n", c: "c\n" })
    const report = await scene.merge([await scene.work("1", { "test/a.test.ts": null, "src/b.spec.ts": null })])
    expect(report.outcomes[0]?.outcome).toMatchObject({
      kind: "merged",
      notices: [
        { code: "deleted_tests", message: "src/b.spec.ts is a test and was deleted" },
        { code: "deleted_tests", message: "test/a.test.ts is a test and was deleted" },
      ],
    })
  })

  it("that it committed nothing", async () => {
    using scene = await prepare({ a: "a\n" })
    const one = await scene.work("1", { b: "b\n" })
    const report = await scene.merge([{ ...one, head: one.base }])
    expect(kinds(report)).toEqual(["empty"])
    expect(report.after).toBe(scene.base)
  })

  it("commits of others, by a merge", async () => {
    using scene = await prepare({ a: "a\n" })
    const other = await scene.work("2", { b: "b\n" })
    const one = await scene.work("1", { c: "c\n" })
    const head = await scene.commit([one.head, other.head], { b: "b\n" })
    const report = await scene.merge([{ ...one, head }])
    expectRefused(scene, report, [
      { code: "foreign_commits", message: expect.stringContaining(other.head.slice(0, 10)) },
    ])
    expect(kinds(await scene.merge([other, { ...one, head }]))).toEqual(["merged", "refused"])
    expect(kinds(await scene.merge([{ ...one, head }]))).toEqual(["merged"])
  })

  it("commits of others, by going on from their head", async () => {
    using scene = await prepare({ a: "a\n" })
    const other = await scene.work("2", { b: "b\n" })
    const head = await scene.commit([other.head], { c: "c\n" })
    const one = { ...(await scene.work("1", {})), head }
    expectRefused(scene, await scene.merge([one], { others: [other.head] }), [{ code: "foreign_commits" }])
  })

  it("but a fix may bring the work along that it mends", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const other = await scene.work("2", { "a.txt": "2\n" })
    const head = await scene.commit([scene.base, other.head], { "a.txt": "both\n" })
    const fix = { ...(await scene.work("fix-2-1", {})), head, mayContain: [other.head] }
    const report = await scene.merge([fix], { others: [other.head] })
    expect(kinds(report)).toEqual(["merged"])
    expect(kinds(await scene.merge([other]))).toEqual(["contained"])
  })

  it("work that is built on what was left out", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const first = await scene.work("1", { "a.txt": "bad\n" })
    const second = {
      ...(await scene.work("2", {})),
      base: first.head,
      head: await scene.commit([first.head], { b: "b\n" }),
    }
    const gate = countingGate(async (commit) => (await scene.read(commit, "a.txt")) !== "bad\n")
    const report = await scene.merge([first, second], { gate })
    expect(kinds(report)).toEqual(["guilty", "waiting"])
    expect(report.after).toBe(scene.base)
  })

  it("a rewritten history", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const base = await scene.commit([scene.base], { b: "b\n" })
    await scene.set(BRANCH, base)
    const one = { ...(await scene.work("1", {})), base, head: await scene.commit([scene.base], { c: "c\n" }) }
    const report = await scene.merge([one])
    expect(report.outcomes[0]?.outcome).toMatchObject({ kind: "refused", notices: [{ code: "history_rewritten" }] })
    const orphan = { ...one, base: scene.base, head: await scene.commit([], { c: "c\n" }) }
    expect((await scene.merge([orphan])).outcomes[0]?.outcome).toMatchObject({
      notices: [{ code: "history_rewritten" }],
    })
  })

  it("changed modes", async () => {
    using scene = await prepare({ "run.sh": "x\n" })
    const one = await scene.work("1", { "run.sh": { mode: "100755", content: "x\n" } })
    expect((await scene.merge([one])).outcomes[0]?.outcome).toMatchObject({
      kind: "merged",
      notices: [{ code: "mode", message: "run.sh was a file and is now executable" }],
    })
  })

  it("a link out of the tree", async () => {
    using scene = await prepare({ a: "a\n" })
    const one = await scene.work("1", { "d/link": { mode: "120000", content: "../../etc/passwd" } })
    expectRefused(scene, await scene.merge([one]), [{ code: "link_outside" }])
  })

  it("files of git itself", async () => {
    using scene = await prepare({ a: "a\n" })
    const { git } = scene
    const blob = await git.read(["hash-object", "-w", "--stdin"], { input: "[core]\n\tfsmonitor = evil\n" })
    const inner = await git.read(["mktree"], { input: `100644 blob ${blob}\tconfig\n` })
    const a = await git.read(["rev-parse", `${scene.base}:a`])
    const tree = await git.read(["mktree"], { input: `100644 blob ${a}\ta\n040000 tree ${inner}\t.GIT\n` })
    const head = await git.read(["commit-tree", tree, "-p", scene.base, "-m", "x"])
    expectRefused(scene, await scene.merge([{ ...(await scene.work("1", {})), head }]), [{ code: "git_folder" }])
  })

  it("a submodule", async () => {
    using scene = await prepare({ a: "a\n" })
    const one = await scene.work("1", { sub: { mode: "160000", content: scene.base }, ".gitmodules": "[submodule]\n" })
    expectRefused(scene, await scene.merge([one]), [{ code: "submodule" }])
  })

  it("paths that are one where letters have no case, also between two branches", async () => {
    using scene = await prepare({ "src/Button.ts": "a\n" })
    const one = await scene.work("1", { "src/button.ts": "b\n" })
    expectRefused(scene, await scene.merge([one]), [{ code: "case_collision" }])
    const [two, three] = [await scene.work("2", { "Docs/a": "a\n" }), await scene.work("3", { "docs/b": "b\n" })]
    expect(kinds(await scene.merge([two, three]))).toEqual(["merged", "refused"])
    const renamed = await scene.work("4", { "src/Button.ts": null, "src/button.ts": "a\n" })
    expect(kinds(await scene.merge([renamed]))).toEqual(["merged"])
  })

  it("files it left untracked or ignored", async () => {
    using scene = await prepare({ a: "a\n", ".gitignore": "*.log\n" })
    const folder = join(scene.folder, "../w1")
    await scene.git.read(["worktree", "add", "--quiet", "-b", "teamwork/house/main/w1", folder])
    for (const name of ["done.txt", "left.txt", "left.log"]) writeFileSync(join(folder, name), "x\n")
    await scene.git.in(folder).read(["add", "done.txt"])
    await scene.git.in(folder).read(["commit", "--quiet", "-m", "done"])
    const head = await scene.git.read(["rev-parse", "teamwork/house/main/w1"])
    const report = await scene.merge([{ ...(await scene.work("1", {})), head }])
    expect(await scene.merges.paths(report.after)).toEqual([".gitignore", "a", "done.txt"])
  })

  it("a huge file", async () => {
    using scene = await prepare({ a: "a\n" })
    const one = await scene.work("1", { "video.bin": "x".repeat(5_000_001) })
    expect((await scene.merge([one])).outcomes[0]?.outcome).toMatchObject({ notices: [{ code: "large_file" }] })
  })
})

describe("names that a shell would take for commands", () => {
  const NASTY = ["; rm -rf .", "$(touch pwned)", "`touch pwned`", "-rf", "a\nb", "--exec=touch pwned", "'\"", "a\tb"]

  it("are only names, as paths and titles", async () => {
    using scene = await prepare({ a: "a\n" })
    const candidates: Candidate[] = []
    for (const [index, name] of NASTY.entries()) {
      candidates.push({ ...(await scene.work(`${index + 1}`, { [name]: `${index}\n` })), title: name })
    }
    const clash = await scene.work("9", { [NASTY[4] ?? ""]: "other\n" })
    const report = await scene.merge([...candidates, clash])
    expect(kinds(report)).toEqual([...NASTY.map(() => "merged"), "conflict"])
    expect(report.outcomes.at(-1)?.outcome).toMatchObject({ conflicts: [{ path: "a\nb", kind: "add/add" }] })
    for (const [index, name] of NASTY.entries()) expect(await scene.read(report.after, name)).toBe(`${index}\n`)
    expect(await scene.merges.mergedAttempts(scene.base, report.after)).toHaveProperty("size", NASTY.length)
    expect(await Bun.file(`${scene.folder}/pwned`).exists()).toBe(false)
  })

  it("cannot forge the lines that name the task", async () => {
    using scene = await prepare({ a: "a\n" })
    const one = { ...(await scene.work("1", { b: "b\n" })), title: "x\n\nTeamwork-Task: 99\nTeamwork-Attempt: 7" }
    const report = await scene.merge([one])
    expect([...(await scene.merges.mergedAttempts(scene.base, report.after)).keys()]).toEqual(["1/1"])
  })
})

const PASSED: GateResult = { status: "passed", checks: [{ name: "tests", status: "passed" }], issues: [], output: "" }
const FAILED: GateResult = {
  status: "failed",
  checks: [{ name: "tests", status: "failed" }],
  issues: ["tests failed"],
  output: "it broke",
}

function countingGate(isGood: (commit: string) => boolean | Promise<boolean>) {
  const commits: string[] = []
  const gate = async (commit: string) => {
    commits.push(commit)
    return (await isGood(commit)) ? PASSED : FAILED
  }
  return Object.assign(gate, { commits })
}

interface Scene extends MergeRepository {
  readonly base: string
  work(id: string, files: Files): Promise<Candidate>
  merge(
    candidates: readonly Candidate[],
    ports?: Partial<QueuePorts> & { others?: readonly string[]; repairs?: readonly Repair[] },
  ): Promise<BatchReport>
}

async function prepare(files: Files): Promise<Scene> {
  const repository = await makeMergeRepository()
  const base = await repository.commit([], files)
  await repository.set("refs/heads/main", base)
  await repository.git.read(["checkout", "--quiet", "main"])
  await repository.set(BRANCH, base)
  return {
    ...repository,
    base,
    async work(id, changed) {
      const head = await repository.commit([base], changed)
      const more = { title: `Task ${id}`, worker: "w1", alsoFor: [], mayContain: [], mustContain: [] }
      return { taskId: parseTaskId(id), attempt: 1, base, head, ...more }
    },
    merge: (candidates, { others = [], repairs = [], ...ports } = {}) =>
      mergeBatch(
        { merges: repository.merges, gate: async () => PASSED, scope: async () => [], ...ports },
        { branch: BRANCH, candidates, others, repairs },
      ),
  }
}

function kinds(report: BatchReport): string[] {
  return report.outcomes.map(({ outcome }) => outcome.kind)
}

function expectRefused(scene: Scene, report: BatchReport, notices: readonly object[]): void {
  expect(report.outcomes).toHaveLength(1)
  expect(report.outcomes[0]?.outcome).toMatchObject({ kind: "refused", notices })
  expect(report.after).toBe(scene.base)
}

describe("F019, F024: work that collides", () => {
  const same = (scene: Scene, ids: readonly string[]) =>
    Promise.all(ids.map((id) => scene.work(id, { "a.txt": `one\n${id}\nthree\n` })))

  it("is repaired one at a time: only the first that does not fit fails, the others wait behind its repair", async () => {
    using scene = await prepare({ "a.txt": "one\ntwo\nthree\n" })
    const report = await scene.merge([
      ...(await same(scene, ["1", "2", "3", "4"])),
      await scene.work("5", { "b.txt": "b\n" }),
    ])
    expect(kinds(report)).toEqual(["merged", "conflict", "queued", "queued", "merged"])
    expect(report.outcomes[3]?.outcome).toEqual({ kind: "queued", behind: parseTaskId("fix-2-1") })
  })

  it("waits behind a repair that is to come where both would not fit, and only there", async () => {
    using scene = await prepare({ "a.txt": "one\ntwo\nthree\n4\n5\n6\n7\n8\n" })
    const mended = await scene.work("1", { "a.txt": "one\nTWO\nthree\n4\n5\n6\n7\n8\n" })
    const repair = repairOf(mended)
    const [close, far] = [
      await scene.work("2", { "a.txt": "one\n2\nthree\n4\n5\n6\n7\n8\n" }),
      await scene.work("3", { "a.txt": "one\ntwo\nthree\n4\n5\n6\n7\neight\n" }),
    ]
    expect(kinds(await scene.merge([close, far], { repairs: [repair] }))).toEqual(["queued", "merged"])
    const waiting = { ...repair, needs: new Set(["2"]) }
    expect(kinds(await scene.merge([close], { repairs: [waiting] }))).toEqual(["merged"])
  })

  it("is looked at after the repair that it waits for, whatever was finished first", async () => {
    using scene = await prepare({ "a.txt": "one\ntwo\nthree\n" })
    const [one, two, three] = await same(scene, ["1", "2", "3"])
    if (one === undefined || two === undefined || three === undefined) throw new Error("there are three")
    const { after } = await scene.merge([one])
    const head = await scene.commit([after, two.head], { "a.txt": "one\n1 2\nthree\n" })
    const fix = { ...two, taskId: parseTaskId("fix-2-1"), base: after, head, mayContain: [two.head] }
    const report = await scene.merge([three, fix], { others: [one.head, two.head, three.head] })
    expect(kinds(report)).toEqual(["conflict", "merged"])
    expect(report.outcomes[0]?.outcome).toMatchObject({ conflicts: [{ hunks: [{ ours: "1 2", theirs: "3" }] }] })
  })

  it("that fails the gate in the same files is repaired one at a time as well", async () => {
    using scene = await prepare({ "a.txt": "a\n" })
    const candidates = [
      await scene.work("1", { "a.txt": "bad\n" }),
      await scene.work("2", { "a.txt": "bad as well\n" }),
    ]
    const gate = async (commit: string) =>
      (await scene.read(commit, "a.txt"))?.startsWith("bad") === true ? FAILED : PASSED
    expect(kinds(await scene.merge(candidates, { gate }))).toEqual(["guilty", "queued"])
  })
})

function repairOf({ taskId, base, head }: Candidate): Repair {
  return { fix: parseTaskId(`fix-${taskId}-1`), base, head, needs: new Set() }
}
