import type { TeamName } from "../../kernel/team.ts"
import { reviewTeam } from "../../quality/effects/review-team.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { Session } from "../command.ts"
import { askPorts } from "./ask-ports.ts"

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
      context: await session.context(),
      merges,
      promptLimit: await configured.promptLimits(),
      checkedOut: (commit, use) => repository.checkedOut(commit, use),
      openAsk: () => askPorts(session),
    },
    { ...name, signal, timeoutMs: timeoutSeconds === 0 ? null : timeoutSeconds * 1000 },
  )
}
