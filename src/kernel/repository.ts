/**
 * A git repository as a store knows it. The id lies in git's common folder, so all worktrees of a repository share it. A
 * clone by git has none and is another repository. A copy of the folder has the same: of two folders with one id, the
 * one that the store knows keeps it.
 */
export type RepositoryId = string & { readonly __id: "repository" }

/** The file with the id, below git's common folder. */
export const REPOSITORY_ID_FILE = "teamwork/id"

/** The id in the text of that file; undefined where it holds none. */
export function parseRepositoryId(text: string): RepositoryId | undefined {
  const id = text.trim()
  return /^[0-9a-f]{32}$/.test(id) ? (id as RepositoryId) : undefined
}

/** The repository around a folder, as git's own files tell. */
export interface RepositoryPlace {
  /** Null where nobody has worked with it yet. */
  readonly id: RepositoryId | null
  /** Git's common folder, which all worktrees share. */
  readonly gitDir: string
  /** Where a person finds it: the main checkout, or the git folder of a repository without one. */
  readonly folder: string
  /** The project's name, as long as no other repository has it. */
  readonly name: string
  /** What earlier versions called it; the same for plain names. */
  readonly earlierName: string
}

/** Where the commits of an attempt lie, for people and for other repositories. */
export interface WorkPlace {
  readonly machine: string
  /** Of the repository, whatever worktree of it the work was done in. */
  readonly folder: string
  readonly repository: RepositoryId | null
}

/** A repository in which a project lives. */
export interface ProjectRepository {
  readonly project: string
  readonly repository: RepositoryId
  readonly gitDir: string
  readonly folder: string
  /** The project that commands in this repository are about when they name none. */
  readonly isDefault: boolean
  /** Attached on purpose, beside the repository that the project began in. */
  readonly isLinked: boolean
  readonly addedAt: string
}
