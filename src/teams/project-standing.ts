import type { ProjectRepository, RepositoryId } from "../kernel/repository.ts"

export interface ProjectFacts {
  readonly repositories: readonly ProjectRepository[]
  readonly hasTeams: boolean
  /** One of its teams worked in a repository, which has refs of the work. */
  readonly hasWork: boolean
}

/**
 * - `own`: it belongs to this repository.
 * - `taken`: it belongs to others.
 * - `free`: the name is not used.
 * - `unclaimed`: it has no repository and no work; the first repository that uses it gets it.
 * - `worked`: it has no repository, but work in one; it belongs to the repository with its refs.
 */
export type Standing = "own" | "taken" | "free" | "unclaimed" | "worked"

export function standingOf({ repositories, hasTeams, hasWork }: ProjectFacts, id: RepositoryId | null): Standing {
  if (repositories.some(({ repository }) => repository === id)) return "own"
  if (repositories.length > 0) return "taken"
  if (!hasTeams) return "free"
  return hasWork ? "worked" : "unclaimed"
}

const MAX_NAME_LENGTH = 60

/** Best first: `api`, `api-2`, `api-3`, ... */
export function* possibleNames(name: string): Generator<string, never> {
  yield name
  const stem = name.slice(0, MAX_NAME_LENGTH).replace(/[-._]+$/, "")
  for (let number = 2; ; number++) yield `${stem}-${number}`
}
