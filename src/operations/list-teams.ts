import type { Team } from "../domain/team.ts"
import { publicTeam } from "./lookup.ts"
import { operation } from "./operation.ts"

export const listTeams = operation({
  name: "project.list",
  summary: "List the projects of this store",
  input: {},
  run: ({ store }): Promise<Team[]> => store.read(async (tx) => (await tx.teams.list()).map(publicTeam)),
})
