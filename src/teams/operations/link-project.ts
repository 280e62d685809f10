import { AppError } from "../../kernel/errors.ts"
import type { RepositoryId, RepositoryPlace } from "../../kernel/repository.ts"
import type { Context } from "../../store/operation.ts"
import { readProject } from "./own-project.ts"

type WithStore = Pick<Context, "store">

interface LinkRequest {
  readonly project: string
  readonly place: RepositoryPlace & { readonly id: RepositoryId }
}

export interface Linked {
  readonly project: string
  readonly folder: string
  readonly changed: boolean
  /** For commands in this repository that name no project; null when it is detected. */
  readonly defaultProject: string | null
}

/** Also makes it the default project here. Safe to repeat. */
export async function linkProject({ store }: WithStore, { project, place }: LinkRequest): Promise<Linked> {
  const { id, gitDir, folder } = place
  return store.write(async (tx) => {
    const { repositories, hasTeams } = await readProject(tx, project)
    if (repositories.length === 0 && !hasTeams)
      throw new AppError(
        "project.not_found",
        `there is no project ${project}`,
        { project },
        { remedy: { operation: "project list", to: "see" } },
      )
    const before = repositories.find(({ repository }) => repository === id)
    if (before === undefined) {
      const isLinked = repositories.length > 0
      await tx.projects.add({ project, repository: id, gitDir, folder, isDefault: false, isLinked })
    }
    await tx.projects.move(id, { gitDir, folder })
    await tx.projects.setDefault(id, project)
    return { project, folder, changed: before?.isDefault !== true, defaultProject: project }
  })
}

/** Branches and pins in the repository stay. */
export async function unlinkProject({ store }: WithStore, { project, place }: LinkRequest): Promise<Linked> {
  const { id, folder } = place
  return store.write(async (tx) => {
    if (!(await tx.projects.remove(project, id)))
      throw new AppError(
        "project.not_linked",
        `the repository in ${folder} is not attached to project ${project}`,
        { project, folder },
        { remedy: { operation: "project list", to: "see" } },
      )
    const left = await tx.projects.in(id)
    const next = left.find((each) => each.isDefault) ?? left.find((each) => !each.isLinked)
    await tx.projects.setDefault(id, next?.project)
    return { project, folder, changed: true, defaultProject: next?.project ?? null }
  })
}
