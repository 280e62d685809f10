import { command } from "../../app/command.ts"
import { findRoles } from "../../app/wiring/find-roles.ts"
import { planInput, plannedOutcome, planTeam } from "../../app/wiring/plan-team.ts"
import { described, flag } from "../../lib/schema.ts"
import { readSpecTexts } from "../operations/role-specs.ts"
import { saveRoles } from "../planner/load-roles.ts"

const { goal: _, template: __, preset: ___, ...rest } = planInput

const input = {
  ...rest,
  what: described(planInput.what, "the goal in words, or a plan document with roleSpecs"),
  saveRoles: flag("also write the roles to .teamwork/roles/, where you can change them"),
}

export const coordinate = command({
  summary: "Split a goal into capabilities, up to five roles for them, and tasks; show the plan and apply it",
  fields: input,
  positional: ["what"],
  example: 'teamwork coordinate "Find out why the checkout is slow, and fix it" --save-roles',
  async run(session, { saveRoles: isSaved, ...given }) {
    const request = { ...given, preset: "coordinate" }
    const planned = await planTeam(session, request)
    const outcome = plannedOutcome(planned, request)
    const { applied, shown, file } = planned
    if (isSaved !== true || applied === null) return outcome
    const { root } = await findRoles(session)
    const saved = saveRoles(root, await readSpecTexts(await session.context(), applied.team, applied.roleSpecs))
    const said = outcome.text
    return {
      ...outcome,
      data: { ...shown, applied, file, saved },
      text: async (screen) => [(await said?.(screen)) ?? "", ...saved.map((path) => `Wrote ${path}`)].join("\n"),
    }
  },
})
