import { manyLines } from "../../lib/text/table.ts"
import { CHANGES_PRESENT, type Verdict } from "../../quality/verdict.ts"
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
  const isEmpty = failed.some(({ name }) => name === CHANGES_PRESENT)
  const ask = isEmpty
    ? " No change of yours was found. Make the change that TASK asks for; if nothing needs to be changed, end with a line `NOTHING TO DO: <the reason>`."
    : ""
  return fitSections(
    [{ name: "repair", heading: "YOUR WORK WAS SENT BACK", priority: 1, lead: `${lead}${ask}`, blocks }],
    limit,
  ).text
}
