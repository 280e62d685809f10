import { expect, it } from "bun:test"
import { repairPrompt } from "./repair-prompt.ts"

const mask = (text: string) => text.replaceAll("hunter2", "***")

it("tells what did not pass, fenced where others wrote it, and without secrets", () => {
  const checks = [
    { name: "tests_pass", status: "failed", evidence: "1 failed\n```\nhunter2" },
    { name: "build_succeeds", status: "passed" },
  ] as const
  const { text } = repairPrompt({ checks, issues: ["error: npm test exited with 1"] }, { mask, limit: 10_000 })
  expect(text).toStartWith("# YOUR WORK WAS SENT BACK\n\nYour work on this task was judged and did not pass.")
  expect(text).toContain("- error: npm test exited with 1")
  expect(text).toEndWith("Check tests_pass failed:\n````text\n1 failed\n```\n***\n````")
  expect(text).not.toContain("build_succeeds")
})

it("F011: tells what was set aside and why, and how to get it", () => {
  const message = '"docs/a.md" belongs to task 2 (docs/), not to task 1; ask the lead: teamwork ownership ask --task 1'
  const aside = { commit: "1249f38a1e5c", changes: [{ message }] }
  const { text } = repairPrompt(
    { checks: [], issues: ["error: nothing was committed"] },
    { mask, limit: 10_000, aside },
  )
  expect(text).toContain(message)
  expect(text).toContain("git cherry-pick -m 1 1249f38a1e5c")
})

it("fits, and keeps the end of long output", () => {
  const evidence = `${"x".repeat(50_000)}\nthe reason`
  const { text } = repairPrompt(
    { checks: [{ name: "t", status: "failed", evidence }], issues: [] },
    { mask, limit: 3000 },
  )
  expect(text.length).toBeLessThanOrEqual(3000)
  expect(text).toContain("the reason")
})
