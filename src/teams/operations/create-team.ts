import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { PROTOCOLS } from "../../kernel/phase.ts"
import { describeTeam, protocolOf, SCHEDULES, TEAM_MODES, type Team } from "../../kernel/team.ts"
import { choice, flag, optional, withDefault } from "../../lib/fields.ts"
import { askAtStart } from "../../requests/operations/checkpoints.ts"
import { operation, teamFields, textField } from "../../store/operation.ts"
import { getTeam, publicTeam } from "../../tasks/operations/lookup.ts"

export const createTeam = operation({
  name: "project.create",
  summary: "Create a project's team with a goal",
  input: {
    ...teamFields,
    goal: textField("what the team is to reach"),
    mode: withDefault(choice(TEAM_MODES, "who decides routine matters"), "FULL_AUTO"),
    schedule: withDefault(choice(SCHEDULES, "when tasks start"), "waves"),
    protocol: optional(choice(PROTOCOLS, "whether tasks are planned and approved before they are done")),
    qa: flag("have the work of each task checked by somebody else"),
  },
  async run(context, input): Promise<Team> {
    await context.ownProject?.(input.project)
    return context.store.write(async (tx) => {
      const { project, team: name, goal, mode, schedule } = input
      const team = await tx.teams.create({
        project,
        team: name,
        goal,
        mode,
        schedule,
        protocol: input.protocol ?? protocolOf(mode),
        hasQa: input.qa === true,
        phase: "PLANNING",
        status: "active",
      })
      if (team === undefined) {
        throw new AppError(
          "team.exists",
          `project ${describeTeam(input)} exists already`,
          { project, team: name },
          { remedy: { operation: "project get", to: "look at it with" } },
        )
      }
      await tx.events.append(team.key, PERSON, { type: "team.created", data: { goal } })
      if (mode === "SUPERVISED") await askAtStart(tx, input, PERSON)
      return publicTeam(await getTeam(tx, input))
    })
  },
})
