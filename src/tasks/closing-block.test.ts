import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { type ClosingBlock, readClosingBlock } from "./closing-block.ts"

const failed = (answer: string) => {
  const { outcome, reason } = readClosingBlock(answer)
  return outcome === "failed" ? reason : outcome
}

describe("F030: FAILED", () => {
  it.each([
    ["FAILED task #1: the other half needs the database", "the other half needs the database"],
    [
      "I wrote half.\n\nFAILED task #1: no database\nLEARNED: the port is 5432\n\nThanks for your patience!",
      "no database",
    ],
    ["FAILED: no database", "no database"],
    ["Failed: no database", "no database"],
    ["failed task #1: no database", "no database"],
    ["**FAILED task #1:** no database", "no database"],
    ["**FAILED task #1: no database**", "no database"],
    ["- **FAILED**: no database", "no database"],
    ["* `FAILED task #1: no database`", "no database"],
    ["> FAILED: no database", "no database"],
    ["1. FAILED: no database", "no database"],
    ["### FAILED\n\nno database", "no database"],
    ["❌ FAILED — no database", "no database"],
    ["FAILED task fix-3: no database", "no database"],
    ["FAILED task #1 no database", "no database"],
    ["FAILED because the database is missing", "because the database is missing"],
    ["FAILED:\n- no database\n- no network", "no database; no network"],
    ["FAILED", ""],
    ["**Status:** FAILED", ""],
    ["Result: failed: no database", "no database"],
    ["<result>FAILED: no database</result>", "no database</result>"],
    ["```\nFAILED task #1: no database\n```\nThat is all.", "no database"],
    ["```text\nLEARNED: x\nFAILED task #1: no database\n```", "no database"],
    ["```markdown\n# Summary\nHalf of it.\n\nFAILED task #1: no database\n```", "no database"],
    ["```ts\nconst a = 1\nFAILED task #1: no database", "no database"],
    ['"FAILED: no database"', "no database"],
    ["DONE: all of it\nFAILED: no database", "no database"],
    ["FAILED: no database\nNOTHING TO DO: it is there\nDONE", "no database"],
    ["FAILED: no database\r\nLEARNED: y\r\n", "no database"],
    ["FAILED: `a.ts` lacks `b`", "`a.ts` lacks `b`"],
  ])("is found with its reason: %j", (answer, reason) => expect(failed(answer)).toBe(reason))

  it.each([
    ["The build no longer says FAILED: x"],
    ["If the task cannot be done I would write `FAILED task #1: <reason>`."],
    ["FAILED task #1: <reason>"],
    ["- If the task cannot be done, end with a line `FAILED task #1: <reason>`."],
    ["`FAILED: x` is what the script prints."],
    ['"FAILED: x" was its answer before.'],
    ["```sh\necho 'if it fails print'\nFAILED: x\n```"],
    ["```ts\nFAILED: x\n```"],
    ["```\n$ make\nFAILED: a.o\n```\nIs mended."],
    ["FAILED tests/test_a.py::test_sells - ValueError"],
    ["FAILED (failures=1)"],
    ["FAILED -> PASSED: test_sells"],
    ["Passed: 10\nFailed: 0"],
    ["Failed: 2, Passed: 10"],
    ["FAILED: none"],
    ["Failed tests: 3, and all are mended"],
    ["test result: FAILED. 1 passed"],
    ["The failed task is done now."],
    [""],
  ])("is not found where the agent only talks of it: %j", (answer) => expect(failed(answer)).toBe("done"))
})

describe("F030: a marker of failure in any form", () => {
  it.each([
    ["FAILED task #1: 0 of 5 tests pass", "0 of 5 tests pass"],
    ["FAILED: 0 files were changed, the disk is read-only", "0 files were changed, the disk is read-only"],
    ["FAILED: 0 of 5 tests pass", "0 of 5 tests pass"],
    ["Failed: 0 files could be written", "0 files could be written"],
    ["FAILED (task #1): no disk", "no disk"],
    ["FAILED [task #1] no disk", "no disk"],
    ["FAILED #1: no disk", "no disk"],
    ["FAILED, no disk", "no disk"],
    ["FAILED! no disk", "no disk"],
    ["FAILED. No disk", "No disk"],
    ["FAILED—no disk", "no disk"],
    ["FAILED => no disk", "no disk"],
    ["FAILED ➜ no disk", "no disk"],
    ["FAILED for task #1: no disk", "no disk"],
    ['FAILED task "Parser": no disk', "no disk"],
    ["FAILED 1: no disk", "no disk"],
    ["FAILED I could not write", "I could not write"],
    ["FAILED I/O error", "I/O error"],
    ["FAILED tests: 3 of 5 are red", "tests: 3 of 5 are red"],
    ["[FAILED] no disk", "no disk"],
    ["<b>FAILED</b>: no disk", "no disk"],
    ['<span style="color:red">FAILED</span>: no disk', "no disk"],
    ["`FAILED task #1` could not write", "could not write"],
    ["`FAILED task #1: no disk`. Sorry.", "no disk`. Sorry."],
    ["'FAILED task #1: I can't install it'", "I can't install it"],
    ["'FAILED: I can't install it'", "I can't install it"],
    ["'FAILED: I can't install it'. Sorry.", "I can't install it'. Sorry."],
    ['"FAILED task #1: the "foo" package is missing"', 'the "foo" package is missing'],
    ['"FAILED: the "foo" package is missing". Sorry.', 'the "foo" package is missing". Sorry.'],
    ["\u001b[31mFAILED\u001b[0m: no disk", "no disk"],
    ["\u001b[1;31mFAILED task #1: no disk\u001b[0m", "no disk"],
    ["\u200bFAI\u200bLED: no disk", "no disk"],
    ["I tried.\rFAILED: no disk\rBye.", "no disk"],
    ["I tried.\u2028FAILED: no disk", "no disk"],
    ["```\nI wrote half of it.\nFAILED task #1: no disk\n```", "no disk"],
    ["```\nI wrote half of it.\nFAILED: no disk\n```", "no disk"],
    ["```\n$ make\nFAILED task #1: no disk\n```", "no disk"],
    ["```yaml\nFAILED task #1: no disk\n```", "no disk"],
    ["FAILED task #1: <the build is red>", "<the build is red>"],
    ["Task #1: FAILED because no disk", "because no disk"],
    ["**Task #1:** FAILED, no disk", "no disk"],
    ["Task #1 FAILED: no disk", "no disk"],
    ["The task FAILED: no disk", "no disk"],
    ["Task #1: failed", ""],
    ["#1 FAILED: no disk", "no disk"],
    ["Final status: FAILED", ""],
    ["Status: FAILED", ""],
    ["Status of task #1: FAILED", ""],
    ["Task #1 status: FAILED: no disk", "no disk"],
    ["| FAILED | no disk |", "no disk"],
    ["| Status | FAILED | no disk |", "no disk"],
    ["FAILED task #1: no", "no"],
    ["FAILED task #1: none", "none"],
    ["FAILED: no", "no"],
    ['I wrote half.\n\n```json\n{"outcome":"failed","reason":"no disk"}\n```', "no disk"],
    ['I wrote half.\n\n```json\n{\n  "outcome": "failed",\n  "reason": "no disk"\n}\n```\nBye.', "no disk"],
    ['{"outcome":"failed","reason":"no disk"}\n\nDone.', "no disk"],
    ['{"outcome":"failed","reason":"no {disk"}\n{"outcome":"done","summary":"x"}', "no {disk"],
    ['{"outcome":"done","summary":"x"}\n{"outcome":"failed","reason":"no disk"}', "no disk"],
    ['{"outcome":"partial","summary":"no disk"}\nDone.', "no disk"],
  ])("is a failure: %j", (answer, reason) => expect(failed(answer)).toBe(reason))

  it.each([['{\n  "outcome": "failed",\n  "reason": "cut o'], ['{"outcome":"failed", reason: no disk}']])(
    "is a failure in JSON that cannot be parsed: %j",
    (answer) => expect(readClosingBlock(answer).outcome).toBe("failed"),
  )

  it.each([["ESCALATED: who pays?"], ["ESCALATED budget: who pays?"], ["**Escalated:** who pays?"]])(
    "is an escalation: %j",
    (answer) => expect(readClosingBlock(answer)).toMatchObject({ outcome: "escalate", reason: "who pays?" }),
  )

  it.each([
    [{ outcome: "done", summary: "All of it.", reason: "FAILED task #1: no disk" }],
    [{ outcome: "done", summary: "All of it.", issues: ["FAILED: no disk"] }],
    [{ outcome: "nothing_to_do", summary: "x", learned: ["y", "FAILED: no disk"] }],
    [{ outcome: "done", summary: "x", reason: ["FAILED: no disk"] }],
    [{ outcome: "done", summary: "x", learned: "FAILED: no disk", notes: [["FAILED: no disk"]] }],
    [{ outcome: "constructor", summary: "no disk" }],
    [JSON.stringify({ outcome: "failed", summary: "x", reason: "no disk" })],
    [[{ outcome: "failed", summary: "x", reason: "no disk" }]],
    ["FAILED: no disk"],
  ])("is a failure in a structured answer: %j", (structured) => {
    expect(readClosingBlock("All done!", structured)).toMatchObject({ outcome: "failed", reason: "no disk" })
  })

  it.each([
    ["FAILED: 0"],
    ["FAILED: 0."],
    ["| FAILED | 0 |"],
    ["| FAILED | PASSED |"],
    ["FAILED -> PASSED: test_x"],
    ["FAILED → passed"],
    ["FAILED is a state of its own now."],
    ["FAILED tests are mended."],
    ["FAILED and DONE are told apart."],
    ["[  FAILED  ] Sells.Twice (1 ms)"],
    ["`FAILED task #1: <reason>` was not needed."],
    ["The failing tests pass now.\nfailed tests are gone"],
    ["Task #1 failed before, because of the port; it works now."],
    ["The 3 failed tests: all are mended."],
    ["3 FAILED before, 0 now"],
    ["Failed: 0 of 12"],
    ["Failed: 0, Passed: 10"],
    ['The API answers {"outcome":"failed"} for a bad card.'],
    ['```json\n{"outcome":"created","id":3}\n```\nis what it answers.'],
    ["Build log:\n```\n$ make\nFAILED: a.o\n```"],
  ])("is not seen in prose, counts or examples: %j", (answer) => expect(failed(answer)).toBe("done"))
})

describe("ESCALATE", () => {
  it.each([
    ["ESCALATE budget: it is spent", "budget", "it is spent"],
    ["ESCALATE requirement_unclear: what about it?\nLEARNED: x\n\nThank you.", "requirement_unclear", "what about it?"],
    ["**ESCALATE scope_change:** it needs b", "scope_change", "it needs b"],
    ["> `ESCALATE scope_change: it needs b`", "scope_change", "it needs b"],
    ["ESCALATE: scope_change: it needs b", "scope_change", "it needs b"],
    ["ESCALATE (Scope Change) - it needs b", "scope_change", "it needs b"],
    ["Escalate scope_change: it needs b", "scope_change", "it needs b"],
    ["ESCALATE: who pays for it?", "requirement_unclear", "who pays for it?"],
    ["ESCALATE TRIGGER: who pays for it?", "requirement_unclear", "who pays for it?"],
    ["ESCALATE money: who pays?", "requirement_unclear", "who pays?"],
    ["ESCALATE budget:", "budget", ""],
    ["FAILED: no money\nESCALATE budget: who pays?", "budget", "who pays?"],
    ["```\nESCALATE budget: who pays?\n```\nI stop here.", "budget", "who pays?"],
  ])("is found: %j", (answer, trigger, reason) =>
    expect(readClosingBlock(answer)).toMatchObject({ outcome: "escalate", trigger, reason } as ClosingBlock),
  )

  it.each([
    ["Do not ESCALATE budget: it is fine"],
    ["ESCALATE TRIGGER: <what the matter is, and what you tried>"],
    ["Escalate privileges only in tests."],
    ["ESCALATE: none"],
  ])("is not found: %j", (answer) => expect(readClosingBlock(answer).outcome).toBe("done"))
})

describe("F013: NOTHING TO DO", () => {
  it.each([
    ["NOTHING TO DO: b.txt is there already", "b.txt is there already"],
    ["I looked.\n\n**NOTHING TO DO:** it holds.\nLEARNED: look first", "it holds."],
    ["- `NOTHING TO DO`: the header is right", "the header is right"],
    ["NOTHING TO DO\nThe tests cover it.", "The tests cover it."],
    ["NOTHING TO DO - it is done", "it is done"],
    ["Nothing to do: it is done", "it is done"],
    ["NOTHING TO DO", ""],
    ["NOTHING TO DO: ", ""],
    ["NOTHING TO DO: ...\nLEARNED: x", ""],
    ["NOTHING TO DO\nLEARNED: x", ""],
  ])("is read with its reason, or without: %j", (answer, reason) =>
    expect(readClosingBlock(answer)).toMatchObject({ outcome: "nothing-to-do", reason }),
  )

  it.each([["There was nothing to do: I checked"], ["I would say NOTHING TO DO: no"]])(
    "is not read where it does not begin a line: %j",
    (answer) => expect(readClosingBlock(answer).outcome).toBe("done"),
  )
})

describe("what others should know", () => {
  it("stands in lines of its own", () => {
    const answer = `Done. I LEARNED: nothing here.
LEARNED: the tests need a port
- **DECIDED:** ids are text
ISSUE: none
* ISSUE: the page is slow
LEARNED: ${"x".repeat(700)}
LEARNED: the tests need a port
Bye.`
    expect(readClosingBlock(answer).notes).toEqual([
      { kind: "learning", text: "the tests need a port" },
      { kind: "decision", text: "ids are text" },
      { kind: "issue", text: "the page is slow" },
      { kind: "learning", text: `${"x".repeat(599)}…` },
    ])
    expect(readClosingBlock(Array.from({ length: 9 }, (_, n) => `ISSUE: a${n}`).join("\n")).notes).toHaveLength(5)
    expect(readClosingBlock("LEARNED:\n- one\n- two\n\nBye").notes.map(({ text }) => text)).toEqual(["one", "two"])
  })

  it("may be a capability that is missing", () => {
    expect(readClosingBlock("I tried.\n`CAPABILITY GAP task #API-2: Write SQL`\n").gap).toBe("Write SQL")
    expect(readClosingBlock("CAPABILITY GAP: Write SQL\nThanks").gap).toBe("Write SQL")
    expect(readClosingBlock("CAPABILITY GAP task #API-2: ").gap).toBeNull()
    expect(readClosingBlock("All done").gap).toBeNull()
  })
})

describe("FINDING", () => {
  it.each([
    ["FINDING critical src/a.ts:12: the key is logged", "critical", "src/a.ts", 12, "the key is logged"],
    ["FINDING critical src/a.ts:12 : the key is logged", "critical", "src/a.ts", 12, "the key is logged"],
    ["- **FINDING** major `src/a.ts`: too slow", "major", "src/a.ts", null, "too slow"],
    ["FINDING minor - : a typo: here", "minor", null, null, "a typo: here"],
    ["FINDING minor -: a typo", "minor", null, null, "a typo"],
    ["FINDING [MAJOR] src/a.ts:3-9 - too slow", "major", "src/a.ts", 3, "too slow"],
    ["FINDING: high a.ts: too slow", "major", "a.ts", null, "too slow"],
    ["FINDING major: no tests", "major", null, null, "no tests"],
    ["FINDING major the cache: is never emptied", "major", null, null, "the cache: is never emptied"],
    ["FINDING: the API leaks", "major", null, null, "the API leaks"],
  ])("is read: %j", (answer, severity, file, line, text) =>
    expect(readClosingBlock(answer).findings).toEqual([{ severity, file, line, text }] as ClosingBlock["findings"]),
  )

  it("is not read of the template, and once of a repeat", () => {
    expect(readClosingBlock("FINDING <critical|major|minor> <file>: <text>").findings).toEqual([])
    expect(readClosingBlock("FINDING none").findings).toEqual([])
    expect(readClosingBlock("FINDING minor - : a\nFINDING minor - : a").findings).toHaveLength(1)
  })
})

describe("a structured answer", () => {
  const whole = {
    outcome: "failed",
    reason: "no database",
    summary: "Half of it.",
    learned: ["use port 1"],
    decided: [],
    issues: ["slow"],
    capability_gap: "",
    findings: ["minor a.ts:1: typo"],
  }

  it("says the same as lines, as a value or as the text", () => {
    const expected = {
      outcome: "failed",
      reason: "no database",
      trigger: null,
      notes: [
        { kind: "learning", text: "use port 1" },
        { kind: "issue", text: "slow" },
      ],
      gap: null,
      findings: [{ severity: "minor", file: "a.ts", line: 1, text: "typo" }],
    } as const
    expect(readClosingBlock("Half of it.", whole)).toEqual(expected)
    expect(readClosingBlock(JSON.stringify(whole))).toEqual(expected)
    expect(readClosingBlock(`\`\`\`json\n${JSON.stringify(whole, null, 2)}\n\`\`\``)).toEqual(expected)
  })

  it("never hides a failure that the text tells, nor the other way round", () => {
    expect(readClosingBlock("FAILED: no database", { outcome: "done" })).toMatchObject({ outcome: "failed" })
    expect(readClosingBlock("All is done", { outcome: "failed", reason: "x" })).toMatchObject({ outcome: "failed" })
    expect(readClosingBlock("", { outcome: "done", summary: "FAILED: x" })).toMatchObject({ outcome: "failed" })
    expect(readClosingBlock("", { outcome: "partial", summary: "half" })).toMatchObject({
      outcome: "failed",
      reason: "half",
    })
    expect(readClosingBlock("", { outcome: "escalate", trigger: "budget", reason: "who pays?" })).toMatchObject({
      ...{ outcome: "escalate", trigger: "budget", reason: "who pays?" },
    })
  })

  it("is left alone where it is not ours", () => {
    for (const other of [null, 7, "x", [], {}, { outcome: 3 }, { scores: [] }])
      expect(readClosingBlock("NOTHING TO DO: fine", other)).toMatchObject({ outcome: "nothing-to-do", reason: "fine" })
  })
})

describe("any answer", () => {
  const prose = fc.stringMatching(/^[a-z ,.()#*`"'-]{0,60}$/).filter((text) => !/`{3}/.test(text))
  const reason = fc.stringMatching(/^[a-z][a-z ]{3,30}[a-z]$/)
  const around = fc.constantFrom(
    ...[(line: string) => line, (line: string) => `**${line}**`, (line: string) => `- ${line}`],
    ...[
      (line: string) => `> ${line}`,
      (line: string) => `\`${line}\``,
      (line: string) => `\n\`\`\`\n${line}\n\`\`\`\n`,
    ],
    ...[(line: string) => `  ${line}  `, (line: string) => `### ${line}`, (line: string) => `2) ${line}`],
  )
  const word = fc.constantFrom("FAILED task #1:", "FAILED:", "Failed:", "FAILED task 1:", "FAILED -")
  const others = fc.array(
    fc.oneof(prose, fc.constantFrom("DONE: all", "LEARNED: a thing", "NOTHING TO DO: it is there", "Thanks!", "")),
  )

  it("that contains a marker of failure is never done", () => {
    fc.assert(
      fc.property(others, around, word, reason, others, (before, wrap, marker, why, after) => {
        const block = readClosingBlock([...before, wrap(`${marker} ${why}`), ...after].join("\n"))
        expect(block.outcome).toBe("failed")
        expect(block.reason).toContain(why)
      }),
      { numRuns: 500 },
    )
  })

  it("is read without an error, and gives bounded texts", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), prose, fc.constantFrom("FAILED", "```", "ISSUE:", "{}"))), (lines) => {
        const block = readClosingBlock(lines.join("\n"))
        expect(block.reason.length).toBeLessThanOrEqual(1000)
        expect(readClosingBlock(lines.join("\n"))).toEqual(block)
      }),
    )
    const long = readClosingBlock(`FAILED: ${"x".repeat(200_000)}`)
    expect(long.reason).toHaveLength(1000)
  })

  it("of a megabyte is read in a moment", () => {
    const start = performance.now()
    readClosingBlock("```\n".repeat(50_001) + "FAILED: x\n".repeat(2_000) + "* - > ".repeat(100_000))
    readClosingBlock("```a\n".repeat(100_000) + "FAILED\n".repeat(50_000))
    readClosingBlock(`FAILED${" ".repeat(1_000_000)}x`)
    readClosingBlock(`task${" ".repeat(2_400)}x\nFAILED ${"a.a_".repeat(600)} x\n`.repeat(50))
    readClosingBlock('{\n"outcome":\n'.repeat(20_000))
    expect(performance.now() - start).toBeLessThan(2000)
  })
})
