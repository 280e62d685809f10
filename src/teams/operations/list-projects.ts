import type { ProjectRepository } from "../../kernel/repository.ts"
import type { Team } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { publicTeam } from "../../tasks/operations/lookup.ts"

export async function listProjects({
  store,
}: Pick<Context, "store">): Promise<(Team & { readonly repositories: readonly ProjectRepository[] })[]> {
  return store.read(async (tx) => {
    const all = Map.groupBy(await tx.projects.list(), ({ project }) => project)
    return (await tx.teams.list()).map((team) => ({
      ...publicTeam(team),
      repositories: all.get(team.project) ?? [],
    }))
  })
}
