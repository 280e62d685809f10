import type { PastEvent, TeamSnapshot } from "../snapshot.ts"

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
  /** Files that were left out, each with the reason. Their paths are relative to the team's folder. */
  readonly skipped: readonly FileNote[]
  /** What is not the same as in the files. */
  readonly changed: readonly FileNote[]
}

export interface FileNote {
  readonly file: string
  readonly what: string
}

/** What a reader of one layout makes: all but where it was found. */
export type ParsedTeam = Omit<FoundTeam, "layout" | "path">

/** What files may leave open. */
export interface ParseContext {
  readonly nowIso: string
  readonly defaultProject: string
  readonly defaultTeam: string
}
