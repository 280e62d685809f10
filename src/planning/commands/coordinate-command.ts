import type { Command } from "../../app/command.ts"
import { flag } from "../../lib/fields.ts"
import type { AppliedPlan } from "../operations/apply-plan.ts"
import { readSpecTexts } from "../operations/role-specs.ts"
import { saveRoles } from "../planner/save-roles.ts"
import { planCommand, planInput } from "./plan-command.ts"
import { findRoles } from "./role-commands.ts"

const { goal: _, template: __, preset: ___, ...rest } = planInput

/** The same as a plan with the preset of this name. */
export const coordinate: Command = {
  summary: "Have a goal taken apart: capabilities, up to five roles made for them, and tasks; show it and apply it",
  fields: {
    ...rest,
    what: { ...planInput.what, description: "the goal in words, or a plan document with roleSpecs" },
    saveRoles: flag("write the made roles to .teamwork/roles/ as well, where people can change them"),
  },
  positional: ["what"],
  example: 'teamwork coordinate "Find out why the checkout is slow, and mend it" --save-roles',
  async run(session, { saveRoles: isSaved, ...raw }) {
    const outcome = await planCommand.run(session, { ...raw, preset: "coordinate" })
    const { applied } = outcome.data as { readonly applied: AppliedPlan | null }
    if (isSaved !== true || applied === null) return outcome
    const { root } = await findRoles(session)
    const saved = saveRoles(root, await readSpecTexts(await session.context(), applied.team, applied.roleSpecs))
    const said = outcome.text
    return {
      ...outcome,
      data: { ...(outcome.data as object), saved },
      text: async (screen) => [(await said?.(screen)) ?? "", ...saved.map((file) => `Wrote ${file}`)].join("\n"),
    }
  },
}
