import type { MadeRoles } from "../../delivery/deliverables.ts"
import type { Document } from "../../kernel/document.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { LEAD } from "../../messages/message.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import type { Plan } from "../plan.ts"
import { MAX_ROLE_SPECS, type MadeRole, readRoleSpec, renderRoleSpec, specPath } from "../roles/role-spec.ts"

/** Empty if the team does not exist. */
export async function listRoleSpecs({ store }: Pick<Context, "store">, name: TeamName): Promise<MadeRole[]> {
  return store.read(async (tx) => {
    const team = await tx.teams.find(name)
    return team === undefined ? [] : readSpecs(tx, team.key)
  })
}

export async function readSpecTexts(
  { store }: Pick<Context, "store">,
  team: TeamName,
  names: readonly string[],
): Promise<Document[]> {
  const paths = names.map(specPath)
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, team)
    return (await tx.documents.list(key)).filter(({ path }) => paths.includes(path))
  })
}

export async function readSpecs(tx: Tx, key: number): Promise<MadeRole[]> {
  return (await tx.documents.list(key)).flatMap((document) => readRoleSpec(document) ?? [])
}

export async function readMadeRoles(tx: Tx, key: number): Promise<MadeRoles> {
  const roles = await readSpecs(tx, key)
  return new Map(
    roles.flatMap(({ name, responsibility }) => (responsibility === undefined ? [] : [[name, responsibility]])),
  )
}

/** Returns the names of the new ones. */
export async function putSpecs(tx: Tx, key: number, { roleSpecs = [], tasks }: Plan): Promise<string[]> {
  if (roleSpecs.length === 0) return []
  const known = (await readSpecs(tx, key)).map(({ name }) => name)
  const made = roleSpecs.filter(({ name }) => !known.includes(name))
  assertRoom(known, made.length)
  for (const spec of made) await putSpec(tx, key, spec.name, renderRoleSpec(spec, tasks))
  return made.map(({ name }) => name)
}

export async function putSpec(tx: Tx, key: number, name: string, content: string): Promise<void> {
  await tx.documents.put(key, { path: specPath(name), content, encoding: "utf8", by: LEAD })
}

function assertRoom(known: readonly string[], more: number): void {
  if (known.length + more <= MAX_ROLE_SPECS) return
  const way = "give the work to one of them, or make it part of another team"
  throw new AppError(
    "role.limit",
    `the team has ${known.length} made roles (${known.join(", ") || "none"}) and may have ${MAX_ROLE_SPECS}; ${way}`,
    { known: known.length, limit: MAX_ROLE_SPECS },
  )
}
