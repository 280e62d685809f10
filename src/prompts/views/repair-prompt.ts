import { manyLines } from "../../lib/text/table.ts"
import type { Verdict } from "../../quality/verdict.ts"
import { fitSections } from "./fit-sections.ts"

/** For the agent whose work did not pass: what is to be mended, in the session that it did the work in. */
export function repairPrompt(
  { checks, issues }: Pick<Verdict, "checks" | "issues">,
  { mask, limit }: { readonly mask: (text: string) => string; readonly limit: number },
): string {
  const failed = checks.filter((check) => check.status === "failed")
  const blocks = [
    ...issues.map((issue) => ({ body: `- ${mask(manyLines(issue))}`, isForeign: false })),
    ...failed.map(({ name, evidence = "it did not say why" }) => ({
      label: `Check ${name} failed:`,
      body: mask(manyLines(evidence)),
      isForeign: true,
    })),
  ]
  const lead =
    "Your work on this task was judged and did not pass. Mend what is told below, in the same files and within the same FILE SCOPE; keep what is right. Then run the checks again and end with what you changed."
  return fitSections([{ name: "repair", heading: "YOUR WORK WAS SENT BACK", priority: 1, lead, blocks }], limit).text
}
