import type { Command, Session } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { text } from "../../lib/fields.ts"
import { dirname } from "../../lib/paths.ts"
import { listRoleSpecs } from "../operations/role-specs.ts"
import { loadRoles } from "../planner/load-roles.ts"
import type { KnownRole } from "../roles/merge-roles.ts"
import type { RoleFile } from "../roles/role-file.ts"
import { getRole } from "../roles/roles.ts"
import { renderRole, renderRoles } from "../views/roles-view.ts"

export const roleList: Command = {
  summary: "List roles and agent types with where each comes from",
  fields: {},
  async run(session) {
    const { roles } = await findRoles(session)
    return { data: roles.map(facts), text: (screen) => renderRoles(roles, screen) }
  },
}

export const roleShow: Command = {
  summary: "Show one role or agent type with its instructions",
  fields: { name: text("name of the role") },
  positional: ["name"],
  example: "teamwork role show backend",
  async run(session, input) {
    const role = getRole((await findRoles(session)).roles, String(input.name))
    return { data: { ...facts(role), instructions: role.instructions }, text: () => renderRole(role) }
  },
}

type Asking = Pick<Session, "host" | "configured" | "context">

/** The roles as they hold here and for the team, and the folder of the repository. */
export async function findRoles(session: Asking): Promise<{ roles: KnownRole[]; root: string }> {
  const paths = await session.host.configuration.path()
  const root = dirname(paths.repository)
  const team = await findSpecs(session)
  return { roles: loadRoles({ home: dirname(paths.home), repository: root, team }), root }
}

/** Roles of files hold without a store, and where it cannot be opened. */
async function findSpecs({ configured, context }: Asking): Promise<RoleFile[]> {
  try {
    const { project, team, hasStore } = await configured()
    return (await hasStore()) ? await listRoleSpecs(await context(), { project, team }) : []
  } catch (error) {
    if (error instanceof AppError && /^(?:store|config)\./.test(error.code)) return []
    throw error
  }
}

function facts({ instructions: _, deprecatedFor, ...role }: KnownRole) {
  return { ...role, deprecatedFor: deprecatedFor ?? null }
}
