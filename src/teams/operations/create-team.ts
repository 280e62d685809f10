import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { PROTOCOLS } from "../../kernel/phase.ts"
import { describeTeam, protocolOf, SCHEDULES, TEAM_MODES, type Team, type TeamName } from "../../kernel/team.ts"
import { choice, flag } from "../../lib/schema.ts"
import { askAtStart } from "../../requests/operations/checkpoints.ts"
import { operation, teamFields, textField } from "../../store/operation.ts"
import { getTeam, publicTeam } from "../../tasks/operations/lookup.ts"
import { readStanding, startRun } from "./start-run.ts"

export const createTeam = operation({
  name: "project.create",
  summary: "Create a project's team with a goal; for a team that is done, begin its next run",
  input: {
    ...teamFields,
    goal: textField("what the team is to reach"),
    mode: v.optional(choice(TEAM_MODES, "who decides routine matters"), "FULL_AUTO"),
    schedule: v.optional(choice(SCHEDULES, "when tasks start"), "waves"),
    protocol: v.optional(choice(PROTOCOLS, "whether tasks are planned and approved before they are done")),
    qa: flag("have another agent check the work of each task"),
  },
  async run(context, input): Promise<Team> {
    await context.ownProject?.(input.project)
    return context.store.write(async (tx) => {
      const { project, team: name, goal, mode, schedule } = input
      const guards = { protocol: input.protocol ?? protocolOf(mode), hasQa: input.qa === true }
      const settings = { goal, mode, schedule, ...guards }
      const known = await tx.teams.lock({ project, team: name })
      if (known === undefined) {
        const first = { ...settings, project, team: name, phase: "PLANNING", status: "active" } as const
        const team = await tx.teams.create(first)
        if (team === undefined) throw exists(input)
        await tx.events.append(team.key, PERSON, { type: "team.created", data: { goal } })
      }
      // A finished team continues with a new run.
      else if ((await readStanding(tx, known)) === "done") await startRun(tx, known, settings)
      else throw exists(input)
      if (mode === "SUPERVISED") await askAtStart(tx, input, PERSON)
      return publicTeam(await getTeam(tx, input))
    })
  },
})

function exists({ project, team }: TeamName): AppError {
  return new AppError(
    "team.exists",
    `project ${describeTeam({ project, team })} exists already`,
    { project, team },
    { remedy: { operation: "project get", to: "look at it with" } },
  )
}
