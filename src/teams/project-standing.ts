import type { ProjectRepository, RepositoryId } from "../kernel/repository.ts"

/** What a store knows of a project, as far as it says which repository it belongs to. */
export interface ProjectFacts {
  readonly repositories: readonly ProjectRepository[]
  readonly hasTeams: boolean
  /** One of its teams worked in a repository, which that repository's refs show. */
  readonly hasWork: boolean
}

/**
 * What a project is to a repository:
 * - `own`: it lives there.
 * - `taken`: it lives in others.
 * - `free`: nobody uses the name.
 * - `unclaimed`: it has no repository and no work in any; it becomes that of the first that uses it.
 * - `worked`: it has no repository, but work in one; it belongs to the one with its refs.
 */
export type Standing = "own" | "taken" | "free" | "unclaimed" | "worked"

export function standingOf({ repositories, hasTeams, hasWork }: ProjectFacts, id: RepositoryId | null): Standing {
  if (repositories.some(({ repository }) => repository === id)) return "own"
  if (repositories.length > 0) return "taken"
  if (!hasTeams) return "free"
  return hasWork ? "worked" : "unclaimed"
}

const MAX_NAME_LENGTH = 60

/** The names that a repository's project may get, best first: `api`, `api-2`, `api-3`, ... */
export function* possibleNames(name: string): Generator<string, never> {
  yield name
  const stem = name.slice(0, MAX_NAME_LENGTH).replace(/[-._]+$/, "")
  for (let number = 2; ; number++) yield `${stem}-${number}`
}
