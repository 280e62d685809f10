import type { ProjectRepository, RepositoryId } from "../kernel/repository.ts"

/** Which repositories belong to a project. A project without one belongs to the first repository that uses it. */
export interface ProjectStore {
  /** By project name; the repository that a project began in comes before linked ones. */
  list(): Promise<ProjectRepository[]>
  of(project: string): Promise<ProjectRepository[]>
  in(repository: RepositoryId): Promise<ProjectRepository[]>
  /** The project of commands in this repository that name none. */
  findDefault(repository: RepositoryId): Promise<ProjectRepository | undefined>
  /** The current runs of its teams, by name. */
  teams(project: string): Promise<{ readonly key: number; readonly team: string }[]>
  /**
   * False, without any change, when the project has this repository already, belongs to another one, or the repository
   * has another default. Of several concurrent calls one repository gets the project.
   */
  add(place: Omit<ProjectRepository, "addedAt">): Promise<boolean>
  /** Undefined: no default. */
  setDefault(repository: RepositoryId, project: string | undefined): Promise<void>
  /** The repository was moved to another folder. */
  move(repository: RepositoryId, place: Pick<ProjectRepository, "gitDir" | "folder">): Promise<void>
  /** Returns whether the project had this repository. */
  remove(project: string, repository: RepositoryId): Promise<boolean>
}
