import type { PastEvent, TeamSnapshot } from "../../domain/snapshot.ts"

/** The formats a team may lie on disk in: our own export, and those of the systems before us. */
export const LAYOUTS = ["export", "teamwork-v2", "teamwork-v1", "tc-session", "pm-project", "forge-team"] as const
export type Layout = (typeof LAYOUTS)[number]

/** A team read from files, ready to be restored, and what its reader had to say. */
export interface FoundTeam {
  readonly layout: Layout
  /** Where it was found, relative to what was searched; empty for that itself. */
  readonly path: string
  readonly snapshot: TeamSnapshot
  readonly history: readonly PastEvent[]
  /** Files that were left out, each with the reason. */
  readonly skipped: readonly FileNote[]
  /** What is not the same as in the files. */
  readonly changed: readonly FileNote[]
}

export interface FileNote {
  readonly file: string
  readonly what: string
}
