import { manyLines, oneLine } from "../../lib/text/table.ts"
import { CHANGES_PRESENT, type Verdict } from "../../quality/verdict.ts"
import { type FittedText, fitSections } from "./fit-sections.ts"

interface RepairFacts {
  readonly mask: (text: string) => string
  readonly limit: number
  /** Outside of the task's files: kept in the commit, removed from the worktree. */
  readonly aside?: { readonly commit: string; readonly changes: readonly { readonly message: string }[] } | null
}

const SET_ASIDE =
  "These changes of yours were removed from the worktree, because the files do not belong to the task. Work without them, or ask for the file with the command below; files without an owner are granted at once:"
const MOST_ASIDE = 20

function listAside({ commit, changes }: NonNullable<RepairFacts["aside"]>): string {
  const lines = changes.slice(0, MOST_ASIDE).map(({ message }) => `- ${oneLine(message)}`)
  return [...lines, `To bring them back once it is granted: git cherry-pick -m 1 ${commit}`].join("\n")
}

/** For the agent whose work did not pass, in its session. */
export function repairPrompt(
  { checks, issues }: Pick<Verdict, "checks" | "issues">,
  { mask, limit, aside = null }: RepairFacts,
): FittedText {
  const failed = checks.filter((check) => check.status === "failed")
  const blocks = [
    ...(aside === null ? [] : [{ label: SET_ASIDE, body: mask(listAside(aside)), isForeign: false }]),
    ...issues.map((issue) => ({ body: `- ${mask(manyLines(issue))}`, isForeign: false })),
    ...failed.map(({ name, evidence = "it did not say why" }) => ({
      label: `Check ${name} failed:`,
      body: mask(manyLines(evidence)),
      isForeign: true,
    })),
  ]
  const lead =
    "Your work on this task was judged and did not pass. Fix the problems below, in the same files and within the same FILE SCOPE; keep what is right. Then run the checks again and end with what you changed."
  const isEmpty = failed.some(({ name }) => name === CHANGES_PRESENT)
  const ask = isEmpty
    ? " No change of yours was found. Make the change that TASK asks for, or say NOTHING TO DO with the reason."
    : ""
  return fitSections(
    [{ name: "repair", heading: "YOUR WORK WAS SENT BACK", priority: 1, lead: `${lead}${ask}`, blocks }],
    limit,
  )
}
