import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { PROTOCOLS } from "../../kernel/phase.ts"
import { protocolOf, SCHEDULES, TEAM_MODES, type Team } from "../../kernel/team.ts"
import { choice } from "../../lib/schema.ts"
import { withdrawApprovals } from "../../requests/operations/ask-approval.ts"
import { askAtStart } from "../../requests/operations/checkpoints.ts"
import { operation, teamFields, textField } from "../../store/operation.ts"
import { getTeam, lockTeam, publicTeam } from "../../tasks/operations/lookup.ts"

const ON_OFF = ["on", "off"] as const

export const updateTeam = operation({
  name: "project.update",
  summary: "Change the goal, mode, schedule, protocol or QA",
  input: {
    ...teamFields,
    goal: v.optional(textField("what the team is to reach")),
    mode: v.optional(choice(TEAM_MODES, "who decides routine matters")),
    schedule: v.optional(choice(SCHEDULES, "when tasks start")),
    protocol: v.optional(choice(PROTOCOLS, "whether tasks are planned and approved before they are done")),
    qa: v.optional(choice(ON_OFF, "whether another agent checks the work of each task")),
  },
  async run({ store }, { goal, mode, schedule, protocol, qa, ...name }): Promise<Team> {
    if ([goal, mode, schedule, protocol, qa].every((given) => given === undefined)) {
      const names = ["goal", "mode", "schedule", "protocol"]
      throw new AppError(
        "usage",
        (say) => `nothing to change; use ${names.map((name) => say.field(name)).join(", ")} or ${say.field("qa")}`,
      )
    }
    return store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      // In SUPERVISED mode a person approves plans before anything is written.
      const guard = protocol ?? (mode === "SUPERVISED" && team.mode !== mode ? protocolOf(mode) : undefined)
      const hasQa = qa === undefined ? undefined : qa === "on"
      await tx.teams.update(team.key, { goal, mode, schedule, protocol: guard, hasQa })
      if (guard === "none") await withdrawApprovals(tx, team, { by: PERSON })
      const data = { goal, mode, schedule, protocol: guard, qa }
      await tx.events.append(team.key, PERSON, { type: "team.updated", data })
      if (mode === "SUPERVISED") await askAtStart(tx, name, PERSON)
      return publicTeam(await getTeam(tx, name))
    })
  },
})
