import type { CompletionAction } from "../../domain/completion.ts"
import type { TeamName } from "../../domain/team.ts"
import type { Completed } from "../../engine/archive-team.ts"
import { homePlace } from "../../engine/export-places.ts"
import type { Outcome, Session } from "./command.ts"

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
  const { completeHere, keep, told } = await import("./complete.ts")
  if (action === "keep") {
    const kept = await keep.run(session, { ...name })
    const done: Completed = { action, summary: null, removed: [], pins: [], artifacts: [], warnings: [] }
    return { ...kept, data: { ...name, ...done } }
  }
  if (action === "archive") return told(name, await completeHere(session, { ...name, sourceDir }))
  const { home } = await session.configured()
  const { archiveTo } = await import("./export.ts")
  return archiveTo(session, { ...name, folder: homePlace(home, name).folder, sourceDir })
}

export const HOW_TO_FINISH =
  "Put it away with: teamwork archive; keep it with: teamwork keep; hand it over with: teamwork export --to DIR --archive"
