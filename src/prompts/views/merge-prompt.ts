import { manyLines } from "../../lib/text/table.ts"
import type { Task } from "../../tasks/task.ts"
import { type FittedText, fitSections } from "./fit-sections.ts"

const LEAD =
  "Your work on the previous task conflicts with work that was merged since. This folder now holds the newest merged state without your work; your commits are kept. You know best why you wrote your changes: merge them as described below, resolve conflicts so that the intention of both sides holds, and do not undo the work of others. The same FILE SCOPE and checks apply. Commit the merge, run the checks, and end with what you changed."

/** For the agent that did the work, in its session. */
export function mergePrompt(
  { id, title, description }: Pick<Task, "id" | "title" | "description">,
  { mask, limit }: { readonly mask: (text: string) => string; readonly limit: number },
): FittedText {
  const blocks = [{ label: `Task ${id}: ${title}`, body: mask(manyLines(description)), isForeign: true }]
  return fitSections([{ name: "merge", heading: "YOUR WORK DOES NOT MERGE", priority: 1, lead: LEAD, blocks }], limit)
}
