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
  /** False where it was so before. */
  readonly changed: boolean
  /** What commands in this repository are about now, when they name no project; null where that is detected. */
  readonly defaultProject: string | null
}

/** From now on the project lives in this repository as well, and commands there are about it. Safe to repeat. */
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

/** The other way: the project lives here no longer. What is in the repository stays. */
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
