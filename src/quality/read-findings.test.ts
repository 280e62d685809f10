import { describe, expect, it } from "bun:test"
import { readProse } from "./read-findings.ts"

const prose = (answer: string) => readProse(answer).map(({ severity, file, line }) => [severity, file, line])

describe("prose of a reviewing role (F037)", () => {
  it("is a finding where a line begins with a severity", () => {
    expect(prose("CRITICAL: passwords are logged in src/auth.ts:40. Do not ship.")).toEqual([
      ["critical", "src/auth.ts", 40],
    ])
    expect(prose("1. **[High]** `src/a.ts:12` never closes the file")).toEqual([["major", "src/a.ts", 12]])
    expect(prose("- 🔴 Critical - src/b.ts line 7: overflow")).toEqual([["critical", "src/b.ts", 7]])
    expect(prose("| Medium | src/c.ts | long |")).toEqual([["minor", "src/c.ts", null]])
    expect(prose("SQL injection in src/db.ts#L9 (Severity: Critical)")).toEqual([["critical", "src/db.ts", 9]])
  })

  it("is a finding for each item below a heading of a severity", () => {
    const answer = `## Critical issues (2)
- src/a.ts:1 races
- src/b.ts:2 leaks
  - because of this
## High
- None
## Summary
- all read`
    expect(prose(answer)).toEqual([
      ["critical", "src/a.ts", 1],
      ["critical", "src/b.ts", 2],
    ])
  })

  it("never loses an alarm that has no form", () => {
    expect(prose("In my opinion this must not be merged before the key is removed")).toEqual([["critical", null, null]])
    expect(prose("There is a CRITICAL hole in the login")).toEqual([["critical", null, null]])
  })

  it("is none where the reviewer says that there is none", () => {
    for (const line of [
      "No critical issues found.",
      "Critical: none",
      "CRITICAL: 0",
      "High-level overview: fine",
      "This is not a blocker",
      "There are no CRITICAL or major findings",
      "Low-hanging fruit was picked",
      "```\nCRITICAL: from a log\n```",
      "FINDING critical src/a.ts: the closing block reads it",
    ])
      expect({ line, found: prose(line) }).toEqual({ line, found: [] })
  })
})
