import type { ProjectRepository } from "../../kernel/repository.ts"
import type { ProjectStore } from "../project-store.ts"
import { insertRow, type Session } from "./sql-session.ts"
import { flag, table, time } from "./sql-table.ts"

const REPOSITORY = table<ProjectRepository>("project_repository", {
  project: "project",
  repository: "repository",
  gitDir: "git_dir",
  folder: "folder",
  isDefault: flag("is_default"),
  isLinked: flag("is_linked"),
  addedAt: time("added_at"),
})

const ORDER = "order by project, is_linked, added_at, repository"

export function projectStore(session: Session): ProjectStore {
  return {
    list: () => REPOSITORY.list(session, ORDER),
    of: (project) => REPOSITORY.list(session, `where project = ? ${ORDER}`, [project]),
    in: (repository) => REPOSITORY.list(session, `where repository = ? ${ORDER}`, [repository]),
    findDefault: (repository) => REPOSITORY.find(session, "where repository = ? and is_default = 1", [repository]),
    teams: (project) =>
      session.all<{ key: number; team: string }>(
        "select id as key, name as team from team where project = ? and is_current = 1 order by name",
        [project],
      ),
    async add(place) {
      const row = REPOSITORY.toRow({ ...place, addedAt: await session.now() })
      const added = await insertRow(session, "project_repository", row, "on conflict do nothing returning project")
      return added !== undefined
    },
    async setDefault(repository, project = "") {
      // In this order: only one project of a repository may be its default.
      const set = "update project_repository set is_default = ? where repository = ? and"
      await session.run(`${set} is_default = 1 and project <> ?`, [0, repository, project])
      await session.run(`${set} project = ?`, [1, repository, project])
    },
    move: (repository, { gitDir, folder }) =>
      session.run("update project_repository set git_dir = ?, folder = ? where repository = ?", [
        gitDir,
        folder,
        repository,
      ]),
    async remove(project, repository) {
      const row = await session.get(
        "delete from project_repository where project = ? and repository = ? returning project",
        [project, repository],
      )
      return row !== undefined
    },
  }
}
