import { command } from "../../app/command.ts"
import { findPresets, findRoles } from "../../app/wiring/find-roles.ts"
import { renderPresets } from "../views/presets-view.ts"

export const presetsCommand = command({
  summary: "List the kinds of team that a plan can name, with their settings",
  fields: {},
  example: "teamwork presets",
  async run(session) {
    const presets = await findPresets(session, (await findRoles(session)).roles)
    return { data: presets, text: (screen) => renderPresets(presets, screen) }
  },
})
