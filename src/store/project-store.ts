import type { ProjectRepository, RepositoryId } from "../kernel/repository.ts"

/** Which repositories the projects live in. A project without one belongs to the first repository that uses it. */
export interface ProjectStore {
  /** Of all projects, by name; the repository that a project began in comes before those that were linked. */
  list(): Promise<ProjectRepository[]>
  of(project: string): Promise<ProjectRepository[]>
  in(repository: RepositoryId): Promise<ProjectRepository[]>
  /** The project that commands in the repository are about when they name none. */
  findDefault(repository: RepositoryId): Promise<ProjectRepository | undefined>
  /** By name, with the keys of their records. */
  teams(project: string): Promise<{ readonly key: number; readonly team: string }[]>
  /**
   * False, and nothing changed, where the project lives there already, or another repository is its own, or the
   * repository has another default. Of any number that ask at once, one repository becomes the project's own.
   */
  add(place: Omit<ProjectRepository, "addedAt">): Promise<boolean>
  /** Undefined: none. */
  setDefault(repository: RepositoryId, project: string | undefined): Promise<void>
  /** The repository is somewhere else now. */
  move(repository: RepositoryId, place: Pick<ProjectRepository, "gitDir" | "folder">): Promise<void>
  /** Whether the project lived there. */
  remove(project: string, repository: RepositoryId): Promise<boolean>
}
