import type { ProjectRepository, RepositoryId, RepositoryPlace } from "../kernel/repository.ts"
import type { Store } from "../store/port.ts"
import { nameProject, ownProject, readProject } from "../teams/operations/own-project.ts"
import { detectRepository, findGit, readRepositoryId } from "./config/detect-team.ts"

/** Needs git, so it is loaded on demand. */
export interface RepositoryWork {
  ensureId(gitDir: string): RepositoryId
  /** For a copy, which has the id of the original. */
  renewId(gitDir: string, from: RepositoryId): Promise<RepositoryId>
  hasRefs(gitDir: string, project: string): Promise<boolean>
  /** Renames branches of earlier versions; returns notes for the user. */
  takeOver(gitDir: string, project: string, teams: readonly string[]): Promise<readonly string[]>
}

export interface ProjectsHere {
  name(place: RepositoryPlace): Promise<string>
  /** Call before work in the repository of a folder: assigns the project to that repository, or throws. */
  own(project: string, folder: string): Promise<void>
  /** Gives the repository an id; undefined outside of one. */
  settle(folder: string): Promise<SettledPlace | undefined>
}

export type SettledPlace = RepositoryPlace & { readonly id: RepositoryId }

interface Ports {
  readonly store: () => Promise<Store>
  readonly repositories: () => Promise<RepositoryWork>
  readonly say: (line: string) => void
}

export function makeProjectsHere({ store, repositories, say }: Ports): ProjectsHere {
  const owned = new Map<string, Promise<void>>()
  const context = async () => ({ store: await store() })
  const hasRefs = (gitDir: string) => async (project: string) => (await repositories()).hasRefs(gitDir, project)
  const name = async (place: RepositoryPlace) => {
    const { id, gitDir } = place
    const known = id === null ? undefined : await (await store()).read((tx) => tx.projects.findDefault(id))
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
    // Rename before recording: after a crash in between, the next process repeats it.
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
      // A failure may be repaired before the next call.
      known.catch(() => owned.delete(key))
      return known
    },
  }
}

/** A copy has the id of the original. While the original exists, treat the copy as one without an id. */
async function asItself(store: Store, place: RepositoryPlace): Promise<RepositoryPlace> {
  const { id, gitDir } = place
  if (id === null) return place
  const [known] = await store.read((tx) => tx.projects.in(id))
  return known !== undefined && known.gitDir !== gitDir && (await isCopy(known, place)) ? { ...place, id: null } : place
}

async function isCopy(known: ProjectRepository, { id, gitDir }: RepositoryPlace): Promise<boolean> {
  if ((await readRepositoryId(known.gitDir)) !== id) return false
  // Rarely needed; loading it takes 0.5 ms.
  const { realpathSync } = await import("node:fs")
  try {
    return realpathSync(known.gitDir) !== realpathSync(gitDir)
  } catch {
    return false
  }
}
