import { join } from "node:path"
import type { RunName, TeamName } from "../../kernel/team.ts"

export function logFileOf(home: string, { project, team }: TeamName, worker: string): string {
  return join(home, "logs", project, team, `${worker}.log`)
}

/** All runs of a team record into one folder, so from the second on the name includes the team's run. */
export function agentRunId(
  { run }: RunName,
  { id, attempt }: { readonly id: string; readonly attempt: number },
  number: number,
): string {
  return `${id}-${attempt}-${number}${run === 1 ? "" : `.r${run}`}`
}
