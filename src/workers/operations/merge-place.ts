import type { WorkPlace } from "../../kernel/repository.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"

/** Undefined when this repository merges. Clones are only linked to a project. */
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
