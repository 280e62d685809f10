import type { Command, Session } from "../../app/command.ts"
import { dirname } from "../../lib/paths.ts"
import { loadPresets } from "../planner/load-presets.ts"
import { renderPresets } from "../views/presets-view.ts"
import { findRoles } from "./role-commands.ts"

export const presetsCommand: Command = {
  summary: "List the kinds of team that a plan can name, with what each says",
  fields: {},
  example: "teamwork presets",
  async run(session) {
    const presets = await findPresets(session, (await findRoles(session)).roles)
    return { data: presets, text: (screen) => renderPresets(presets, screen) }
  },
}

/** The presets as they hold here. */
export async function findPresets({ host }: Pick<Session, "host">, roles: Parameters<typeof loadPresets>[0]["roles"]) {
  const paths = await host.configuration.path()
  return loadPresets({ home: dirname(paths.home), repository: dirname(paths.repository), roles })
}
