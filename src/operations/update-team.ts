import { PERSON } from "../domain/actor.ts"
import { AppError } from "../domain/errors.ts"
import { SCHEDULES, TEAM_MODES, type Team } from "../domain/team.ts"
import { choice, optional } from "../lib/fields.ts"
import { getTeam, lockTeam, publicTeam } from "./lookup.ts"
import { operation, teamFields, textField } from "./operation.ts"

export const updateTeam = operation({
  name: "project.update",
  summary: "Change the goal, mode or schedule",
  input: {
    ...teamFields,
    goal: optional(textField("what the team is to reach")),
    mode: optional(choice(TEAM_MODES, "who decides routine matters")),
    schedule: optional(choice(SCHEDULES, "when tasks start")),
  },
  async run({ store }, { goal, mode, schedule, ...name }): Promise<Team> {
    if (goal === undefined && mode === undefined && schedule === undefined) {
      throw new AppError("usage", "nothing to change; use --goal, --mode or --schedule")
    }
    return store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      await tx.teams.update(team.key, { goal, mode, schedule })
      await tx.events.append(team.key, PERSON, { type: "team.updated", data: { goal, mode, schedule } })
      return publicTeam(await getTeam(tx, name))
    })
  },
})
