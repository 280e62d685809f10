import { command } from "../../app/command.ts"
import { findRoles } from "../../app/wiring/find-roles.ts"
import { text } from "../../lib/schema.ts"
import type { KnownRole } from "../roles/merge-roles.ts"
import { getRole } from "../roles/roles.ts"
import { renderRole, renderRoles } from "../views/roles-view.ts"

export const roleList = command({
  summary: "List roles and agent types, and where they are defined",
  fields: {},
  async run(session) {
    const { roles } = await findRoles(session)
    return { data: roles.map(facts), text: (screen) => renderRoles(roles, screen) }
  },
})

export const roleShow = command({
  summary: "Show one role or agent type with its instructions",
  fields: { name: text("name of the role") },
  positional: ["name"],
  example: "teamwork role show backend",
  async run(session, input) {
    const role = getRole((await findRoles(session)).roles, input.name)
    return { data: { ...facts(role), instructions: role.instructions }, text: () => renderRole(role) }
  },
})

function facts({ instructions: _, deprecatedFor, ...role }: KnownRole) {
  return { ...role, deprecatedFor: deprecatedFor ?? null }
}
