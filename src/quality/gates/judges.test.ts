// The pure judges: what added lines, changes, tasks and evidence are held to.
import { describe, expect, it } from "bun:test"
import type { TaskId } from "../../kernel/ids.ts"
import type { Evidence } from "../../tasks/evidence.ts"
import type { TaskStatus } from "../../tasks/task.ts"
import type { FileDiff } from "./diff-lines.ts"
import { findConflicts } from "./find-conflicts.ts"
import { statusOf } from "./findings.ts"
import { judgeEvidence } from "./judge-evidence.ts"
import { scanChanges } from "./scan-changes.ts"
import { findSuspicious } from "./suspicious-changes.ts"
import { judgeTask, type TaskFacts, type TaskRange } from "./task-gate.ts"
import {
  checkAdded,
  checkConflicts,
  checkEvidence,
  checkMerged,
  checkNeeds,
  checkResolved,
  checkWaves,
} from "./team-gates.ts"

const SETTINGS = {
  blockedPatterns: ["TODO", "should work"],
  warnPatterns: ["hack"],
  ignoredFiles: ["**/*.md", "**/vendor/**", "**/*.lock"],
}

function diff(path: string, lines: readonly string[] = [], more: Partial<FileDiff> = {}): FileDiff {
  const added = lines.map((text, index) => ({ number: index + 1, text }))
  const base = { path, status: "modified", oldMode: "100644", newMode: "100644", isBinary: false } as const
  return { ...base, hunks: lines.length === 0 ? [] : [{ heading: "", added }], ...more }
}

describe("added lines", () => {
  it("are quoted with file and line, errors and warnings apart", () => {
    const thrown = '  throw new Error("it should work")  '
    const files = [diff("src/a.ts", ["fine", thrown, "// a hack"]), diff("b.py", ["# hack, TODO"])]
    expect(scanChanges(files, SETTINGS)).toEqual({
      errors: ['src/a.ts:2 says "should work": throw new Error("it should work")'],
      warnings: ['src/a.ts:3 says "hack": // a hack', 'b.py:1 says "TODO": # hack, TODO'],
    })
  })

  it("F010: are a warning where a comment or a string has the word", () => {
    const settings = { ...SETTINGS, blockedPatterns: ["placeholder", "not implemented"] }
    const files = [
      diff("chi.go", ["// a placeholder in the route", 'const x = "placeholder"']),
      diff("a.txt", ["placeholder"]),
    ]
    const { errors, warnings } = scanChanges(files, settings)
    expect([errors, warnings.length]).toEqual([[], 2])
    expect(scanChanges([diff("package.json", ['  "version": "1.2.4",'])], settings)).toEqual({
      errors: [],
      warnings: [],
    })
  })

  it("F010: are nothing where a line was only moved or indented", () => {
    const moved = (removed: string, added: string) => [
      diff("a.ts", [], { hunks: [{ heading: "", added: [], removed: [removed] }] }),
      diff("b.ts", [added]),
    ]
    expect(scanChanges(moved("// TODO: tax", "    // TODO:  tax"), SETTINGS).warnings).toEqual([])
    expect(scanChanges(moved("todo!()", "  todo!()"), SETTINGS)).toEqual({ errors: [], warnings: [] })
    expect(scanChanges(moved("// TODO: tax", "// TODO: prices"), SETTINGS).warnings).toHaveLength(1)
    const twice = [...moved("// TODO: tax", "// TODO: tax"), diff("c.ts", ["// TODO: tax"])]
    expect(scanChanges(twice, SETTINGS).warnings).toHaveLength(1)
  })

  it("do not count in documentation, vendored and lock files and in links", () => {
    const files = ["README.md", "docs/a.md", "vendor/x/a.js", "lib/vendor/b.js", "yarn.lock"].map((path) =>
      diff(path, ["// TODO"]),
    )
    const link = diff("link", ["TODO"], { newMode: "120000" })
    expect(scanChanges([...files, link], SETTINGS)).toEqual({ errors: [], warnings: [] })
    expect(scanChanges(files, { ...SETTINGS, ignoredFiles: [] }).warnings).toHaveLength(5)
  })

  it("are cut in the quote", () => {
    const [warning = ""] = scanChanges([diff("a", [`// TODO ${"x".repeat(500)}`])], SETTINGS).warnings
    expect(warning.length).toBeLessThan(160)
  })
})

describe("suspicious changes", () => {
  const link = (path: string, target: string) =>
    diff(path, [target], { status: "added", oldMode: null, newMode: "120000" })

  it("are links out of the tree", () => {
    const outside = [link("a", "/etc/passwd"), link("d/b", "../../x"), link("c", "..")]
    const inside = [link("a", "b"), link("d/b", "../x"), link("d/e/c", "../../x/../y")]
    expect(findSuspicious([...outside, ...inside]).errors).toEqual([
      "a is a link out of the tree, to /etc/passwd",
      "d/b is a link out of the tree, to ../../x",
      "c is a link out of the tree, to ..",
    ])
  })

  it.each([
    [diff("test/a.ts", [], { status: "deleted", newMode: null }), "test/a.ts is a test, and was deleted"],
    [diff("src/a.test.ts", [], { status: "deleted", newMode: null }), "src/a.test.ts is a test, and was deleted"],
    [diff("pkg/a_test.go", [], { status: "deleted", newMode: null }), "pkg/a_test.go is a test, and was deleted"],
    [diff("run.sh", [], { newMode: "100755" }), "run.sh changed its mode from 100644 to 100755"],
    [diff("a.ts", [], { isBinary: true }), "a.ts is binary: its lines were not looked at"],
    [diff("sub", [], { status: "added", oldMode: null, newMode: "160000" }), "sub is another git repository"],
  ])("are told: %j", (file, warning) => {
    expect(findSuspicious([file])).toEqual({ errors: [], warnings: [warning] })
  })

  it("are not these", () => {
    const files = [
      diff("src/a.ts", ["x"]),
      diff("a.png", [], { isBinary: true }),
      diff("src/contest.ts", [], { status: "deleted", newMode: null }),
    ]
    expect(findSuspicious(files)).toEqual({ errors: [], warnings: [] })
  })
})

describe("conflicts between tasks", () => {
  const changed = (taskId: string, path: string, ...headings: string[]) => ({
    taskId,
    files: [{ ...diff(path), hunks: headings.map((heading) => ({ heading, added: [] })) }],
  })

  it("are critical in the same part, and a warning in the same file", () => {
    const tasks = [
      changed("1", "a.ts", "function one()", "function two()"),
      changed("2", "a.ts", "function two()"),
      changed("3", "b.ts", ""),
      changed("4", "b.ts", "", "function x()"),
      changed("5", "c.ts", "function one()"),
    ]
    expect(findConflicts(tasks)).toEqual({
      critical: ["a.ts: tasks 1 and 2 changed the same part: function two()"],
      warnings: ["b.ts: tasks 3 and 4 changed the same file"],
    })
  })

  it("are none within one task", () => {
    expect(findConflicts([changed("1", "a", "f", "f")])).toEqual({ critical: [], warnings: [] })
    const later = { ...changed("2", "a", "f"), knows: new Set(["1"]) }
    // Whoever started from what the other had done saw it.
    expect(findConflicts([changed("1", "a", "f"), later])).toEqual({ critical: [], warnings: [] })
    expect(findConflicts([changed("1", "a", "f"), later, changed("3", "a", "f")]).critical).toHaveLength(1)
  })

  it("fail the check only when critical", () => {
    const [same, other] = [changed("1", "a", "f"), changed("2", "a", "g")]
    expect(checkConflicts([same, other], ["9"])).toEqual({
      checks: [{ name: "no_file_conflicts", status: "passed", evidence: "2 tasks compared" }],
      issues: ["warning: a: tasks 1 and 2 changed the same file", "warning: what task 9 changed is not known"],
    })
    expect(checkConflicts([same, changed("2", "a", "f")], [])).toMatchObject({
      checks: [{ status: "failed" }],
      issues: ["error: critical: a: tasks 1 and 2 changed the same part: f"],
    })
    expect(checkConflicts([], ["1"]).checks).toMatchObject([{ status: "skipped" }])
  })
})

let number = 0
function evidence(text: string, more: Partial<Evidence> = {}): Evidence {
  return {
    ...{ number: ++number, taskId: "1" as TaskId, attempt: 1, by: "w1", timestamp: "", withdrawnAt: null },
    ...{ type: "note", trust: "reported", text, facts: {}, blockedPattern: null },
    ...more,
  }
}
const attested = (exitCode: number) =>
  evidence("", { type: "command", trust: "attested", facts: { command: "x", exitCode } })

describe("evidence", () => {
  const judge = (entries: readonly Evidence[], needsAttested: boolean, atLeast = 1) =>
    judgeEvidence({ taskId: "1", evidence: entries, atLeast, needsAttested }, SETTINGS)

  it("must be there, and attested where something was run", () => {
    expect(judge([], false).errors).toEqual([expect.stringContaining("task 1 has no evidence")])
    expect(judge([evidence("done")], false)).toEqual({ errors: [], warnings: [] })
    expect(judge([evidence("done")], false, 2).errors).toEqual([expect.stringContaining("only 1 of 2 entries")])
    expect(judge([evidence("done"), evidence("x", { type: "command", facts: { exitCode: 0 } })], true).errors).toEqual([
      expect.stringContaining("nothing that teamwork saw succeed"),
    ])
    expect(judge([attested(1)], true).errors).toHaveLength(1)
    expect(judge([attested(1), attested(0)], true)).toEqual({ errors: [], warnings: [] })
    const red = { taskId: "1", evidence: [attested(1)], atLeast: 1, needsAttested: true }
    const accepted = new Set([attested(1).facts.command ?? ""])
    expect(judgeEvidence({ ...red, accepted }, SETTINGS)).toEqual({ errors: [], warnings: [] })
  })

  it("must not say what is no proof", () => {
    const [bad, odd] = [evidence("It Should  work\nnow"), evidence("a hack")]
    expect(judge([bad, odd], false)).toEqual({
      errors: [`evidence ${bad.number} of task 1 says "should work": It Should  work`],
      warnings: [`evidence ${odd.number} of task 1 says "hack": a hack`],
    })
  })
})

describe("the task gate", () => {
  const RANGE: TaskRange = { base: "b".repeat(40), files: [diff("a.ts", ["x"])], isOnBase: true, merges: [] }
  const facts: TaskFacts = {
    ...{ taskId: "1", commit: "c".repeat(40), uncommitted: [], mayChangeNothing: false, scope: () => [] },
    ...{ judged: [], leftBehind: [], evidence: [evidence("done")] },
    range: RANGE,
  }
  const judge = (change: Partial<TaskFacts>) => judgeTask({ ...facts, ...change }, SETTINGS)
  const failed = (change: Partial<TaskFacts>) =>
    judge(change)
      .checks.filter((check) => check.status === "failed")
      .map((check) => check.name)
  const range = (change: Partial<TaskRange>) => ({ range: { ...RANGE, ...change } })

  it("passes work that has nothing against it", () => {
    expect(statusOf(judge({}))).toBe("passed")
    expect(judge({}).issues).toEqual([])
  })

  it.each([
    ["work_committed", { uncommitted: ["a.ts"] }],
    ["work_merged", { fixed: { taskId: "2" as TaskId, head: "d".repeat(40), isContained: false } }],
    ["changes_present", range({ files: [] })],
    ["changes_present", { range: undefined }],
    ["history_kept", range({ isOnBase: false })],
    ["files_owned", { scope: () => ["a.ts belongs to task 2"] }],
    ["no_suspicious_changes", range({ files: [diff("l", ["/etc"], { status: "added", newMode: "120000" })] })],
    ["no_blocked_patterns", range({ files: [diff("a.ts", ["throw new Error('TODO')"])] })],
    ["evidence_complete", { evidence: [] }],
    ["evidence_complete", { evidence: [evidence("it should work")] }],
  ] as [string, Partial<TaskFacts>][])("fails %s", (name, change) => {
    expect(failed(change)).toEqual([name])
  })

  it("lets a task that only looks commit nothing", () => {
    expect(failed({ ...range({ files: [] }), mayChangeNothing: true })).toEqual([])
    expect(failed({ range: undefined, mayChangeNothing: true })).toEqual([])
  })

  it("names files that are not committed, and what commands left behind", () => {
    expect(judge({ uncommitted: ["-rf", "$(x)\n;"] }).issues).toEqual([
      "error: -rf has changes that are not committed",
      "error: $(x)\n; has changes that are not committed",
    ])
    expect(judge({ leftBehind: ["out.txt"] }).issues).toEqual([
      "warning: out.txt was written by the commands, and is not committed",
    ])
  })

  it("tells of merges, and says what it could not judge", () => {
    expect(judge(range({ merges: ["d".repeat(40)] })).issues).toEqual(["warning: commit dddddddddddd is a merge"])
    const skipped = judge({ range: undefined }).checks.filter((check) => check.status === "skipped")
    expect(skipped.map((check) => check.name)).toEqual([
      "files_owned",
      "no_suspicious_changes",
      "no_blocked_patterns",
      "acceptance_passes",
    ])
  })

  it("hands those who know whose files they are what happened to each", () => {
    let seen: unknown
    const files = [
      diff("l", ["x"], { status: "added", oldMode: null, newMode: "120000" }),
      diff("m", [], { newMode: "100755" }),
      diff("r", [], { status: "deleted", oldMode: "160000", newMode: null }),
    ]
    judge({
      ...range({ files }),
      scope: (changes) => {
        seen = changes
        return []
      },
    })
    expect(seen).toEqual([
      { path: "l", change: "added", type: "link", target: "x" },
      { path: "m", change: "mode", type: "file" },
      { path: "r", change: "deleted", type: "repository" },
    ])
  })

  it("lists no more than anybody reads", () => {
    const lines = Array.from({ length: 70 }, () => "// TODO")
    const { issues } = judge(range({ files: [diff("a.ts", lines)] }))
    expect(issues).toHaveLength(51)
    expect(issues.at(-1)).toBe("warning: and 20 more")
  })
})

describe("the wave and final gates", () => {
  const task = (id: string, status: TaskStatus, wave: number | null = 1, blockedBy: string[] = []) => ({
    ...{ id: id as TaskId, status, wave, blockedBy: blockedBy as TaskId[] },
    evidence: [evidence("done"), attested(0)],
    isProvable: true,
  })

  it("want every task resolved or left out", () => {
    expect(statusOf(checkResolved([task("1", "resolved"), task("2", "skipped")]))).toBe("passed")
    expect(checkResolved([task("1", "in_review")]).issues).toEqual(["error: task 1 is in_review, not resolved"])
    expect(checkResolved([]).issues).toEqual(["error: there are no tasks"])
  })

  it("want the work of every task in the commit", () => {
    const done = (taskId: string, isMerged: boolean) => ({
      ...{ taskId, head: taskId.repeat(40), isMerged, elsewhere: null },
    })
    expect(checkMerged([]).checks).toMatchObject([{ status: "skipped" }])
    expect(checkMerged([done("1", true)]).checks).toEqual([
      { name: "work_merged", status: "passed", evidence: "1 task" },
    ])
    expect(checkMerged([done("1", true), done("2", false)]).issues).toEqual([
      "error: the work of task 2, 222222222222, is not part of the commit",
    ])
    expect(checkMerged([{ ...done("2", false), elsewhere: "it is in /other" }]).issues).toEqual([
      "error: the work of task 2, 222222222222, is not part of the commit: it is in /other",
    ])
  })

  it("want every wave verified", () => {
    expect(checkWaves([]).checks).toMatchObject([{ status: "skipped" }])
    expect(checkWaves([{ id: 1, status: "verified" }]).checks).toMatchObject([{ status: "passed" }])
    expect(
      checkWaves([
        { id: 1, status: "verified" },
        { id: 2, status: "failed" },
      ]).issues,
    ).toEqual(["error: wave 2 is failed, not verified"])
  })

  it("want needs met, in earlier waves", () => {
    expect(statusOf(checkNeeds([task("1", "resolved"), task("2", "resolved", 2, ["1"])]))).toBe("passed")
    expect(checkNeeds([task("1", "open"), task("2", "resolved", 2, ["1", "7"])]).issues).toEqual([
      "error: task 2 needs 1, which is open",
      "error: task 2 needs 7, which does not exist",
    ])
    expect(checkNeeds([task("1", "resolved", 2), task("2", "resolved", 2, ["1"])]).issues).toEqual([
      "error: task 2 of wave 2 needs 1 of wave 2",
    ])
    expect(statusOf(checkNeeds([task("1", "resolved", 2), task("fix-3-1", "resolved", 2, ["1"])]))).toBe("passed")
  })

  it("want one entry where nothing could be run to attest to it, and say so", () => {
    const poor = { ...task("1", "resolved"), isProvable: false, evidence: [evidence("a")] }
    const findings = checkEvidence([poor], SETTINGS)
    expect(statusOf(findings)).toBe("passed")
    expect(findings.issues).toEqual([expect.stringContaining("1 task could not be proven")])
    expect(statusOf(checkEvidence([{ ...poor, evidence: [] }], SETTINGS))).toBe("failed")
  })

  it("want two entries of evidence for each task, one of them attested", () => {
    expect(statusOf(checkEvidence([task("1", "resolved"), { ...task("2", "skipped"), evidence: [] }], SETTINGS))).toBe(
      "passed",
    )
    const poor = { ...task("1", "resolved"), evidence: [attested(0)] }
    const reported = { ...task("2", "resolved"), evidence: [evidence("a"), evidence("b")] }
    expect(checkEvidence([poor, reported], SETTINGS).issues).toEqual([
      expect.stringContaining("task 1 has only 1 of 2 entries"),
      expect.stringContaining("task 2 has nothing that teamwork saw succeed"),
    ])
  })

  it("F053: want no evidence of what was done before the team was imported", () => {
    const imported = { ...task("1", "resolved"), evidence: [], isImported: true }
    const findings = checkEvidence([imported, task("2", "resolved")], SETTINGS)
    expect(statusOf(findings)).toBe("passed")
    expect(findings.checks).toMatchObject([{ evidence: "1 task; 1 more done before the import" }])
    expect(statusOf(checkEvidence([{ ...imported, isImported: false }], SETTINGS))).toBe("failed")
  })

  it("look at all that was added, or say that they do not know it", () => {
    expect(checkAdded([diff("a.rs", ["todo!()"])], SETTINGS).checks).toMatchObject([
      { status: "passed" },
      { name: "no_blocked_patterns", status: "failed" },
    ])
    expect(checkAdded(undefined, SETTINGS).checks).toMatchObject([{ name: "no_blocked_patterns", status: "skipped" }])
  })
})
