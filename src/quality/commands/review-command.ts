import { askPorts } from "../../agents/commands/ask-ports.ts"
import type { Command, Session } from "../../app/command.ts"
import { sourceDirField } from "../../delivery/commands/swarm-merge.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { InputOf } from "../../lib/fields.ts"
import { resolvePath } from "../../lib/paths.ts"
import { teamFields } from "../../store/operation.ts"
import { reviewTeam } from "../effects/review-team.ts"
import { makeReviewFixes } from "../operations/review-fixes.ts"
import type { Verdict } from "../verdict.ts"
import { renderVerdict } from "../views/verdict-view.ts"

const input = { ...teamFields, sourceDir: sourceDirField }

export const verifyReview: Command = {
  summary: "Have another agent program review the merged work; what it finds becomes tasks",
  fields: input,
  example: "teamwork verify review",
  async run(session, raw) {
    const { sourceDir, ...name } = raw as InputOf<typeof input>
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
}

/** The review of a team's work in the repository of a folder, by the agents that are set up here. */
export async function reviewHere(
  session: Session,
  { name, folder, signal }: { readonly name: TeamName; readonly folder: string; readonly signal: AbortSignal },
): Promise<Verdict> {
  const configured = await session.configured()
  const { merges } = await configured.merging(folder)
  const { repository } = await configured.gates(folder)
  const { timeoutSeconds } = configured.agentDefaults
  return reviewTeam(
    {
      ...{ context: await session.context(), merges, promptLimit: await configured.promptLimits() },
      checkedOut: (commit, use) => repository.checkedOut(commit, use),
      ask: await askPorts(session),
    },
    { ...name, signal, timeoutMs: timeoutSeconds === 0 ? null : timeoutSeconds * 1000 },
  )
}
