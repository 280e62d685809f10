import type { Document } from "../kernel/document.ts"
import type { Team } from "../kernel/team.ts"

/** `interactive`: a person decides. */
export const COMPLETION_ACTIONS = ["interactive", "archive", "keep", "export"] as const
export type CompletionAction = (typeof COMPLETION_ACTIONS)[number]

export const SUMMARY_OF = { archive: "completion/archive.md", export: "completion/export.md" } as const

export const KEPT = "kept for later"

/** `interactive` before a decision. */
export function completionAction({
  team,
  documents,
}: {
  readonly team: Pick<Team, "status"> & { readonly pauseReason: string | null }
  readonly documents: readonly Pick<Document, "path">[]
}): CompletionAction {
  if (team.status === "paused") return team.pauseReason?.startsWith(KEPT) === true ? "keep" : "interactive"
  if (team.status !== "completed") return "interactive"
  const has = (path: string) => documents.some((document) => document.path === path)
  if (has(SUMMARY_OF.export)) return "export"
  return has(SUMMARY_OF.archive) ? "archive" : "interactive"
}
