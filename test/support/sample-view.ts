// A small team in the middle of its work, told by its events.
import { type Event, type EventType, readEvent } from "../../src/kernel/events.ts"
import type { TaskId, WorkerId } from "../../src/kernel/ids.ts"
import { applyEvent, emptyHistory } from "../../src/reporting/history.ts"
import { countTasks, summarizeWaves, type TaskCount } from "../../src/reporting/status.ts"
import type { TeamView } from "../../src/reporting/team-view.ts"
import type { Task } from "../../src/tasks/task.ts"
import { makeTask } from "./tasks.ts"

export const BEGIN = Date.UTC(2026, 2, 2, 9, 0, 0)
const at = (seconds: number) => new Date(BEGIN + seconds * 1000).toISOString()

let seq = 0

/** An event so many seconds after the beginning. */
export function eventAt(seconds: number, type: EventType, data: Record<string, unknown>, by = "teamwork"): Event {
  seq++
  return readEvent({ seq, cursor: String(seq), type, version: 1, timestamp: at(seconds), by, data })
}

export function runStarted(seconds: number, run: string, change: Record<string, unknown> = {}): Event {
  const task = run.split("-")[0]
  const data = { run, task, attempt: 1, worker: "w1", agent: "claude", model: "sonnet", turn: 1, ...change }
  return eventAt(seconds, "run.started", data, String(data.worker))
}

export function runEnded(seconds: number, run: string, change: Record<string, unknown> = {}): Event {
  const usage = {
    input_tokens: 12_000,
    output_tokens: 345,
    cached_tokens: 0,
    dollars: 0.25,
    dollars_are_estimated: false,
  }
  const how = { reason: "done", error: null, session: null, duration_ms: 1000 }
  const data = { run, task: run.split("-")[0], worker: "w1", agent: "claude", ...how, ...usage, ...change }
  return eventAt(seconds, "run.ended", data, String(data.worker))
}

export function workerStarted(seconds: number, worker: string, role: string | null): Event {
  const data = { worker, role, runtime: "child", machine: "here", pid: 1, process_start: "1" }
  return eventAt(seconds, "worker.started", data, worker)
}

export const claimed = (seconds: number, task: string, by: string, from: string | null = null) =>
  eventAt(seconds, "task.claimed", { task, token: 1, taken_over_from: from }, by)
export const resolved = (seconds: number, task: string, by: string) =>
  eventAt(seconds, "task.resolved", { task, token: 1, attempt: 1 }, by)
export const stepped = (seconds: number, task: string, worker: string, step: string) =>
  eventAt(seconds, "task.step", { task, attempt: 1, worker, step }, worker)

export function makeWorker(id: string, change: Partial<TeamView["workers"][number]> = {}): TeamView["workers"][number] {
  const none = { role: null, sessionId: null, pane: null, worktree: null, branch: null, currentTask: null }
  return { id: id as WorkerId, ...none, status: "idle", lastHeartbeat: at(0), createdAt: at(0), ...change }
}

/** A view whose history follows from the events, and whose counts from the tasks. */
export function makeView(
  parts: { readonly tasks: readonly Task[]; readonly events: readonly Event[] } & Partial<Omit<TeamView, "tasks">>,
): TeamView {
  const { tasks, events, ...rest } = parts
  const history = emptyHistory()
  for (const event of events) applyEvent(history, event)
  const counts = tasks.map(({ wave, status }): TaskCount => ({ wave: wave ?? 0, status, count: 1 }))
  const numbers = [...new Set(tasks.flatMap(({ wave }) => wave ?? []))].sort((a, b) => a - b)
  const isDone = (number: number) =>
    tasks.every((task) => task.wave !== number || task.status === "resolved" || task.status === "skipped")
  const waves = numbers.map((number) => ({ number, verdict: isDone(number) ? ("verified" as const) : null }))
  return {
    team: {
      ...{
        project: "shop",
        team: "main",
        run: 1,
        goal: "A search page for items",
        phase: "EXECUTION",
        status: "active",
      },
      ...{ mode: "FULL_AUTO", schedule: "waves", pauseReason: null, createdAt: at(0), updatedAt: at(0) },
    } as TeamView["team"],
    tasks: new Map(tasks.map((task) => [task.id, task])),
    stats: countTasks(counts),
    waves: summarizeWaves(waves, counts),
    currentWave: waves.find(({ verdict }) => verdict === null)?.number ?? numbers.at(-1) ?? 0,
    ...{ workers: [], history, lead: { holder: "here:1", leaseUntil: BEGIN + 1_000_000 }, events, now: BEGIN },
    questions: [],
    ...rest,
  }
}

export const SAMPLE_TASKS: readonly Task[] = [
  makeTask({ id: "1" as TaskId, title: "Schema of items", wave: 1, status: "resolved" }),
  makeTask({ id: "2" as TaskId, title: "Sketch", role: "frontend", wave: 1, status: "resolved" }),
  makeTask({ id: "3" as TaskId, title: "Search endpoint", wave: 2, status: "in_progress", blockedBy: ["1" as TaskId] }),
  makeTask({ id: "4" as TaskId, title: "Search page", role: "frontend", wave: 2, status: "in_review" }),
  makeTask({ id: "5" as TaskId, title: "Index", wave: 2 }),
  makeTask({ id: "6" as TaskId, title: "Fonts", role: "frontend", wave: 2, status: "failed" }),
  makeTask({ id: "7" as TaskId, title: "Manual", role: "docs", wave: 3, blockedBy: ["3", "4"] as TaskId[] }),
]

export const SAMPLE_EVENTS: readonly Event[] = [
  eventAt(0, "team.led", { holder: "here:1", token: 1, settings: "{}" }, "here:1"),
  workerStarted(1, "w1", "backend"),
  workerStarted(1, "w2", "frontend"),
  claimed(2, "1", "w1"),
  claimed(2, "2", "w2"),
  runStarted(3, "1-1-1"),
  resolved(32, "2", "w2"),
  runEnded(60, "1-1-1"),
  resolved(62, "1", "w1"),
  eventAt(63, "wave.updated", { wave: 1, from: "completed", to: "verified" }),
  claimed(64, "3", "w1"),
  stepped(65, "3", "w1", "agent"),
  runStarted(66, "3-1-1"),
  eventAt(70, "message.sent", { id: "m", from: "w1", to: "orchestrator", type: "text" }, "w1"),
  eventAt(80, "task.setback", {
    ...{ task: "6", attempt: 1, worker: "w2", agent: null, kind: "gate", reason: "npm test fails", advice: null },
  }),
  eventAt(80, "task.released", { task: "6", owner: "w2", reason: "npm test fails" }),
]

export function sampleView(change: Partial<Omit<TeamView, "tasks">> = {}): TeamView {
  return makeView({
    tasks: SAMPLE_TASKS,
    events: SAMPLE_EVENTS,
    workers: [
      makeWorker("w1", { role: "backend", status: "working", currentTask: "3" as TaskId, lastHeartbeat: at(95) }),
      makeWorker("w2", { role: "frontend", lastHeartbeat: at(81) }),
    ],
    now: BEGIN + 100_000,
    ...change,
  })
}
