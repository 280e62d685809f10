import { describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { findBroken, judgeRun } from "./outcome.ts"
import { type ReplayOptions, replayHistory, tableRow } from "./replay-history.ts"

const PROGRAM = [process.execPath, join(import.meta.dir, "../../src/bin/main.ts")]
const OPTIONS: ReplayOptions = {
  ...{ commits: 3, workers: "2", withDependencies: false, timeoutMs: 100_000, program: PROGRAM },
}

interface Step {
  readonly subject: string
  readonly files: Record<string, string>
}

const START: Step = { subject: "Start", files: { "README.md": "A shop\n", "src/a.sh": "one\n" } }

/** A repository whose history is the given steps, one commit each. */
function makeHistory(folder: string, steps: readonly Step[]): string {
  const repository = join(folder, "little")
  mkdirSync(repository)
  const git = (...args: string[]) => {
    const ended = Bun.spawnSync(["git", ...args], { cwd: repository, env: sandboxEnv() })
    if (!ended.success) throw new Error(ended.stderr.toString())
    return ended.stdout.toString().trim()
  }
  git("init", "--quiet", "--initial-branch=main")
  git("config", "user.name", "Author")
  git("config", "user.email", "author@example.invalid")
  for (const { subject, files } of steps) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(repository, name, ".."), { recursive: true })
      writeFileSync(join(repository, name), text)
    }
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "--message", subject)
  }
  return repository
}

describe("replay of real history", () => {
  test("delivers the tree of the real commit, with a need where two commits touch one file", async () => {
    using scratch = makeScratch("replay")
    const source = makeHistory(scratch.path, [
      START,
      { subject: "Say two", files: { "src/a.sh": "one\ntwo\n" } },
      { subject: "Nothing", files: {} },
      { subject: "Add b", files: { "src/b.sh": "b\n" } },
      { subject: "Say three", files: { "src/a.sh": "one\ntwo\nthree\n" } },
    ])
    const replay = await replayHistory(source, OPTIONS)
    expect(replay.commits.map(({ subject, needs }) => [subject, needs])).toEqual([
      ["Say two", []],
      ["Add b", []],
      ["Say three", ["c1"]],
    ])
    expect({ outcome: replay.outcome, output: replay.output }).toMatchObject({ outcome: { text: "delivered" } })
    expect(replay).toMatchObject({ language: "Shell", dependencies: "no", agentRuns: 3, folder: null })
    expect(tableRow(replay)).toStartWith("| little | Shell | 3 | no | delivered | 1.00 |")
  }, 120_000)

  test("starts at a given commit, and takes those behind it", async () => {
    using scratch = makeScratch("replay")
    const steps = ["one", "two", "three"].map((name) => ({ subject: name, files: { [`${name}.txt`]: name } }))
    const source = makeHistory(scratch.path, [START, ...steps])
    const replay = await replayHistory(source, { ...OPTIONS, commits: 1, at: "HEAD~2", isChained: true })
    expect(replay.commits.map(({ subject }) => subject)).toEqual(["two"])
    expect(replay.outcome.text).toBe("delivered")
  }, 120_000)

  test("says when the history is too short, before anything runs", async () => {
    using scratch = makeScratch("replay")
    const source = makeHistory(scratch.path, [START])
    expect(replayHistory(source, OPTIONS)).rejects.toThrow("0 commits with a change, and 3 were asked for")
  })
})

describe("the judgement of a replay", () => {
  const facts = {
    ...{ exitCode: 1, isTimedOut: false, agentRuns: 4, tasks: 4, isTreeEqual: false, isClean: true },
    ...{ errors: [] as string[], lastLine: "not done" },
  }
  const broken = { task: "c2", command: "make test", test: "adds", isRedOnCommit: true, isRedOnParent: false }

  test("has three good ends", () => {
    expect(judgeRun({ ...facts, exitCode: 0, isTreeEqual: true })).toEqual({ isGood: true, text: "delivered" })
    expect(judgeRun({ ...facts, agentRuns: 0, errors: ["go is not installed"] })).toEqual({
      isGood: true,
      text: "preflight: go is not installed",
    })
    expect(judgeRun({ ...facts, broken })).toEqual({ isGood: true, text: "names test: adds" })
  })

  test("fails everything else", () => {
    for (const wrong of [
      { isTimedOut: true },
      { isTreeEqual: true, exitCode: 0, agentRuns: 7 },
      { isTreeEqual: true, exitCode: 0, isClean: false },
      { exitCode: 0 },
      { agentRuns: 0 },
      { agentRuns: 0, errors: ["one", "two"] },
      {},
      { broken: { ...broken, isRedOnCommit: false } },
      { broken: { ...broken, isRedOnParent: true } },
      { broken: { ...broken, test: undefined } },
    ]) {
      const outcome = judgeRun({ ...facts, ...wrong })
      expect({ wrong, isGood: outcome.isGood, text: outcome.text.slice(0, 5) }).toEqual({
        wrong,
        isGood: false,
        text: "FAIL:",
      })
    }
  })

  test("reads the newest failure of a task, or of all the work", () => {
    const failed = { name: "tests_pass", status: "failed", command: "make test", first_failure: { test: "adds" } }
    const task = { scope: "task", subject: "c1", status: "failed", checks: [failed] }
    expect(findBroken([task], "c4")).toEqual({ task: "c1", command: "make test", test: "adds" })
    expect(findBroken([task, { ...task, scope: "final", subject: null }], "c4")?.task).toBe("c4")
    expect(
      findBroken(
        [
          { ...task, status: "passed" },
          { ...task, checks: [] },
        ],
        "c4",
      ),
    ).toBeUndefined()
  })
})
