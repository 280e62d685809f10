import type { PastEvent, TeamSnapshot } from "../snapshot.ts"

export const LAYOUTS = ["export", "teamwork-v2", "teamwork-v1", "tc-session", "pm-project", "forge-team"] as const
export type Layout = (typeof LAYOUTS)[number]

export interface FoundTeam {
  readonly layout: Layout
  /** Relative to the searched folder; empty for that folder itself. */
  readonly path: string
  readonly snapshot: TeamSnapshot
  readonly history: readonly PastEvent[]
  /** Paths are relative to the team's folder. */
  readonly skipped: readonly FileNote[]
  readonly changed: readonly FileNote[]
}

export interface FileNote {
  readonly file: string
  readonly what: string
}

export type ParsedTeam = Omit<FoundTeam, "layout" | "path">

export interface ParseContext {
  readonly nowIso: string
  readonly defaultProject: string
  readonly defaultTeam: string
}
