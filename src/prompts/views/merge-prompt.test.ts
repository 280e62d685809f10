import { expect, it } from "bun:test"
import { parseTaskId } from "../../kernel/ids.ts"
import { mergePrompt } from "./merge-prompt.ts"

const task = {
  id: parseTaskId("fix-2-1"),
  title: "Fix the merge of task 2",
  description: "line 1, merged already:\n    one\nline 1, of this task:\n    two\n\n    git merge 1249f38a1e5c",
}

it("F024: tells the agent that did the work both sides of what does not merge, and how to bring it in", () => {
  const { text } = mergePrompt(task, { mask: (each) => each.replace("one", "***"), limit: 10_000 })
  expect(text).toStartWith("# YOUR WORK DOES NOT MERGE\n")
  for (const part of ["fix-2-1", "    ***", "    two", "git merge 1249f38a1e5c"]) expect(text).toContain(part)
  expect(text).not.toContain("    one")
})

it("keeps to the limit", () => {
  const long = { ...task, description: "x\n".repeat(10_000) }
  expect(mergePrompt(long, { mask: (each) => each, limit: 4000 }).text.length).toBeLessThanOrEqual(4000)
})
