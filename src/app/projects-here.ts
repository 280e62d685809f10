import type { ProjectRepository, RepositoryId, RepositoryPlace } from "../kernel/repository.ts"
import type { Store } from "../store/port.ts"
import { nameProject, ownProject, readProject } from "../teams/operations/own-project.ts"
import { detectRepository, findGit, readRepositoryId } from "./config/detect-team.ts"

/** What git is needed for here; few calls need it. */
export interface RepositoryWork {
  ensureId(gitDir: string): RepositoryId
  /** For a copy, whose id is another repository's. */
  renewId(gitDir: string, from: RepositoryId): Promise<RepositoryId>
  /** Whether a project's work is pinned here. */
  hasRefs(gitDir: string, project: string): Promise<boolean>
  /** Gives branches of earlier versions the names that they have now; with what a person should know. */
  takeOver(gitDir: string, project: string, teams: readonly string[]): Promise<readonly string[]>
}

export interface ProjectsHere {
  /** The project of a repository, by its id. */
  name(place: RepositoryPlace): Promise<string>
  /** Before work in the repository around a folder: the project is that repository's from now on, or this throws. */
  own(project: string, folder: string): Promise<void>
  /** The repository around a folder, with an id; undefined where there is none. */
  settle(folder: string): Promise<SettledPlace | undefined>
}

export type SettledPlace = RepositoryPlace & { readonly id: RepositoryId }

interface Ports {
  readonly store: () => Promise<Store>
  readonly repositories: () => Promise<RepositoryWork>
  readonly say: (line: string) => void
}

/** Ties the projects of a store to the repositories of this machine. */
export function makeProjectsHere({ store, repositories, say }: Ports): ProjectsHere {
  const owned = new Map<string, Promise<void>>()
  const context = async () => ({ store: await store() })
  const hasRefs = (gitDir: string) => async (project: string) => (await repositories()).hasRefs(gitDir, project)
  const name = async (place: RepositoryPlace) => {
    const { id, gitDir } = place
    const known = id === null ? undefined : await (await store()).read((tx) => tx.projects.findDefault(id))
    // What nearly every call finds, by one query.
    if (known?.gitDir === gitDir) return known.project
    return nameProject(await context(), await asItself(await store(), place), hasRefs(gitDir))
  }
  const settle = async (folder: string): Promise<SettledPlace | undefined> => {
    const git = await findGit(folder)
    if (git === undefined) return undefined
    const place = await detectRepository(git)
    const { id } = await asItself(await store(), place)
    if (id !== null) return { ...place, id }
    const { ensureId, renewId } = await repositories()
    return { ...place, id: place.id === null ? ensureId(place.gitDir) : await renewId(place.gitDir, place.id) }
  }
  const own = async (project: string, folder: string) => {
    const place = await settle(folder)
    if (place === undefined) return
    const { facts, teams } = await (await store()).read(async (tx) => ({
      facts: await readProject(tx, project),
      teams: (await tx.projects.teams(project)).map(({ team }) => team),
    }))
    const isNew = !facts.repositories.some((each) => each.repository === place.id)
    const hasOwnRefs = isNew && facts.hasTeams && (await hasRefs(place.gitDir)(project))
    // Before it is noted: a process that ends in between leaves it to the next.
    if (hasOwnRefs && facts.repositories.length === 0)
      for (const line of await (await repositories()).takeOver(place.gitDir, project, [...new Set(teams)])) say(line)
    const isDefault = isNew && (await name(place)) === project
    await ownProject(await context(), { project, place, hasRefs: hasOwnRefs, isDefault })
  }
  return {
    name,
    settle,
    own(project, folder) {
      const key = `${project}\n${folder}`
      const known = owned.get(key) ?? own(project, folder)
      owned.set(key, known)
      // A link may have been made by the next call.
      known.catch(() => owned.delete(key))
      return known
    },
  }
}

/** A copy of a known repository has its id and is not it: as long as the known one is there, the copy counts as without. */
async function asItself(store: Store, place: RepositoryPlace): Promise<RepositoryPlace> {
  const { id, gitDir } = place
  if (id === null) return place
  const [known] = await store.read((tx) => tx.projects.in(id))
  return known !== undefined && known.gitDir !== gitDir && (await isCopy(known, place)) ? { ...place, id: null } : place
}

async function isCopy(known: ProjectRepository, { id, gitDir }: RepositoryPlace): Promise<boolean> {
  if ((await readRepositoryId(known.gitDir)) !== id) return false
  // Only a copy or a moved repository needs it, and loading it costs every call half a millisecond.
  const { realpathSync } = await import("node:fs")
  try {
    return realpathSync(known.gitDir) !== realpathSync(gitDir)
  } catch {
    // Gone meanwhile.
    return false
  }
}
