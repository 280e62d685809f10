import { command } from "../../app/command.ts"
import { planInput, plannedOutcome, planTeam } from "../../app/wiring/plan-team.ts"

export const planCommand = command({
  summary: "Make a team and its tasks from a plan or a goal: show the plan, let you change it, and apply it",
  fields: planInput,
  positional: ["what", "goal"],
  example: "teamwork plan plan.yml",
  async run(session, given) {
    return plannedOutcome(await planTeam(session, given), given)
  },
})
