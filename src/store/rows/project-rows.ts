import type { ProjectRepository, RepositoryId } from "../../kernel/repository.ts"
import type { ProjectStore } from "../project-store.ts"
import { iso, type Session } from "./sql-session.ts"

interface ProjectRow {
  project: string
  repository: RepositoryId
  git_dir: string
  folder: string
  is_default: number
  is_linked: number
  added_at: number
}

const COLUMNS = "project, repository, git_dir, folder, is_default, is_linked, added_at"

export function projectStore(session: Session): ProjectStore {
  const select = async (where: string, params: readonly string[] = []) => {
    const rows = await session.all<ProjectRow>(
      `select ${COLUMNS} from project_repository ${where} order by project, is_linked, added_at, repository`,
      params,
    )
    return rows.map(toRepository)
  }
  return {
    list: () => select(""),
    of: (project) => select("where project = ?", [project]),
    in: (repository) => select("where repository = ?", [repository]),
    async teams(project) {
      const rows = await session.all<{ id: number; name: string }>(
        "select id, name from team where project = ? and is_current = 1 order by name",
        [project],
      )
      return rows.map(({ id, name }) => ({ key: id, team: name }))
    },
    async findDefault(repository) {
      const row = await session.get<ProjectRow>(
        `select ${COLUMNS} from project_repository where repository = ? and is_default = 1`,
        [repository],
      )
      return row && toRepository(row)
    },
    async add({ project, repository, gitDir, folder, isDefault, isLinked }) {
      const row = await session.get(
        `insert into project_repository (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)
         on conflict do nothing returning project`,
        [project, repository, gitDir, folder, isDefault ? 1 : 0, isLinked ? 1 : 0, await session.now()],
      )
      return row !== undefined
    },
    async setDefault(repository, project) {
      await session.run(
        "update project_repository set is_default = 0 where repository = ? and is_default = 1 and project <> ?",
        [repository, project ?? ""],
      )
      await session.run("update project_repository set is_default = 1 where repository = ? and project = ?", [
        repository,
        project ?? "",
      ])
    },
    async move(repository, { gitDir, folder }) {
      await session.run("update project_repository set git_dir = ?, folder = ? where repository = ?", [
        gitDir,
        folder,
        repository,
      ])
    },
    async remove(project, repository) {
      const row = await session.get(
        "delete from project_repository where project = ? and repository = ? returning project",
        [project, repository],
      )
      return row !== undefined
    },
  }
}

function toRepository(row: ProjectRow): ProjectRepository {
  return {
    project: row.project,
    repository: row.repository,
    gitDir: row.git_dir,
    folder: row.folder,
    isDefault: Number(row.is_default) === 1,
    isLinked: Number(row.is_linked) === 1,
    addedAt: iso(row.added_at),
  }
}
