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
  /** Undefined where there is no repository: then nothing is remembered. */
  readonly repository: GateRepository | undefined
}

export interface ExploreRequest {
  readonly angle: string
  /** The files and folders that are read; `.` for all of them. */
  readonly paths: readonly string[]
  /** In whose name it is kept. */
  readonly by: string
  /** Costs an agent's run, and so is called only for what is not known. */
  ask(): Promise<{ readonly summary: string; readonly findings: unknown }>
}

export interface Explored {
  readonly findings: unknown
  /** Nobody was asked. */
  readonly isKnown: boolean
  /** What a person should be told. */
  readonly remarks: readonly string[]
  /** Keeps what could not be kept before, as soon as there is a team that it belongs to. */
  keep(): Promise<void>
}

/** What is known from an angle while the files are the same, and otherwise what whoever is asked finds out. */
export async function exploreWith(ports: ExplorePorts, { angle, paths, by, ask }: ExploreRequest): Promise<Explored> {
  const { repository, project, team } = ports
  const before = repository && (await readTreeState(repository, paths))
  const known = before && (await findKnown(ports, angle, before))
  const remarks = (known?.cleared ?? []).map(sayCleared)
  if (known?.exploration !== undefined)
    return { findings: known.exploration.findings, isKnown: true, remarks, keep: async () => {} }
  const answer = await ask()
  const after = repository && (await readTreeState(repository, paths))
  // What changed while it was looked at may have been read either way.
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
  return `what was known of ${quoteInput(angle)} was corrupt and is cleared`
}

/** By hand: what somebody found out in the files that are named. */
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
      (say) => `${say.field("files")} names none; name what was read, or . for the whole repository`,
    )
  const state = await readTreeState(repository, paths)
  if (state === undefined)
    throw new AppError("workspace.no_commit", "nothing is committed yet, or too much is not; commit it first")
  const strange = paths.find((path) => state.files[path] === undefined)
  if (strange !== undefined)
    throw new AppError("input.invalid", `${quoteInput(strange)} is in no commit; commit it first, or leave it out`, {
      file: strange,
    })
  return keepExploration(context, { ...what, findings: null, ...state })
}

export interface ListedExploration extends Exploration {
  /** Null while it holds. */
  readonly stale: string | null
}

/** All of them, or one; each with whether it still holds in this checkout. */
export async function listExplorations(
  context: Context,
  repository: GateRepository,
  which: TeamName & { readonly angle?: string },
): Promise<{ readonly explorations: readonly ListedExploration[]; readonly cleared: readonly string[] }> {
  const { explorations, cleared } = await readExplorations(context, which)
  const listed: ListedExploration[] = []
  for (const exploration of explorations) {
    const now = await readTreeState(repository, Object.keys(exploration.files))
    const stale = now === undefined ? "too much is not committed" : (whyStale(exploration, now) ?? null)
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
      ? `what is known of ${quoteInput(which.angle)} does not hold any more: ${found.stale}`
      : (cleared.map(sayCleared)[0] ?? `nothing is known of ${quoteInput(which.angle)}`)
  const fields = { angle: which.angle, summary: "TEXT", files: ["FILES"] }
  throw new AppError(
    "exploration.not_found",
    why,
    { angle: which.angle, stale: found?.stale ?? null, cleared: cleared.length > 0 },
    { remedy: { operation: "explore put", fields, to: "explore it, and keep it with" } },
  )
}
