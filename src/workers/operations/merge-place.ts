import type { WorkPlace } from "../../kernel/repository.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"

/**
 * The repository that a project's work is merged in, if that is another than the given one: where the project began, as
 * clones are only linked to it. Undefined where work is merged where it is done, or nobody knows.
 */
export async function findOtherMergePlace(
  { store }: Context,
  { project }: TeamName,
  here: WorkPlace,
): Promise<{ readonly folder: string } | undefined> {
  if (here.repository === null) return undefined
  const repositories = await store.read((tx) => tx.projects.of(project))
  const own = repositories.find(({ isLinked }) => !isLinked)
  return own === undefined || own.repository === here.repository ? undefined : { folder: own.folder }
}
