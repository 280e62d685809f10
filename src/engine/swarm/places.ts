import { join } from "node:path"
import type { TeamName } from "../../domain/team.ts"

/** Where the workers of a team write what they print. */
export function logFolderOf(home: string, { project, team }: TeamName): string {
  return join(home, "logs", project, team)
}

export function logFileOf(home: string, team: TeamName, worker: string): string {
  return join(logFolderOf(home, team), `${worker}.log`)
}

/** Where the recording of one run of an agent lies. */
export function runFolderOf(home: string, { project, team }: TeamName, run: string): string {
  return join(home, "runs", project, team, run)
}
