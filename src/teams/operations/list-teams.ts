import type { Team } from "../../kernel/team.ts"
import { operation } from "../../store/operation.ts"
import { publicTeam } from "../../tasks/operations/lookup.ts"

export const listTeams = operation({
  name: "project.list",
  summary: "List the projects of this store",
  input: {},
  run: ({ store }): Promise<Team[]> => store.read(async (tx) => (await tx.teams.list()).map(publicTeam)),
})
