import type { Command } from "../../app/command.ts"
import { type PlanInput, planInput, plannedOutcome, planTeam } from "../../app/wiring/plan-team.ts"

export const planCommand: Command = {
  summary: "Make a team and its tasks of a plan or a goal: show it, let it be changed, and apply it",
  fields: planInput,
  positional: ["what", "goal"],
  example: "teamwork plan plan.yml",
  async run(session, raw) {
    const given = raw as PlanInput
    return plannedOutcome(await planTeam(session, given), given)
  },
}
