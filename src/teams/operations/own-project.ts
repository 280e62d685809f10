import { AppError } from "../../kernel/errors.ts"
import type { ProjectRepository, RepositoryId, RepositoryPlace } from "../../kernel/repository.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { type ProjectFacts, possibleNames, type Standing, standingOf } from "../project-standing.ts"

type WithStore = Pick<Context, "store">

export type HasRefs = (project: string) => Promise<boolean>

/** The default project, or the first name that no other repository has. Changes nothing. */
export async function nameProject({ store }: WithStore, place: RepositoryPlace, hasRefs: HasRefs): Promise<string> {
  const { id, name, earlierName } = place
  const known = id === null ? undefined : await store.read((tx) => tx.projects.findDefault(id))
  if (known !== undefined) return known.project
  const isOurs = async (candidate: string, fitting: readonly Standing[]) => {
    const standing = standingOf(await store.read((tx) => readProject(tx, candidate)), id)
    return fitting.includes(standing) || (standing === "worked" && (await hasRefs(candidate)))
  }
  if (earlierName !== name && (await isOurs(earlierName, ["own"]))) return earlierName
  const names = possibleNames(name)
  for (;;) {
    const candidate = names.next().value
    if (await isOurs(candidate, ["own", "free", "unclaimed"])) return candidate
  }
}

export interface OwnRequest {
  readonly project: string
  readonly place: RepositoryPlace & { readonly id: RepositoryId }
  readonly hasRefs: boolean
  /** Makes it the default project, unless the repository has one. */
  readonly isDefault: boolean
}

/** Gives a project without a repository to this one. Throws when it belongs to others. */
export async function ownProject({ store }: WithStore, request: OwnRequest): Promise<void> {
  const { project, place, hasRefs } = request
  const { id, gitDir, folder } = place
  const known = await store.read((tx) => tx.projects.of(project))
  // The usual case needs no write.
  if (known.some((each) => each.repository === id && each.gitDir === gitDir)) return
  await store.write(async (tx) => {
    const facts = await readProject(tx, project)
    const standing = standingOf(facts, id)
    if (standing === "own") return tx.projects.move(id, { gitDir, folder })
    if (standing === "taken" || (standing === "worked" && !hasRefs)) throw livesElsewhere(project, facts.repositories)
    const isDefault = request.isDefault && (await tx.projects.findDefault(id)) === undefined
    const isOurs = await tx.projects.add({ project, repository: id, gitDir, folder, isDefault, isLinked: false })
    if (!isOurs) throw livesElsewhere(project, await tx.projects.of(project))
  })
}

export async function readProject(tx: Tx, project: string): Promise<ProjectFacts> {
  const repositories = await tx.projects.of(project)
  if (repositories.length > 0) return { repositories, hasTeams: true, hasWork: true }
  const teams = await tx.projects.teams(project)
  let hasWork = false
  for (const { key } of teams) hasWork ||= await hasWorked(tx, key)
  return { repositories, hasTeams: teams.length > 0, hasWork }
}

async function hasWorked(tx: Tx, key: number): Promise<boolean> {
  const { events } = await tx.events.list(key, { type: "workspace.created", limit: 1 })
  return events.length > 0
}

function livesElsewhere(project: string, repositories: readonly ProjectRepository[]): AppError {
  const folders = repositories.map(({ folder }) => folder)
  const where =
    folders.length === 0
      ? `project ${project} has work in another repository; go there`
      : `project ${project} belongs to the repository in ${folders.join(" and ")}; go there`
  return new AppError(
    "project.elsewhere",
    where,
    { project, folders },
    { remedy: { operation: "link", fields: { name: project }, to: "or attach this repository to it with" } },
  )
}
