/**
 * The id of a git repository, stored in git's common folder, so that all worktrees share it. A git clone has none and is
 * another repository. A copied folder has the same id: the folder that the store knows keeps it.
 */
export type RepositoryId = string & { readonly __id: "repository" }

/** The file with the id, below git's common folder. */
export const REPOSITORY_ID_FILE = "teamwork/id"

/** The id in the text of that file; undefined where it holds none. */
export function parseRepositoryId(text: string): RepositoryId | undefined {
  const id = text.trim()
  return /^[0-9a-f]{32}$/.test(id) ? (id as RepositoryId) : undefined
}

/** The repository around a folder, read from git's own files. */
export interface RepositoryPlace {
  /** Null before its first use with teamwork. */
  readonly id: RepositoryId | null
  /** Git's common folder, which all worktrees share. */
  readonly gitDir: string
  /** Where a person finds it: the main checkout, or the git folder of a repository without one. */
  readonly folder: string
  /** The project's name, unless another repository has it. */
  readonly name: string
  /** Its name in earlier versions; the same for plain names. */
  readonly earlierName: string
}

/** Where the commits of an attempt are, for people and for other repositories. */
export interface WorkPlace {
  readonly machine: string
  /** Of the repository, not of the worktree. */
  readonly folder: string
  readonly repository: RepositoryId | null
}

/** A repository of a project. */
export interface ProjectRepository {
  readonly project: string
  readonly repository: RepositoryId
  readonly gitDir: string
  readonly folder: string
  /** It is the project of commands in this repository that name none. */
  readonly isDefault: boolean
  /** Added by `teamwork link`, beside the repository that the project began in. */
  readonly isLinked: boolean
  readonly addedAt: string
}
