import { command } from "../../app/command.ts"
import { reviewHere } from "../../app/wiring/review-here.ts"
import { sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { resolvePath } from "../../lib/paths.ts"
import { teamFields } from "../../store/operation.ts"
import { makeReviewFixes } from "../operations/review-fixes.ts"
import { renderVerdict } from "../views/verdict-view.ts"

const input = { ...teamFields, sourceDir: sourceDirField }

export const verifyReview = command({
  summary: "Have another agent program review the merged work; what it finds becomes tasks",
  fields: input,
  example: "teamwork verify review",
  async run(session, { sourceDir, ...name }) {
    const folder = resolvePath(sourceDir ?? ".", session.host.io.cwd)
    const verdict = await reviewHere(session, { name, folder, signal: session.host.io.interrupted })
    const fixes = await makeReviewFixes(await session.context(), name)
    const made = fixes.map(({ id, title }) => `Task ${id}: ${title}`)
    return {
      data: { ...verdict, fixes: fixes.map(({ id }) => id) },
      text: (screen) => [renderVerdict(verdict, screen), ...(made.length === 0 ? [] : ["", ...made])].join("\n"),
      exitCode: verdict.status === "failed" ? 1 : 0,
    }
  },
})
