import type { Team } from "../kernel/team.ts"
import type { Question } from "../requests/question.ts"
import { isMet, TASK_STATUSES, type Task, type TaskStatus } from "../tasks/task.ts"
import { currentWave, type WaveStatus, type WaveVerdict, waveStatus } from "../tasks/wave.ts"
import type { Worker } from "../workers/worker.ts"

/** Number of tasks by wave (0 for none) and status. */
export interface TaskCount {
  readonly wave: number
  readonly status: TaskStatus
  readonly count: number
}

export type Stats = Record<TaskStatus, number> & {
  readonly total: number
  /** Tasks that are resolved or skipped, in per cent. */
  readonly progress: number
}

export interface WaveSummary {
  readonly id: number
  readonly status: WaveStatus
  readonly total: number
  readonly done: number
}

/** How far a team is. Every view of a team contains it: status, live view, whiteboard, overview and report. */
export interface Progress {
  readonly stats: Stats
  readonly currentWave: number
  readonly waves: readonly WaveSummary[]
  /** What waits for a person. */
  readonly questions: readonly Question[]
}

/** What `project status` and the whiteboard show. */
export interface TeamReport extends Team, Progress {
  readonly pauseReason: string | null
  readonly workers: { readonly total: number; readonly working: number }
  readonly tasks?: readonly Task[]
}

/** What the workers do now. */
export interface SwarmReport {
  readonly session: string
  readonly status: "running" | "idle"
  readonly paused: boolean
  readonly currentWave: number
  readonly createdAt: string
  readonly workers: readonly (Worker & { readonly unread: number })[]
}

/** `waves` in the order of their numbers. */
export function describeProgress(facts: {
  readonly waves: readonly { readonly number: number; readonly verdict: WaveVerdict }[]
  readonly counts: readonly TaskCount[]
  readonly questions: readonly Question[]
}): Progress {
  const { waves, counts, questions } = facts
  return {
    stats: countTasks(counts),
    currentWave: currentWave(waves),
    waves: summarizeWaves(waves, counts),
    questions,
  }
}

export function describeSwarm(
  team: Pick<Team, "project" | "status" | "createdAt">,
  currentWave: number,
  workers: SwarmReport["workers"],
): SwarmReport {
  return {
    session: `teamwork-${team.project}`,
    status: workers.some((worker) => worker.status === "working") ? "running" : "idle",
    paused: team.status === "paused",
    currentWave,
    createdAt: team.createdAt,
    workers,
  }
}

export function countTasks(counts: readonly TaskCount[]): Stats {
  const sums = Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])) as Record<TaskStatus, number>
  for (const row of counts) sums[row.status] += row.count
  const total = TASK_STATUSES.reduce((sum, status) => sum + sums[status], 0)
  const done = sums.resolved + sums.skipped
  return { total, ...sums, progress: total === 0 ? 0 : Math.floor((done * 100) / total) }
}

export function summarizeWaves(
  waves: readonly { number: number; verdict: WaveVerdict }[],
  counts: readonly TaskCount[],
): WaveSummary[] {
  const current = currentWave(waves)
  return waves.map((wave) => {
    const rows = counts.filter((row) => row.wave === wave.number)
    const total = rows.reduce((sum, row) => sum + row.count, 0)
    const done = rows.filter((row) => isMet(row.status)).reduce((sum, row) => sum + row.count, 0)
    return { id: wave.number, status: waveStatus({ ...wave, total, met: done }, current), total, done }
  })
}

/** The same counts as `tx.tasks.progress`, for callers that have the tasks at hand. */
export function countByWave(tasks: Iterable<Pick<Task, "wave" | "status">>): TaskCount[] {
  const counts = new Map<string, { wave: number; status: TaskStatus; count: number }>()
  for (const { wave, status } of tasks) {
    const name = `${wave} ${status}`
    const known = counts.get(name)
    if (known === undefined) counts.set(name, { wave: wave ?? 0, status, count: 1 })
    else known.count++
  }
  return [...counts.values()]
}
