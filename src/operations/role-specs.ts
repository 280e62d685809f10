import type { MadeRoles } from "../domain/deliverables.ts"
import type { Document } from "../domain/document.ts"
import { AppError } from "../domain/errors.ts"
import { LEAD } from "../domain/message.ts"
import type { Plan } from "../domain/plan.ts"
import { tryParseRoleFile } from "../domain/role-file.ts"
import { isSpecPath, MAX_ROLE_SPECS, renderRoleSpec, specPath } from "../domain/role-spec.ts"
import type { TeamName } from "../domain/team.ts"
import type { Tx } from "../store/port.ts"
import type { Context } from "./operation.ts"

/** The roles that were made for a team; none for a team that is not there. */
export async function listRoleSpecs({ store }: Pick<Context, "store">, name: TeamName): Promise<Document[]> {
  return store.read(async (tx) => {
    const team = await tx.teams.find(name)
    return team === undefined ? [] : readSpecs(tx, team.key)
  })
}

/** What the roles of the team are responsible for. One that cannot be read is told of by whoever needs it. */
export async function readMadeRoles(tx: Tx, key: number): Promise<MadeRoles> {
  const roles = (await readSpecs(tx, key)).map(({ path, content }) => tryParseRoleFile(path, content))
  return new Map(
    roles.flatMap((role) => (role?.responsibility === undefined ? [] : [[role.name, role.responsibility]])),
  )
}

export async function readSpecs(tx: Tx, key: number): Promise<Document[]> {
  return (await tx.documents.list(key)).filter(({ path, encoding }) => isSpecPath(path) && encoding === "utf8")
}

/** Keeps the roles of a plan with the team, and gives back the names of those that were not there. */
export async function putSpecs(tx: Tx, key: number, { roleSpecs = [], tasks }: Plan): Promise<string[]> {
  if (roleSpecs.length === 0) return []
  const known = (await readSpecs(tx, key)).map(({ path }) => path)
  const made = roleSpecs.filter(({ name }) => !known.includes(specPath(name)))
  assertRoom(known, made.length)
  for (const spec of made) await putSpec(tx, key, spec.name, renderRoleSpec(spec, tasks))
  return made.map(({ name }) => name)
}

export async function putSpec(tx: Tx, key: number, name: string, content: string): Promise<void> {
  await tx.documents.put(key, { path: specPath(name), content, encoding: "utf8", by: LEAD })
}

function assertRoom(known: readonly string[], more: number): void {
  if (known.length + more <= MAX_ROLE_SPECS) return
  const names = known.map((path) => path.replace(/^role-specs\/|\.md$/g, "")).join(", ")
  const way = "give the work to one of them, or make it part of another team"
  throw new AppError(
    "role.limit",
    `the team has ${known.length} made roles (${names || "none"}) and may have ${MAX_ROLE_SPECS}; ${way}`,
    { known: known.length, limit: MAX_ROLE_SPECS },
  )
}
