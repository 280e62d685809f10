import type { KnownRole } from "../../domain/merge-roles.ts"
import { getRole } from "../../domain/roles.ts"
import { loadRoles } from "../../engine/load-roles.ts"
import { text } from "../../lib/fields.ts"
import { dirname } from "../../lib/paths.ts"
import { renderRole, renderRoles } from "../../views/roles.ts"
import type { Command, Session } from "./command.ts"

export const roleList: Command = {
  summary: "List roles and agent types with where each comes from",
  fields: {},
  async run({ host }) {
    const { roles } = await findRoles(host)
    return { data: roles.map(facts), text: (screen) => renderRoles(roles, screen) }
  },
}

export const roleShow: Command = {
  summary: "Show one role or agent type with its instructions",
  fields: { name: text("name of the role") },
  positional: ["name"],
  example: "teamwork role show backend",
  async run({ host }, input) {
    const role = getRole((await findRoles(host)).roles, String(input.name))
    return { data: { ...facts(role), instructions: role.instructions }, text: () => renderRole(role) }
  },
}

/** The roles as they hold here, and the folder of the repository. */
export async function findRoles(host: Session["host"]): Promise<{ roles: KnownRole[]; root: string }> {
  const paths = await host.configuration.path()
  const root = dirname(paths.repository)
  return { roles: loadRoles({ home: dirname(paths.home), repository: root }), root }
}

function facts({ instructions: _, deprecatedFor, ...role }: KnownRole) {
  return { ...role, deprecatedFor: deprecatedFor ?? null }
}
