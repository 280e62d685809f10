import type { Task } from "../../domain/task.ts"
import type { TeamName } from "../../domain/team.ts"

/** Where the work of a team comes together. */
export function integrationBranch({ team }: TeamName): string {
  return `refs/heads/teamwork/${team}/integration`
}

/** What keeps the commits of an attempt: where it started, and where its work ended. */
export function pinOf(
  { project, team }: TeamName,
  { id, attempt }: Pick<Task, "id" | "attempt">,
  kind: "base" | "head",
) {
  return `refs/teamwork/${project}/${team}/${id}/${attempt}/${kind}`
}
