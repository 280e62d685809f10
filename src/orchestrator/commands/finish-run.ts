import type { Outcome, Session } from "../../app/command.ts"
import type { Completed } from "../../delivery/archive/archive-team.ts"
import { homePlace } from "../../files/mirror/export-places.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { CompletionAction } from "../../teams/completion.ts"

interface Finish extends TeamName {
  readonly action: CompletionAction
  readonly sourceDir?: string
}

/** What becomes of a team whose run is done; undefined where that is left to a person, who is told how. */
export async function finishRun(
  session: Session,
  { action, sourceDir, ...name }: Finish,
): Promise<Outcome | undefined> {
  if (action === "interactive") return undefined
  const { completeHere, keep, told } = await import("../../teams/commands/complete-command.ts")
  if (action === "keep") {
    const kept = await keep.run(session, { ...name })
    const done: Completed = { action, summary: null, removed: [], pins: [], artifacts: [], warnings: [] }
    return { ...kept, data: { ...name, ...done } }
  }
  if (action === "archive") return told(name, await completeHere(session, { ...name, sourceDir }))
  const { home } = await session.configured()
  const { archiveTo } = await import("../../files/commands/export-command.ts")
  return archiveTo(session, { ...name, folder: homePlace(home, name).folder, sourceDir })
}

export const HOW_TO_FINISH =
  "Put it away with: teamwork archive; keep it with: teamwork keep; hand it over with: teamwork export --to DIR --archive"
