import * as v from "valibot"
import { PERSON } from "../domain/actor.ts"
import { AppError } from "../domain/errors.ts"
import { SCHEDULES, TEAM_MODES, type Team } from "../domain/team.ts"
import { getTeam, lockTeam, publicTeam } from "./lookup.ts"
import { operation, teamFields, textField } from "./operation.ts"

export const updateTeam = operation({
  name: "project.update",
  summary: "Change the goal, mode or schedule",
  input: v.object({
    ...teamFields,
    goal: v.optional(textField("what the team is to reach")),
    mode: v.optional(
      v.pipe(v.picklist(TEAM_MODES), v.description(`who decides routine matters: ${TEAM_MODES.join(", ")}`)),
    ),
    schedule: v.optional(v.pipe(v.picklist(SCHEDULES), v.description(`when tasks start: ${SCHEDULES.join(", ")}`))),
  }),
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
