import { join } from "node:path"
import type { TeamName } from "../../kernel/team.ts"

/** Where a worker writes what it prints. */
export function logFileOf(home: string, { project, team }: TeamName, worker: string): string {
  return join(home, "logs", project, team, `${worker}.log`)
}

/** Where the recording of one run of an agent lies. */
export function runFolderOf(home: string, { project, team }: TeamName, run: string): string {
  return join(home, "runs", project, team, run)
}
