import type { EventOf } from "../../kernel/events.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import {
  countByWave,
  describeProgress,
  describeSwarm,
  type SwarmReport,
  summarizeWaves,
  type TeamReport,
} from "../../reporting/status.ts"
import { listQuestions } from "../../requests/question.ts"
import { listUnmet } from "../../tasks/readiness.ts"
import type { Task } from "../../tasks/task.ts"
import { currentWave, type Wave } from "../../tasks/wave.ts"
import type { Worker } from "../../workers/worker.ts"
import type { PastEvent, SnapshotTask, TeamSnapshot } from "../snapshot.ts"

export interface TeamFacts extends Omit<TeamSnapshot, "tasks"> {
  /** In order of creation. */
  readonly tasks: ReadonlyMap<TaskId, SnapshotTask>
  /** The newest few except messages, for the whiteboard. */
  readonly latestEvents: readonly PastEvent[]
  readonly setbacks: readonly PastEvent<EventOf<"task.setback">>[]
}

export function listWorkers(facts: TeamFacts): Worker[] {
  const held = Map.groupBy(facts.tasks.values(), (task) => task.workerId)
  return sortWorkers(facts.workers).map(({ availability, heartbeatAt, ...worker }) => {
    const work = (held.get(worker.id) ?? []).toSorted((a, b) => lastTouched(a) - lastTouched(b))
    const current = work.findLast((task) => task.status === "in_progress")
    const isFree = availability === "idle" || availability === "working"
    return {
      ...worker,
      status: isFree ? (current === undefined ? "idle" : "working") : availability,
      currentTask: current?.id ?? null,
      tasksCompleted: work.filter((task) => task.status === "resolved").map((task) => task.id),
      lastHeartbeat: heartbeatAt,
    }
  })
}

/** By creation, then by id. */
export function sortWorkers<Each extends { readonly id: WorkerId; readonly createdAt: string }>(
  workers: readonly Each[],
): Each[] {
  return workers.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || compare(a.id, b.id))
}

function lastTouched(task: SnapshotTask): number {
  return Date.parse(task.completedAt ?? task.claimedAt ?? task.createdAt)
}

/** By code unit, so that every machine sorts the same. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function listWaves(facts: TeamFacts): Wave[] {
  const waves = facts.waves.toSorted((a, b) => a.number - b.number)
  const summaries = summarizeWaves(waves, countByWave(facts.tasks.values()))
  const tasks = Map.groupBy(facts.tasks.values(), (task) => task.wave ?? 0)
  return waves.map((wave, index) => ({
    id: wave.number,
    status: summaries[index]?.status ?? "planning",
    tasks: (tasks.get(wave.number) ?? []).map((task) => task.id),
    startedAt: wave.startedAt,
    verifiedAt: wave.verifiedAt,
  }))
}

export function findCurrentWave(facts: TeamFacts): number {
  return currentWave(facts.waves.toSorted((a, b) => a.number - b.number))
}

export function reportTeam(facts: TeamFacts): TeamReport {
  const waves = facts.waves.toSorted((a, b) => a.number - b.number)
  const working = new Set<WorkerId>()
  for (const task of facts.tasks.values()) {
    if (task.status === "in_progress" && task.workerId !== null) working.add(task.workerId)
  }
  return {
    ...facts.team,
    ...describeProgress({ waves, counts: countByWave(facts.tasks.values()), questions: listQuestions(facts.records) }),
    workers: { total: facts.workers.length, working: working.size },
    tasks: listTasks(facts),
  }
}

export function reportSwarm(facts: TeamFacts): SwarmReport {
  const workers = listWorkers(facts)
  const unread = new Map<string, number>()
  for (const message of facts.messages) {
    if (!message.read) unread.set(message.to, (unread.get(message.to) ?? 0) + 1)
  }
  const described = workers.map((worker) => ({ ...worker, unread: unread.get(worker.id) ?? 0 }))
  return describeSwarm(facts.team, findCurrentWave(facts), described)
}

function listTasks({ tasks }: TeamFacts): Task[] {
  return Array.from(tasks.values(), (task) => ({
    ...task,
    blockedBy: task.blockedBy.toSorted(compare),
    unmet: listUnmet(task, (id) => tasks.get(id)?.status).length,
  }))
}
