import { AppError } from "../../kernel/errors.ts"
import { dirname } from "../../lib/paths.ts"
import { listRoleSpecs } from "../../planning/operations/role-specs.ts"
import { loadPresets } from "../../planning/planner/load-presets.ts"
import { loadRoles } from "../../planning/planner/load-roles.ts"
import type { KnownRole } from "../../planning/roles/merge-roles.ts"
import type { RoleFile } from "../../planning/roles/role-file.ts"
import type { Session } from "../command.ts"

type Asking = Pick<Session, "host" | "configured" | "context">

export async function findRoles(session: Asking): Promise<{ roles: KnownRole[]; root: string }> {
  const paths = await session.host.configuration.path()
  const root = dirname(paths.repository)
  const team = await findSpecs(session)
  return { roles: loadRoles({ home: dirname(paths.home), repository: root, team }), root }
}

/** Roles from files work without a store. */
async function findSpecs({ configured, context }: Asking): Promise<RoleFile[]> {
  try {
    const { project, team, hasStore } = await configured()
    return (await hasStore()) ? await listRoleSpecs(await context(), { project, team }) : []
  } catch (error) {
    if (error instanceof AppError && /^(?:store|config)\./.test(error.code)) return []
    throw error
  }
}

export async function findPresets({ host }: Pick<Session, "host">, roles: Parameters<typeof loadPresets>[0]["roles"]) {
  const paths = await host.configuration.path()
  return loadPresets({ home: dirname(paths.home), repository: dirname(paths.repository), roles })
}
