import type { Team } from "./team.ts"

const MAX_SLUG = 40

/** The name of a team's work in files and prompts, made of its goal and first day. */
export function sessionId({ goal, project, createdAt }: Pick<Team, "goal" | "project" | "createdAt">): string {
  return `TC-${slug(goal) || slug(project)}-${createdAt.slice(0, 10).replaceAll("-", "")}`
}

function slug(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return words.join("-").slice(0, MAX_SLUG).replace(/-$/, "")
}
