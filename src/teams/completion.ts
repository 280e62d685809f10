import type { Document } from "../kernel/document.ts"
import type { Team } from "../kernel/team.ts"

/** What becomes of a team when its work is done. `interactive`: a person says so. */
export const COMPLETION_ACTIONS = ["interactive", "archive", "keep", "export"] as const
export type CompletionAction = (typeof COMPLETION_ACTIONS)[number]

/** Where the summary of a team lies that was put away, by how that was done. */
export const SUMMARY_OF = { archive: "completion/archive.md", export: "completion/export.md" } as const

/** The reason of the pause of a team that was kept. */
export const KEPT = "kept for later"

/** What was done with the team; `interactive` while nobody has said so. */
export function completionAction({
  team,
  documents,
}: {
  readonly team: Pick<Team, "status"> & { readonly pauseReason: string | null }
  readonly documents: readonly Pick<Document, "path">[]
}): CompletionAction {
  if (team.status === "paused") return team.pauseReason?.startsWith(KEPT) === true ? "keep" : "interactive"
  if (team.status !== "completed") return "interactive"
  const isThere = (path: string) => documents.some((document) => document.path === path)
  if (isThere(SUMMARY_OF.export)) return "export"
  return isThere(SUMMARY_OF.archive) ? "archive" : "interactive"
}
