import { SCRIPT } from "../agents/programs.ts"
import type { Schedule } from "../kernel/team.ts"
import type { FollowUp } from "../tasks/follow-up.ts"
import { layerTasks } from "../tasks/layers.ts"
import type { Complexity, Role } from "../tasks/task.ts"
import { longestChain } from "./longest-chain.ts"

/** A finished run, with facts of its task. */
export interface PastRun {
  readonly agent: string
  /** Null if the task was deleted. */
  readonly role: Role | null
  readonly complexity: Complexity | null
  readonly ms: number
  readonly tokens: number
  /** Null if the price is unknown. */
  readonly dollars: number | null
}

export interface Past {
  /** Null if the team does not exist yet. */
  readonly schedule: Schedule | null
  readonly runs: readonly PastRun[]
}

export const NO_PAST: Past = { schedule: null, runs: [] }

export interface PlannedRun {
  readonly id: string
  readonly needs: readonly string[]
  readonly role: Role
  readonly complexity: Complexity
  /** Null if not known yet. */
  readonly agent: string | null
  readonly isFollowUp: boolean
}

export interface Estimate {
  /** One per task. Repairs, retries and the final review are extra. */
  readonly runs: number
  /** Of these, follow-ups. A task with its own tests has none. */
  readonly followUps: number
  /** Number of earlier runs in this repository. */
  readonly basedOn: number
  /** Planned runs of a kind that never ran here; not in the figures. */
  readonly unknown: number
  /** From the first start to the last end. Null if nothing is known. */
  readonly ms: number | null
  readonly tokens: number | null
  readonly dollars: number | null
}

export interface EstimateFacts {
  readonly planned: readonly PlannedRun[]
  readonly past: readonly PastRun[]
  /** Workers at the same time. */
  readonly hands: number
  readonly schedule: Schedule
}

type PlannedTask = Omit<PlannedRun, "isFollowUp">

/** One run per task and follow-up. */
export function planRuns(tasks: readonly PlannedTask[], followUps: readonly FollowUp[]): PlannedRun[] {
  return [
    ...tasks.map(({ id, needs, role, complexity, agent }) => ({
      id,
      needs,
      role,
      complexity,
      agent,
      isFollowUp: false,
    })),
    ...followUps.map(({ id, of, role }) => ({
      id,
      needs: [of],
      role,
      complexity: "standard" as const,
      agent: null,
      isFollowUp: true,
    })),
  ]
}

/** Uses the median of earlier runs. */
export function estimate({ planned, past, hands, schedule }: EstimateFacts): Estimate {
  const figures = planned.map((run) => ({ run, like: findLike(run, past) }))
  const known = figures.filter(({ like }) => like.length > 0)
  const used = new Set(known.flatMap(({ like }) => like))
  const sumOf = (pick: (run: PastRun) => number | null) => {
    const medians = known.map(({ like }) => medianOf(like.flatMap((each) => pick(each) ?? [])))
    return known.length === 0 || medians.includes(null) ? null : sum(medians.map((each) => each ?? 0))
  }
  const times = known.map(({ run, like }) => ({ ...run, ms: medianOf(like.map(({ ms }) => ms)) ?? 0 }))
  return {
    runs: planned.length,
    followUps: planned.filter(({ isFollowUp }) => isFollowUp).length,
    basedOn: used.size,
    unknown: planned.length - known.length,
    ms: known.length === 0 ? null : Math.round(lengthOf(times, Math.max(1, hands), schedule)),
    tokens: sumOf(({ tokens }) => tokens),
    dollars: sumOf(({ dollars }) => dollars),
  }
}

/** Same agent, role and complexity, or as many of these as possible. */
function findLike(run: PlannedRun, past: readonly PastRun[]): readonly PastRun[] {
  const isScript = run.agent === SCRIPT
  const same = past.filter(({ agent }) => (agent === SCRIPT) === isScript)
  const byRole = same.filter(({ role, complexity }) => role === run.role && complexity === run.complexity)
  const tries = [
    byRole.filter(({ agent }) => agent === run.agent),
    byRole,
    same.filter(({ complexity }) => complexity === run.complexity),
    same,
  ]
  return tries.find((each) => each.length > 0) ?? []
}

/** The number of workers or the longest chain sets the pace. Waves run one after the other. */
function lengthOf(runs: readonly (PlannedRun & { readonly ms: number })[], hands: number, schedule: Schedule): number {
  if (schedule === "eager") return Math.max(sum(runs.map(({ ms }) => ms)) / hands, longestChain(runs).ms)
  const timeOf = new Map(runs.map(({ id, ms }) => [id, ms]))
  const nodes = runs.map(({ id, needs }) => ({ id, blockedBy: needs.filter((need) => timeOf.has(need)) }))
  return sum(
    layerTasks(nodes).layers.map((layer) => {
      const times = layer.map((id) => timeOf.get(id) ?? 0)
      return Math.max(sum(times) / hands, ...times)
    }),
  )
}

function medianOf(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined) return null
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
