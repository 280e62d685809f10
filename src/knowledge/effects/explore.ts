import type { NotedTeam } from "../../agents/jobs/run-notes.ts"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { GateRepository } from "../../quality/gates/port.ts"
import type { Context } from "../../store/operation.ts"
import { type Exploration, type TreeState, whyStale } from "../exploration.ts"
import { keepExploration, readExplorations } from "../operations/explorations.ts"
import { cleanPaths, readTreeState } from "./tree-state.ts"

export interface ExplorePorts extends NotedTeam {
  /** Without one, nothing is kept. */
  readonly repository: GateRepository | undefined
}

export interface ExploreRequest {
  readonly angle: string
  /** What the agent reads; `.` for everything. */
  readonly paths: readonly string[]
  readonly by: string
  /** Costs an agent run, so called only if nothing is known. */
  ask(): Promise<{ readonly summary: string; readonly findings: unknown }>
}

export interface Explored {
  readonly findings: unknown
  /** No agent ran. */
  readonly isKnown: boolean
  readonly remarks: readonly string[]
  /** Stores the answer once its team exists. */
  keep(): Promise<void>
}

/** Asks an agent only if the files changed. */
export async function exploreWith(ports: ExplorePorts, { angle, paths, by, ask }: ExploreRequest): Promise<Explored> {
  const { repository, project, team } = ports
  const before = repository && (await readTreeState(repository, paths))
  const known = before && (await findKnown(ports, angle, before))
  const remarks = (known?.cleared ?? []).map(sayCleared)
  if (known?.exploration !== undefined)
    return { findings: known.exploration.findings, isKnown: true, remarks, keep: async () => {} }
  const answer = await ask()
  const after = repository && (await readTreeState(repository, paths))
  // The agent may have read a changed file before or after its change.
  let isToKeep = before !== undefined && after !== undefined && whyStale(before, after) === undefined
  const keep = async () => {
    if (!isToKeep || before === undefined || !(await ports.hasStore())) return
    try {
      await keepExploration(await ports.openContext(), { project, team, by, angle, ...answer, ...before })
      isToKeep = false
    } catch (error) {
      if (!isNoTeam(error)) throw error
    }
  }
  await keep()
  return { findings: answer.findings, isKnown: false, remarks, keep }
}

async function findKnown(ports: ExplorePorts, angle: string, now: TreeState) {
  if (!(await ports.hasStore())) return undefined
  const { project, team } = ports
  try {
    const { explorations, cleared } = await readExplorations(await ports.openContext(), { project, team, angle })
    return { exploration: explorations.find((each) => whyStale(each, now) === undefined), cleared }
  } catch (error) {
    if (isNoTeam(error)) return undefined
    throw error
  }
}

function isNoTeam(error: unknown): boolean {
  return error instanceof AppError && error.code === "team.not_found"
}

export function sayCleared(angle: string): string {
  return `the exploration of ${quoteInput(angle)} was corrupt and has been removed`
}

/** For findings of a person or an agent. */
export async function putExploration(
  context: Context,
  repository: GateRepository,
  given: TeamName & Pick<Exploration, "angle" | "summary" | "by"> & { readonly files: readonly string[] },
): Promise<Exploration> {
  const { files, ...what } = given
  const paths = cleanPaths(files, repository.folder)
  if (paths.length === 0)
    throw new AppError(
      "input.invalid",
      (say) => `${say.field("files")} is empty; name what was read, or . for the whole repository`,
    )
  const state = await readTreeState(repository, paths)
  if (state === undefined)
    throw new AppError(
      "workspace.no_commit",
      "the repository has no commit, or too many uncommitted files; commit them first",
    )
  const strange = paths.find((path) => state.files[path] === undefined)
  if (strange !== undefined)
    throw new AppError("input.invalid", `${quoteInput(strange)} is not committed; commit it first, or leave it out`, {
      file: strange,
    })
  return keepExploration(context, { ...what, findings: null, ...state })
}

export interface ListedExploration extends Exploration {
  /** Null if up to date. */
  readonly stale: string | null
}

/** Compares each with the files of this checkout. */
export async function listExplorations(
  context: Context,
  repository: GateRepository,
  which: TeamName & { readonly angle?: string },
): Promise<{ readonly explorations: readonly ListedExploration[]; readonly cleared: readonly string[] }> {
  const { explorations, cleared } = await readExplorations(context, which)
  const listed: ListedExploration[] = []
  for (const exploration of explorations) {
    const now = await readTreeState(repository, Object.keys(exploration.files))
    const stale = now === undefined ? "too many files are not committed" : (whyStale(exploration, now) ?? null)
    listed.push({ ...exploration, stale })
  }
  return { explorations: listed, cleared }
}

export async function getExploration(
  context: Context,
  repository: GateRepository,
  which: TeamName & { readonly angle: string },
): Promise<Exploration> {
  const { explorations, cleared } = await listExplorations(context, repository, which)
  const [found] = explorations
  if (found !== undefined && found.stale === null) {
    const { stale: _, ...exploration } = found
    return exploration
  }
  const why =
    found !== undefined
      ? `the exploration of ${quoteInput(which.angle)} is out of date: ${found.stale}`
      : (cleared.map(sayCleared)[0] ?? `nothing is known of ${quoteInput(which.angle)}`)
  const fields = { angle: which.angle, summary: "TEXT", files: ["FILES"] }
  throw new AppError(
    "exploration.not_found",
    why,
    { angle: which.angle, stale: found?.stale ?? null, cleared: cleared.length > 0 },
    { remedy: { operation: "explore put", fields, to: "explore it, and keep it with" } },
  )
}
