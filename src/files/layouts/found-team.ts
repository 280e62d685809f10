import type { PastEvent, TeamSnapshot } from "../snapshot.ts"

/** The formats we read: our own export, and those of earlier systems. */
export const LAYOUTS = ["export", "teamwork-v2", "teamwork-v1", "tc-session", "pm-project", "forge-team"] as const
export type Layout = (typeof LAYOUTS)[number]

/** A team read from files, ready to be restored, and the notes of its reader. */
export interface FoundTeam {
  readonly layout: Layout
  /** Relative to the searched folder; empty for that folder itself. */
  readonly path: string
  readonly snapshot: TeamSnapshot
  readonly history: readonly PastEvent[]
  /** Files that were left out, and why. Paths are relative to the team's folder. */
  readonly skipped: readonly FileNote[]
  /** What differs from the files. */
  readonly changed: readonly FileNote[]
}

export interface FileNote {
  readonly file: string
  readonly what: string
}

export type ParsedTeam = Omit<FoundTeam, "layout" | "path">

/** For what files leave out. */
export interface ParseContext {
  readonly nowIso: string
  readonly defaultProject: string
  readonly defaultTeam: string
}
