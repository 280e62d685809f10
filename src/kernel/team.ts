import type { Protocol } from "./phase.ts"

export const TEAM_PHASES = ["PLANNING", "EXECUTION", "VERIFICATION", "COMPLETE"] as const
export type TeamPhase = (typeof TEAM_PHASES)[number]

export const TEAM_STATUSES = ["active", "paused", "completing", "completed", "failed", "cancelled"] as const
export type TeamStatus = (typeof TEAM_STATUSES)[number]

export const TEAM_MODES = ["FULL_AUTO", "SUPERVISED"] as const
export type TeamMode = (typeof TEAM_MODES)[number]

/** `waves`: a gate between layers. `eager`: a task starts as soon as its own needs are met. */
export const SCHEDULES = ["waves", "eager"] as const
export type Schedule = (typeof SCHEDULES)[number]

/** A team without approvals before its tasks and without QA after them. */
export const UNGUARDED = { protocol: "none", hasQa: false } as const

/** In SUPERVISED mode a person approves each plan before anything is written. */
export function protocolOf(mode: TeamMode): Protocol {
  return mode === "SUPERVISED" ? "planned" : "none"
}

/** How callers name a team: project and team name. */
export interface TeamName {
  readonly project: string
  readonly team: string
  /** Which run of the team; the current one without it. */
  readonly run?: number
}

/** One run of a team: one goal or plan from start to end. Needed to write for a run, in git or in files. */
export interface RunName extends TeamName {
  readonly run: number
}

export interface Team {
  readonly project: string
  readonly team: string
  /** Which run of the team this is, from 1. */
  readonly run: number
  readonly goal: string
  readonly phase: TeamPhase
  readonly status: TeamStatus
  readonly mode: TeamMode
  readonly schedule: Schedule
  /** `planned`: tasks go through the seven phases and wait for an approval before anything is written. */
  readonly protocol: Protocol
  /** Another worker checks the work of each task before it is resolved. */
  readonly hasQa: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export function describeTeam(name: TeamName): string {
  return `${name.project}/${name.team}`
}
